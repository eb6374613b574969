"""Feedback on answers: one opinion for each person and answer, of which the last counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.answers.recorded import KnownAs, belongs_to, by_own_id, was_shown_to
from bot.audit.entries import PERSON, AuditEntry, RecordKind
from bot.model.messages import Actor, Conversation
from bot.model.visible import lines, shorten
from bot.ports import Feedback, GivenAnswers, Opinion

LONGEST_COMMENT = 2_000
"""Characters that are kept of a comment."""

COMMENT = "comment"
"""Personal field beside the person: what somebody wrote."""


class Rating(StrEnum):
    USEFUL = "useful"
    NOT_USEFUL = "not_useful"


class FeedbackReason(StrEnum):
    """What was wrong with an answer, or with a refusal."""

    WRONG_VERDICT = "wrong_verdict"
    WRONG_PLACE = "wrong_place"
    WRONG_PLATFORM = "wrong_platform"
    OUTDATED = "outdated"
    QUOTE_DOES_NOT_SUPPORT = "quote_does_not_support"
    RULE_MISSING = "rule_missing"
    MISUNDERSTOOD = "misunderstood"
    UNCLEAR = "unclear"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Said:
    """`reasons` each once, in the order of FeedbackReason; `comment` as it was typed."""

    answer_id: str
    rating: Rating
    reasons: Sequence[FeedbackReason] = ()
    comment: str = ""


class GivingFeedback:
    """Takes opinions of those who asked and, on a chat platform, of those who were shown the answer, each one of his
    own. Raises Unavailable."""

    def __init__(
        self,
        answers: GivenAnswers,
        feedback: Feedback,
        *,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        known_as: KnownAs = by_own_id,
    ) -> None:
        self._answers = answers
        self._feedback = feedback
        self._now = now
        self._new_id = new_id
        self._known_as = known_as

    async def give(
        self, actor: Actor, said: Said, given_from: str, seen_in: Conversation | None = None
    ) -> Opinion | None:
        """The opinion as it is kept, or None: there is no such answer of theirs.

        Saying the same again changes nothing. `given_from`: "rest", "slack" ... `seen_in`: where the platform itself
        says that the person has the answer before his eyes.
        """
        answer = await self._answers.answer(said.answer_id)
        if answer is None:
            return None
        is_own = belongs_to(answer, actor, self._known_as)
        if not is_own and not was_shown_to(answer, actor, seen_in):
            return None
        opinion = Opinion(
            answer_id=answer.answer_id,
            workspace=answer.workspace,
            person=answer.person if is_own else self._known_as(actor),
            rating=said.rating.value,
            reasons=tuple(each.value for each in FeedbackReason if each in said.reasons),
            comment=clean_comment(said.comment),
            given_from=given_from,
            given_at=self._now(),
        )
        return await self._feedback.save(opinion, feedback_entry(opinion, actor.person, self._new_id()))


def clean_comment(text: str) -> str:
    """Lines of text that are safe to store and to show, as many characters as are kept."""
    return shorten("\n".join(lines(text)), LONGEST_COMMENT)


def feedback_entry(opinion: Opinion, person: str, act_id: str) -> AuditEntry:
    """The opinion for the record. Who gave it (`person`, by the platform's own id), and in which words, can be
    forgotten; how it was rated stays."""
    personal = {PERSON: person, COMMENT: opinion.comment}
    return AuditEntry(
        record_id=f"{opinion.answer_id}:feedback:{act_id}",
        kind=RecordKind.FEEDBACK,
        workspace=opinion.workspace,
        at=opinion.given_at,
        subject=opinion.answer_id,
        origin=opinion.given_from,
        facts={"outcome": opinion.rating, "reasons": list(opinion.reasons)},
        personal={name: value for name, value in personal.items() if value},
    )
