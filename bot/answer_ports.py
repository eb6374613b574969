"""What is needed for clicks on an answer, on any platform."""

from dataclasses import dataclass

from bot.access import Access
from bot.feedback import GivingFeedback
from bot.links import Links
from bot.seen_answers import SeenAnswers
from rag_core.ports import PolicyStore


@dataclass(frozen=True, slots=True)
class AnswerPorts:
    """`seen` finds answers by who clicks; `access` says what he may see of them."""

    seen: SeenAnswers
    access: Access
    feedback: GivingFeedback
    store: PolicyStore
    links: Links
