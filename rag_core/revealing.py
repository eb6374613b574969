"""Telling somebody who names a document that it is not for him: only where the operator wants that."""

import re
from dataclasses import dataclass
from typing import Protocol

from rag_core.answers import Answer, AskTrace, Clarification, Refusal, RefusalReason, Reply
from rag_core.ports import HiddenDocuments, Watching
from rag_core.questions import AskRequest
from rag_core.retrieval.stored import answer_in_time

_INSTEAD_OF = frozenset({RefusalReason.NOT_COVERED, RefusalReason.OFF_TOPIC, RefusalReason.OTHER_DAY})
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|`([^`]+)`|(?<!\w)['‘]([^'’]+)['’](?!\w)")
_PLAIN_WORD = re.compile(r"[^\W\d_]+")


class AsksPolicies(Protocol):
    """`rag_core.ask.Asker`, or what stands in for it."""

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]: ...


@dataclass(frozen=True, slots=True)
class RevealingAsker:
    """An asker whose refusals say so where the question names a document that its audience may not see, and so do
    answers of which no rule decides anything.

    Other answers stay what they are, and so does a refusal while the documents cannot be looked at.
    """

    asker: AsksPolicies
    hidden: HiddenDocuments

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        reply, trace = await self.asker.ask(request, watching)
        if not _says_nothing(reply, trace):
            return reply, trace
        is_named = await answer_in_time(self.hidden.any_named(request.text, request.groups))
        return (_not_permitted(reply) if is_named else reply), trace


def names_document(text: str, document_id: str, title: str) -> bool:
    """Whether a question names a document: by its id or its whole title, whatever the case. What is a plain word, as
    "alcohol" is, names one only between quotation marks: else every question about alcohol would."""
    return any(_names(text, name) for name in (document_id, title))


def _names(text: str, name: str) -> bool:
    words = " ".join(name.split()).casefold()
    said = " ".join(text.split()).casefold()
    if not words:
        return False
    if words in {next(filter(None, match.groups()), "").strip() for match in _QUOTED.finditer(said)}:
        return True
    if _PLAIN_WORD.fullmatch(words):
        return False
    return re.search(rf"(?<![\w.-]){re.escape(words)}(?![\w-]|\.\w)", said) is not None


def _says_nothing(reply: Reply, trace: AskTrace) -> bool:
    if isinstance(reply, Answer):
        return trace.is_nearest
    return isinstance(reply, Clarification) or reply.reason in _INSTEAD_OF


def _not_permitted(reply: Reply) -> Refusal:
    """Without a section or a choice: they belong to a question that was not asked."""
    return Refusal(
        scope=reply.scope,
        reason=RefusalReason.NOT_PERMITTED,
        degraded=reply.degraded,
        rewritten_question=reply.rewritten_question,
    )
