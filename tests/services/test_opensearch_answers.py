"""The same answers from OpenSearch as from the embedded default: statements and citations, in order.

Without the rule reader, which a busy machine may cut short: that verdicts agree is in `test_evaluate_services.py`.
"""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ops.config import Config
from ops.wiring import open_answering
from rag_core.answers import Answer, Reply
from rag_core.questions import AskRequest, Turn
from tests.fakes.indexes import opensearch_client
from tests.fakes.ingested import ingest_all
from tests.fakes.services import address_of

pytestmark = [pytest.mark.services, pytest.mark.timeout(900)]

QUESTIONS = Path(__file__).parents[1] / "golden" / "sample_questions.jsonl"
TODAY = date(2026, 6, 1)
LEGAL = frozenset({"legal"})
SOME_TIME = datetime(2026, 6, 1, tzinfo=UTC)


async def replies(config: Config) -> dict[str, Reply]:
    """To every question of the golden file, for nobody in particular and for the legal group."""
    await ingest_all(config)
    golden = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    async with open_answering(config) as answering:
        asker = answering.asker
        found = {}
        for each in golden:
            history = tuple(Turn(**turn) for turn in each.get("history", ()))
            as_of = date.fromisoformat(each["as_of"]) if each.get("as_of") else None
            for groups in (frozenset(), LEGAL):
                asked = AskRequest(each["question"], TODAY, groups, history=history, as_of=as_of)
                found[f"{sorted(groups)} {each['id']} {each['question']}"] = (await asker.ask(asked))[0]
        return found


def shown(reply: Reply) -> object:
    """What somebody would see of it; each index was filled at a time of its own."""
    if not isinstance(reply, Answer):
        return reply
    citations = [replace(each, checked_at=SOME_TIME) for each in reply.citations]
    return reply.verdict, reply.verdicts, reply.statements, citations, reply.not_stated


def test_a_hundred_questions_are_answered_alike(tmp_path: Path) -> None:
    async def both() -> tuple[dict[str, Reply], dict[str, Reply]]:
        async with opensearch_client() as client:
            cluster = Config(
                data_dir=tmp_path / "cluster",
                opensearch_url=address_of("opensearch"),
                opensearch_index=client.settings.prefix,
                rule_reader="none",
            )
            return await replies(Config(data_dir=tmp_path / "local", rule_reader="none")), await replies(cluster)

    embedded, served = asyncio.run(both())
    assert len(embedded) == 200
    different = [name for name, reply in embedded.items() if shown(reply) != shown(served[name])]
    assert different == []
