"""Questions asked by a click on an answer: one of its choices, another scope, or for a whole channel."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from bot.answers.recorded import SHOWN_IN, scope_from
from bot.answers.seen import SeenAnswer
from rag_core.errors import Rejected
from rag_core.questions import Filters, Scope


@dataclass(frozen=True, slots=True)
class Next:
    """`once`: what makes it the same question when it comes again; who asks it may stand in it."""

    text: str
    once: str
    filters: Filters
    as_of: date | None

    @property
    def key(self) -> str:
        """`once` as it may be kept: nobody is read out of it."""
        return hashlib.sha256(self.once.encode()).hexdigest()


def chosen(seen: SeenAnswer, number: str, user: str) -> Next:
    """A choice of the reply as a question, the same for every click of this person. Raises
    Rejected("answer_unreadable")."""
    listed = seen.record.reply.get("choices")
    at = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
    if not isinstance(listed, list) or not 0 <= at < len(listed):
        raise Rejected("answer_unreadable")
    choice = listed[at]
    once = f"choice:{seen.record.answer_id}:{at}:{user}"
    try:
        return Next(str(choice["question"]), once, _filters(choice["filters"]), fixed_day(scope_of(seen)))
    except (KeyError, TypeError, AttributeError) as exc:
        raise Rejected("answer_unreadable") from exc


def shared(seen: SeenAnswer, channel: str) -> Next:
    """The answer's question for everybody who reads a channel, once for each. Raises Rejected("answer_unreadable")."""
    scope = scope_of(seen)
    once = f"share:{seen.record.answer_id}:{channel}"
    return Next(question_of(seen), once, fixed_filters(scope), fixed_day(scope))


def was_shown(seen: SeenAnswer) -> bool:
    """Whether others than the asker were shown it; where nothing says so, nobody was."""
    notes = (seen.record.trace or {}).get("notes")
    return isinstance(notes, dict) and bool(notes.get(SHOWN_IN))


def question_of(seen: SeenAnswer) -> str:
    """As it was read: a follow-up with what it refers to."""
    rewritten = seen.record.reply.get("rewritten_question")
    return rewritten if isinstance(rewritten, str) and rewritten else seen.record.question_text


def scope_of(seen: SeenAnswer) -> Scope:
    """Raises Rejected("answer_unreadable")."""
    return scope_from(seen.record.reply, seen.record.trace)


def fixed_day(scope: Scope) -> date | None:
    """The day that was chosen, and neither assumed nor read out of the words, which say it again."""
    return None if not _is_chosen(scope, "as_of") or scope.since else scope.as_of


def fixed_filters(scope: Scope) -> Filters:
    """What it holds for, and is not read out of the words: chosen, or the default of the channel that it was asked in,
    for another channel may have others."""
    return Filters(
        policy_sources=scope.policy_sources if "policy_sources" not in scope.inferred else (),
        regions=scope.regions if "regions" not in scope.inferred else (),
        content_types=tuple(map(str, scope.content_types)) if "content_types" not in scope.inferred else (),
    )


def _is_chosen(scope: Scope, name: str) -> bool:
    return name not in scope.inferred and name not in scope.assumed


def _filters(shape: Mapping[str, Any]) -> Filters:
    """Of the REST shape."""
    return Filters(
        policy_sources=tuple(shape.get("policy_source", ())),
        regions=tuple(shape.get("region", ())),
        content_types=tuple(shape.get("content_type", ())),
        sections=tuple(shape.get("policy_section", ())),
        labels={key: tuple(values) for key, values in shape.get("labels", {}).items()},
    )
