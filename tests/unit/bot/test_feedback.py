"""Feedback: only on one's own answers, cleaned, bounded, and on the record."""

from datetime import UTC, datetime

import pytest

from bot.answers.feedback import LONGEST_COMMENT, FeedbackReason, GivingFeedback, Rating, Said, clean_comment
from bot.audit.entries import RecordKind
from bot.model.messages import Actor, Conversation
from tests.fakes.feedback import FakeFeedback, FakeGivenAnswers, make_answer

NOW = datetime(2026, 6, 2, 9, tzinfo=UTC)
ASKER = Actor("rest", "T1", "U1")


def giving(feedback: FakeFeedback) -> GivingFeedback:
    return GivingFeedback(FakeGivenAnswers(make_answer()), feedback, now=lambda: NOW, new_id=lambda: "act")


async def test_an_opinion_is_kept_and_on_the_record() -> None:
    feedback = FakeFeedback()
    said = Said("a1", Rating.NOT_USEFUL, [FeedbackReason.OTHER, FeedbackReason.OUTDATED, FeedbackReason.OTHER], "Old.")
    opinion = await giving(feedback).give(ASKER, said, "rest")
    assert opinion is not None
    assert list(feedback.kept.values()) == [opinion]
    assert (opinion.rating, opinion.reasons, opinion.comment) == ("not_useful", ("outdated", "other"), "Old.")
    [entry] = feedback.entries
    assert (entry.record_id, entry.kind, entry.workspace) == ("a1:feedback:act", RecordKind.FEEDBACK, "T1")
    assert (entry.subject, entry.origin, entry.at) == ("a1", "rest", NOW)
    assert entry.facts == {"outcome": "not_useful", "reasons": ["outdated", "other"]}
    assert entry.personal == {"person": "U1", "comment": "Old."}  # what can be forgotten is no fact


async def test_without_a_comment_only_the_person_is_personal() -> None:
    feedback = FakeFeedback()
    await giving(feedback).give(ASKER, Said("a1", Rating.USEFUL, comment=" \u202e\x00 "), "rest")
    assert feedback.entries[0].personal == {"person": "U1"}


@pytest.mark.parametrize(
    ("actor", "answer_id"),
    [
        (Actor("rest", "T1", "U2"), "a1"),
        (Actor("rest", "T2", "U1"), "a1"),
        (Actor("slack", "T1", "U1"), "a1"),
        (ASKER, "a2"),
    ],
    ids=["another person", "another workspace", "another platform", "no such answer"],
)
async def test_nobody_rates_what_is_not_theirs(actor: Actor, answer_id: str) -> None:
    feedback = FakeFeedback()
    assert await giving(feedback).give(actor, Said(answer_id, Rating.USEFUL), "rest") is None
    assert (feedback.kept, feedback.entries) == ({}, [])


def test_a_comment_is_bounded_and_without_what_nobody_sees() -> None:
    assert clean_comment("one\u202e two\x00\x07\r\n\n\n  three\t four \ud800") == "one two\nthree four"
    assert len(clean_comment("word " * 1_000)) <= LONGEST_COMMENT


async def test_where_answers_know_people_by_pseudonyms_so_does_feedback_and_the_record_by_their_ids() -> None:
    feedback = FakeFeedback()
    answers = FakeGivenAnswers(make_answer(person="p1:U1"))
    named = GivingFeedback(
        answers, feedback, now=lambda: NOW, new_id=lambda: "act", known_as=lambda actor: f"p1:{actor.person}"
    )
    assert await named.give(Actor("rest", "T1", "U2"), Said("a1", Rating.USEFUL), "rest") is None
    assert await named.give(Actor("rest", "T1", "p1:U1"), Said("a1", Rating.USEFUL), "rest") is None
    opinion = await named.give(ASKER, Said("a1", Rating.USEFUL), "rest")
    assert opinion is not None
    assert opinion.person == "p1:U1"
    assert [entry.personal for entry in feedback.entries] == [{"person": "U1"}]


SHOWN = make_answer(answered_from="slack", person="U1", trace={"notes": {"shown_in": "C1"}})


@pytest.mark.parametrize(
    ("person", "channel", "kept"), [("U2", "C1", True), ("U2", "C2", False), ("U2", None, False), ("U1", None, True)]
)
async def test_on_a_chat_platform_those_who_were_shown_it_have_an_opinion_of_their_own(
    person: str, channel: str | None, kept: bool
) -> None:
    feedback = FakeFeedback()
    named = GivingFeedback(
        FakeGivenAnswers(SHOWN), feedback, now=lambda: NOW, new_id=lambda: "act", known_as=lambda actor: actor.person
    )
    place = Conversation("slack", "T1", channel) if channel else None
    opinion = await named.give(Actor("slack", "T1", person), Said("a1", Rating.USEFUL), "slack", place)
    assert (opinion is not None) is kept
    assert [each.person for each in feedback.kept.values()] == ([person] if kept else [])
