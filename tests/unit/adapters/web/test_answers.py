"""`GET /api/v1/answers/{answer_id}` and `POST /api/v1/feedback`: who calls decides, and what cannot be is 404."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from adapters.web.callers import ANYBODY, Caller
from adapters.web.parts import WebParts
from bot.access.tokens import Permission
from bot.answers.feedback import FeedbackReason, Rating, Said
from bot.model.messages import Actor
from bot.ports import Opinion
from rag_core.errors import Unavailable
from tests.fakes.callers import FakeCallers
from tests.fakes.web import make_parts, serving

REPLY: dict[str, object] = {"answer_id": "a1", "kind": "refusal"}
LAWYER = Caller(Actor("rest", "T1", "U1"), frozenset({"legal"}))
ADDRESS = "/api/v1/answers/a1"
FEEDBACK = "/api/v1/feedback"


@dataclass
class FakeAnswers:
    """One answer, a1; keeps who asked for it, and what was said of it. `error` is raised instead."""

    error: Exception | None = None
    asked: list[tuple[str, Actor, frozenset[str]]] = field(default_factory=list)
    said: list[tuple[Actor, Said, str]] = field(default_factory=list)

    async def read(self, answer_id: str, actor: Actor, groups: frozenset[str]) -> dict[str, object] | None:
        self.asked.append((answer_id, actor, groups))
        if self.error:
            raise self.error
        return REPLY if answer_id == "a1" else None

    async def give(self, actor: Actor, said: Said, given_from: str) -> Opinion | None:
        self.said.append((actor, said, given_from))
        if self.error:
            raise self.error
        if said.answer_id != "a1":
            return None
        reasons = tuple(each.value for each in said.reasons)
        at = datetime(2026, 6, 1, tzinfo=UTC)
        return Opinion("a1", actor.workspace, actor.person, said.rating.value, reasons, said.comment, given_from, at)


def parts(answers: FakeAnswers, caller: Caller = LAWYER) -> WebParts:
    return make_parts(read_answer=answers.read, give_feedback=answers.give, callers=FakeCallers(caller))


async def test_an_answer_is_read_for_the_one_who_calls() -> None:
    answers = FakeAnswers()
    async with serving(parts(answers)) as site:
        status, text = await site.get(ADDRESS)
    assert (status, json.loads(text)) == (200, REPLY)
    assert answers.asked == [("a1", LAWYER.actor, LAWYER.groups)]


async def test_whoever_is_not_known_is_anybody() -> None:
    answers = FakeAnswers()
    async with serving(parts(answers, ANYBODY)) as site:
        await site.get(ADDRESS)
    assert answers.asked == [("a1", Actor("rest", "local", "anonymous"), frozenset())]


@pytest.mark.parametrize("answer_id", ["a2", "%00", "a%0Ab", "x" * 301, "%ED%A0%80", "%FF"])
async def test_what_is_no_answer_of_theirs_is_404(answer_id: str) -> None:
    answers = FakeAnswers()
    async with serving(parts(answers)) as site:
        status, text = await site.get(f"/api/v1/answers/{answer_id}")
    assert (status, json.loads(text)["code"]) == (404, "answer_not_found")
    assert all(asked.isprintable() for asked, _, _ in answers.asked)


async def test_feedback_is_given_by_the_one_who_calls() -> None:
    answers = FakeAnswers()
    body = {"answer_id": "a1", "rating": "not_useful", "reasons": ["outdated"], "comment": "Old."}
    async with serving(parts(answers)) as site:
        status, kept = await site.post(FEEDBACK, body)
    assert (status, kept) == (200, body | {"given_at": "2026-06-01T00:00:00+00:00"})
    said = Said("a1", Rating.NOT_USEFUL, [FeedbackReason.OUTDATED], "Old.")
    assert answers.said == [(LAWYER.actor, said, "rest")]


@pytest.mark.parametrize("given", [{}, {"reasons": None, "comment": None}, {"reasons": []}])
async def test_reasons_and_comment_may_be_left_out(given: dict[str, object]) -> None:
    async with serving(parts(FakeAnswers())) as site:
        status, kept = await site.post(FEEDBACK, {"answer_id": "a1", "rating": "useful"} | given)
    assert (status, kept["reasons"], kept["comment"]) == (200, [], None)


@pytest.mark.parametrize("answer_id", ["a2", "a1\x00", "\n"])
async def test_feedback_on_what_is_no_answer_of_theirs_is_404(answer_id: str) -> None:
    async with serving(parts(FakeAnswers())) as site:
        status, problem = await site.post(FEEDBACK, {"answer_id": answer_id, "rating": "useful"})
    assert (status, problem["code"]) == (404, "answer_not_found")


@pytest.mark.parametrize(
    ("given", "at", "code"),
    [
        ({"rating": "great"}, "rating", "enum"),
        ({"rating": None}, "rating", "enum"),
        ({"answer_id": ""}, "answer_id", "string_too_short"),
        ({"reasons": ["ugly"]}, "reasons.0", "enum"),
        ({"reasons": ["other"] * 10}, "reasons", "too_long"),
        ({"rating": "useful", "reasons": ["other"]}, "body", "reasons_without_complaint"),
        ({"comment": "x" * 2_001}, "comment", "string_too_long"),
        ({"person": "U2"}, "person", "extra_forbidden"),
    ],
)
async def test_feedback_that_does_not_fit_is_explained(given: dict[str, object], at: str, code: str) -> None:
    async with serving(parts(FakeAnswers())) as site:
        status, problem = await site.post(FEEDBACK, {"answer_id": "a1", "rating": "not_useful"} | given)
    errors = problem["errors"]
    assert status == 422
    assert isinstance(errors, list)
    assert (errors[0]["field"], errors[0]["code"]) == (at, code)


async def test_who_may_not_ask_has_no_answers() -> None:
    reader = Caller(LAWYER.actor, permissions=frozenset({Permission.READ, Permission.METRICS}))
    async with serving(parts(FakeAnswers(), reader)) as site:
        assert (await site.get(ADDRESS))[0] == 403
        assert (await site.post(FEEDBACK, {"answer_id": "a1", "rating": "useful"}))[0] == 403


async def test_with_the_store_down_it_is_503() -> None:
    async with serving(parts(FakeAnswers(Unavailable("store_down")))) as site:
        assert (await site.get(ADDRESS))[0] == 503
        assert (await site.post(FEEDBACK, {"answer_id": "a1", "rating": "useful"}))[0] == 503
