"""Roads through what was said before, by the id of somebody else's conversation."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.people import INSIDERS, MEMBERS
from tests.security.access.world import Door, World

TALKS = (
    ("memo", "can I advertise vexolune on Tarrow", "and in Norway?"),
    ("memo", "what does the Vexolune memorandum say about sellers", "what about video ads?"),
    ("platform", "can I advertise kilnware on Zorblat", "and for ovens?"),
    ("twist", "can I advertise alcohol in Iceland on Tarrow", "why?"),
    ("copy", "are parcel lockers allowed on Tarrow", "what about returns?"),
    ("both", "can I advertise granmoth hesperquil on Tarrow", "and in France?"),
    ("closed", "are solvarine rockets allowed on Moorle", "what changed since 2024?"),
)
"""What a member asks, and what is asked after it. The words of the first are no news to those who read the thread, but
nobody else is answered from them."""


def _conversation_ids(_: World) -> Iterator[Attempt]:
    for of, before, question in TALKS:
        take = _with_id(before, question)
        yield Attempt(f"{before} / {question}", of, take, question, proof_of(of), before=before, before_by=INSIDERS)


def proof_of(of: str) -> Proof:
    """The member himself goes on, and is answered from what he said."""
    return Proof.TAKEN if of == "closed" else Proof.HIDDEN


def _with_id(before: str, question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        here = str(uuid.uuid4())
        member = next((each for each in MEMBERS if each.person == door.asker.person), MEMBERS[0])
        await Door(door.world, member).post("/api/v1/ask", {"question": before, "conversation_id": here})
        return await door.post("/api/v1/ask", {"question": question, "conversation_id": here})

    return take


ROADS = (Road("another's conversation id", _conversation_ids),)
