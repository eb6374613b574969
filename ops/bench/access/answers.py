"""Roads to what was answered before, by the answer's id: reading it again, and saying something of it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from ops.bench.access.attempts import Attempt, Proof, Road
from ops.bench.access.people import INSIDERS, MEMBERS
from ops.bench.access.talking import TALKS, proof_of
from ops.bench.access.world import Door, World


def _read_again(_: World) -> Iterator[Attempt]:
    for of, question, _after in TALKS:
        # whose answer cannot be read again for another reason, gets the same 404 as everybody
        proof = proof_of(of) if of in _READABLE else Proof.TAKEN
        yield Attempt(question, of, _again(question), proof=proof, before=question, before_by=INSIDERS)


_READABLE = frozenset({"memo", "both"})


def _spoken_of(_: World) -> Iterator[Attempt]:
    for of, question, _after in TALKS:
        yield Attempt(question, of, _said(question), proof=Proof.TAKEN)


def _again(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        return await door.get(f"/api/v1/answers/{await _answered(door, question)}")

    return take


def _said(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        answer_id = await _answered(door, question)
        said = {"answer_id": answer_id, "rating": "not_useful", "comment": "what did it say?"}
        return await door.post("/api/v1/feedback", said)

    return take


async def _answered(door: Door, question: str) -> str:
    """The id of what a member was answered: the asker himself, while he was one, or else another."""
    member = next((each for each in MEMBERS if each.person == door.asker.person), MEMBERS[0])
    reply = await Door(door.world, member).post("/api/v1/ask", {"question": question})
    return str(json.loads(reply.split("\n", 2)[2])["answer_id"])


def _description(_: World) -> Iterator[Attempt]:
    yield Attempt("the API's own description", "memo", _document, proof=Proof.TAKEN)


async def _document(door: Door) -> str:
    return await door.get("/api/v1/openapi.json")


ROADS = (
    Road("an answer read again", _read_again, ("GET /api/v1/answers/{answer_id}",)),
    Road("feedback on an answer", _spoken_of, ("POST /api/v1/feedback",)),
    Road("the API's description", _description, ("GET /api/v1/openapi.json",)),
)
