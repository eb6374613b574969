"""Whose the entries of a spool are."""

from collections.abc import Mapping
from typing import Any

from bot import local_questions, unaudited, unrecorded
from bot.jsonable import jsonable
from bot.messages import Actor
from bot.ports import Spool
from bot.record.personal import PERSON

KINDS = (local_questions.KIND, unrecorded.KIND, unaudited.KIND)


async def spooled_of(spool: Spool, actor: Actor, person: str) -> list[tuple[str, str]]:
    """(kind, key) of entries that hold something of `actor`, whose pseudonym is `person`. Raises Unavailable."""
    found = []
    for kind in KINDS:
        async for key, entry in spool.entries(kind):
            if _is_of(kind, entry, actor, person):
                found.append((kind, key))
    return found


def _is_of(kind: str, entry: Mapping[str, Any], actor: Actor, person: str) -> bool:
    if kind == local_questions.KIND:
        question = entry.get("question")
        return isinstance(question, Mapping) and question.get("actor") == jsonable(actor)
    if kind == unrecorded.KIND:
        records = entry.get("entries") or ()
        return entry.get("person") == person or any(_records(each, actor) for each in records)
    return _records(entry, actor)


def _records(entry: Mapping[str, Any], actor: Actor) -> bool:
    personal = entry.get("personal") or {}
    return (entry.get("workspace"), personal.get(PERSON)) == (actor.workspace, actor.person)
