"""What operators restrict is restricted: from the next ingest on, in the store and in the index."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.catalogue import open_sources, read_catalogue
from ingest.run.pipeline import ingest
from ops.config import Config
from ops.wiring import open_answering, open_ingest
from rag_core.questions import Filters

NOBODY: frozenset[str] = frozenset()
LEGAL = frozenset({"legal"})
TODAY = datetime(2026, 6, 1, tzinfo=UTC)
TEXT = "# Kites\n\n## Strings\n\nAds for kites are allowed if they name the string.\n"
OLDER = "# Kites\n\n## Strings\n\nAds for kites are prohibited near airports.\n"


def catalogue(folder: Path, more: str) -> Path:
    path = folder / "catalogue.yaml"
    source = "sources:\n  - {id: a, type: folder, path: docs, policy_source: acme, display_name: Acme Ads"
    path.write_text(f"{source}{more}}}\n", encoding="utf-8")
    return path


async def read(config: Config, path: Path, now: datetime = TODAY) -> None:
    async with open_ingest(config) as parts:
        report = await ingest(open_sources(read_catalogue(path), path, parts.tools), parts, lambda: now)
    assert (report.failed, report.not_indexed) == ([], None)


async def seen(config: Config, groups: frozenset[str]) -> set[str]:
    """Everything that somebody gets of the documents, on whatever day."""
    async with open_answering(config) as answering:
        store = answering.store
        found = {each.doc_id for each in await store.versions(groups)}
        for day in (datetime(2025, 6, 1, tzinfo=UTC).date(), TODAY.date()):
            hits = await answering.search.search(
                "kites", filters=Filters(), today=TODAY.date(), as_of=day, groups=groups, limit=50
            )
            found |= {each.passage.chunk.doc_id for each in hits.results}
        texts = [each for each in found if await store.version_text(each, groups) is not None]
        assert set(texts) == found
        return found


def written(folder: Path, **files: str) -> None:
    (folder / "docs").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "docs" / f"{name.replace('_on_', '.').replace('_', '-')}.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "given", [", allowed_groups: [legal]", ", classification: restricted, allowed_groups: [Legal]"]
)
async def test_a_source_that_becomes_restricted_takes_away_all_that_it_still_has(tmp_path: Path, given: str) -> None:
    config = Config(data_dir=tmp_path / "data")
    written(tmp_path, kites_on_2025_01_01=OLDER, kites_on_2026_01_01=TEXT)
    await read(config, catalogue(tmp_path, ""))
    assert await seen(config, NOBODY) == {"acme_kites_2025-01-01", "acme_kites_2026-01-01"}
    await read(config, catalogue(tmp_path, given))
    assert await seen(config, NOBODY) == await seen(config, frozenset({"sales", "Legal"})) == set()
    assert len(await seen(config, LEGAL)) == 2
    await read(config, catalogue(tmp_path, ""))
    assert len(await seen(config, NOBODY)) == 2


async def test_restricted_without_groups_is_for_nobody(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path / "data")
    written(tmp_path, kites=TEXT)
    await read(config, catalogue(tmp_path, ", classification: restricted"))
    assert await seen(config, NOBODY) == await seen(config, LEGAL) == await seen(config, frozenset({"", "*"})) == set()


async def test_a_document_restricts_itself_and_what_was_public_stays_so_for_its_days(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path / "data")
    written(tmp_path, kites_on_2025_01_01=OLDER)
    await read(config, catalogue(tmp_path, ""))
    written(tmp_path, kites_on_2026_01_01=f"---\nallowed_groups: [legal]\n---\n{TEXT}")
    await read(config, catalogue(tmp_path, ""))
    assert await seen(config, NOBODY) == {"acme_kites_2025-01-01"}
    assert await seen(config, LEGAL) == {"acme_kites_2025-01-01", "acme_kites_2026-01-01"}
