"""`--bot services` measures what the servers of the settings hold, as the embedded default is measured."""

import asyncio
from pathlib import Path

import pytest

from ops.cli import parse
from ops.config import Config
from ops.evaluation.command import GOLDEN, measured_report
from ops.evaluation.report import Report
from tests.fakes.indexes import opensearch_client
from tests.fakes.ingested import ingest_all
from tests.fakes.services import address_of

pytestmark = [pytest.mark.services, pytest.mark.timeout(900)]

IDS = tuple(f"sample-{number:03d}" for number in range(1, 9))


async def measured(config: Config, bot: str, cache: Path) -> Report:
    dataset = str(GOLDEN / "sample_questions.jsonl")
    given = ["evaluate", "--bot", bot, "--dataset", dataset, "--ids", *IDS, "--cache", str(cache)]
    return await measured_report(parse([*given, "--today", "2026-06-01"]), config)


def test_the_servers_answer_as_the_embedded_default_does(tmp_path: Path) -> None:
    async def both() -> tuple[Report, Report]:
        async with opensearch_client() as client:
            prefix, url = client.settings.prefix, address_of("opensearch")
            config = Config(data_dir=tmp_path / "data", opensearch_url=url, opensearch_index=prefix)
            await ingest_all(config)
            served = await measured(config, "services", tmp_path / "cache")
        return served, await measured(Config(), "embedded", tmp_path / "cache")

    served, embedded = (each.splits["dev"] for each in asyncio.run(both()))
    assert served.questions == len(IDS)
    for name in ("section_hit@5", "verdict_right", "citation_precision", "faithful"):
        assert served.figures[name].value == embedded.figures[name].value, name
