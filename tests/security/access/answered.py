"""Roads to what was answered before: an answer read again by its id, and what is said of it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.security.access import asking
from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.people import INSIDERS, MEMBERS
from tests.security.access.world import Door, World

ASKED = (
    *asking.FORMS[:1],
    *asking.FORMS[15:17],
    *asking.FORMS[22:24],
    *asking.FORMS[28:32],
    *asking.FORMS[35:40],
)
CHANGED = (
    ("moved", "help", Proof.HIDDEN),
    ("moved", "which documents do you have", Proof.HIDDEN),
    ("moved", "what changed for sledges on Moorle since August 2026", Proof.TAKEN),
    ("closed", "what changed for rockets on Moorle since 2024", Proof.HIDDEN),
    ("twist", "compare alcohol in Iceland and the UK on Tarrow", Proof.HIDDEN),
)


def _again(_: World) -> Iterator[Attempt]:
    for of, question, proof in (*ASKED, *CHANGED):
        take = _read_again(question)
        yield Attempt(question, of, take, proof=proof, alike=False, before=question, before_by=INSIDERS)


def _read_again(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        return await door.get(f"/api/v1/answers/{await answer_of(door, question)}")

    return take


def _opinions(_: World) -> Iterator[Attempt]:
    for of, question, _proof in (*ASKED[:3], *CHANGED):
        take = _rated(question)
        yield Attempt(question, of, take, proof=Proof.TAKEN, alike=False, before=question, before_by=INSIDERS)


def _rated(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        body = {"answer_id": await answer_of(door, question), "rating": "not_useful", "comment": "why?"}
        return await door.post("/api/v1/feedback", body)

    return take


async def answer_of(door: Door, question: str) -> str:
    """The id of an answer that a member was given: his own, where the asker is one, or was."""
    own = next((each for each in MEMBERS if each.person == door.asker.person), MEMBERS[0])
    given = await Door(door.world, own).post("/api/v1/ask", {"question": question})
    return str(json.loads(given.split("\n", 2)[2])["answer_id"])


def _described(_: World) -> Iterator[Attempt]:
    yield Attempt("the description", "platform", _description, proof=Proof.TAKEN)


async def _description(door: Door) -> str:
    return await door.get("/api/v1/openapi.json")


ROADS = (
    Road("an answer by its id", _again, ("GET /api/v1/answers/{answer_id}",)),
    Road("feedback on an answer", _opinions, ("POST /api/v1/feedback",)),
    Road("description of the API", _described, ("GET /api/v1/openapi.json",)),
)
