"""`python -m ops audit show`: an answer as it was given, whether its quotes still stand, and what today's would be."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import RecordOfSubject, SqlAuditReading
from adapters.sql.policies.store import SqlKeptPassages
from bot.audit.entries import RecordKind, body_of
from bot.audit.exchanges import DEFAULTS, FILTERS, UNDERSTOOD
from bot.audit.replay import Standing, differences, quoted_chunks, standings
from ops.audit import wording
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_answering, open_engine
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, Filters

_REPLIES = frozenset({RecordKind.ANSWER.value, RecordKind.REFUSAL.value, RecordKind.CLARIFICATION.value})


@dataclass(frozen=True, slots=True)
class Shown:
    """What is on record of one answer: the records' bodies, with the personal values that are not forgotten."""

    reply: Mapping[str, Any]
    question: Mapping[str, Any] | None
    personal: Mapping[str, str]
    chain: str
    sequence: int

    @property
    def facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = self.reply["facts"]
        return facts


async def show(config: Config, answer_id: str, *, today: bool) -> int:
    """1 if a quote does not stand in the store any more. Raises Rejected("unknown_answer")."""
    async with open_engine(config) as engine:
        records = await SqlAuditReading(engine).of_subject(answer_id)
        if not records:
            raise Rejected("unknown_answer", answer_id=answer_id)
        shown = _shown(records)
        if shown is None:
            for each in records:
                print(wording.without_reply(body_of(each.canonical)))
            return 0
        print(wording.shown(shown.reply, shown.question, shown.personal, shown.chain, shown.sequence))
        stand = await _replay(engine, shown)
    if today:
        await _ask_today(config, shown)
    return 0 if stand else 1


def _shown(records: list[RecordOfSubject]) -> Shown | None:
    """None: the question got no reply."""
    bodies = [(each, body_of(each.canonical)) for each in records]
    reply = next(((each, body) for each, body in bodies if body["kind"] in _REPLIES), None)
    if reply is None:
        return None
    question = next((body for _, body in bodies if body["kind"] == RecordKind.QUESTION.value), None)
    exchange = [record for record, body in bodies if body["kind"] != RecordKind.FEEDBACK.value]
    personal = {name: each["value"] for record in exchange for name, each in (record.personal or {}).items()}
    return Shown(reply[1], question, personal, reply[0].chain, reply[0].sequence)


async def _replay(engine: AsyncEngine, shown: Shown) -> bool:
    """Whether every quote stands, byte for byte."""
    passages = await SqlKeptPassages(engine).passages(quoted_chunks(shown.facts))
    found = standings(shown.facts, passages)
    for doc_id in dict.fromkeys(each.doc_id for each in found):
        version = next((each.version for each in passages.values() if each.version.doc_id == doc_id), None)
        of_version = [each for each in found if each.doc_id == doc_id]
        print(wording.version_now(doc_id, version, of_version))
    return all(each.standing is Standing.STANDS for each in found)


async def _ask_today(config: Config, shown: Shown) -> None:
    """Nothing of it is recorded: nobody asks. Today, unless a day was asked for."""
    question = shown.personal.get(UNDERSTOOD)
    if question is None or shown.question is None:
        print(wording.NOT_ASKED_TODAY)
        return
    facts = shown.question["facts"]
    request = AskRequest(
        text=question,
        today=utc_now().date(),
        groups=frozenset(facts["groups"]),
        filters=_filters(shown.personal),
        as_of=date.fromisoformat(facts["as_of"]) if facts["as_of"] else None,
        top_k=facts["top_k"],
        defaults=_defaults(facts, shown.facts),
    )
    async with open_answering(config) as answering:
        reply, _ = await answering.asker.ask(request)
    print(wording.answered_today(differences(shown.reply["kind"], shown.facts, reply)))


def _defaults(asked: Mapping[str, Any], answered: Mapping[str, Any]) -> Filters:
    """Those that counted: the conversation that may have kept the others out is not asked again."""
    assumed, given = answered["scope"]["assumed"], asked.get(DEFAULTS, {})
    regions, sources = (tuple(given.get(name, ())) if name in assumed else () for name in ("regions", "policy_sources"))
    return Filters(policy_sources=sources, regions=regions)


def _filters(personal: Mapping[str, str]) -> Filters:
    """Those that were typed."""
    if FILTERS not in personal:
        return Filters()
    value = json.loads(personal[FILTERS])
    lists = {name: tuple(each) for name, each in value.items() if name != "labels"}
    return Filters(**lists, labels={key: tuple(each) for key, each in value["labels"].items()})
