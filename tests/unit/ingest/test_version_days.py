"""Days that documents and their sources state, from the file to the store."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ingest import wording
from ingest.model.report import no_progress
from ingest.parsers.parsed import ParseWarning
from ingest.ports import Discovered, RawDocument
from ingest.reader.contents import Contents, ReadingTask
from ingest.run.pipeline import ingest
from ingest.sources.git import GitHistorySource
from rag_core.documents import VersionStatus
from rag_core.errors import PolicyBotError
from tests.fakes.readers import ReaderHere
from tests.fakes.repository import FakeRepository
from tests.fakes.sources import ACME_DEFAULTS, FakeSource
from tests.fakes.workshop import Workshop

MAY = date(2026, 5, 1)
BEER = "# Beer\n\nAds for beer are restricted.\n"


class History(FakeSource):
    """Says of each document when it ended, as a git history does: in its revision and in the facts."""

    def __init__(self, documents: Mapping[str, str | bytes | PolicyBotError]) -> None:
        super().__init__({**documents})
        self.facts: dict[str, object] = {}
        self.revision = "1"

    async def discover(self) -> list[Discovered]:
        return [replace(item, revision=self.revision) for item in await super().discover()]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        raw = await super().fetch(item, known_revision)
        assert raw is not None
        return replace(raw, facts=self.facts, revision=self.revision)


class _Warning(ReaderHere):
    """Cannot read all of any document."""

    async def read(self, task: ReadingTask) -> Contents:
        return replace(await super().read(task), warnings=(ParseWarning("table_cut", {"rows": 3}),))


async def ends(workshop: Workshop) -> list[tuple[str, date | None]]:
    return [(each.status.value, each.effective_to) for each in await workshop.stored()]


async def test_a_document_that_its_source_ends_later_gets_an_end_and_nothing_else(workshop: Workshop) -> None:
    source = History({"beer.md": "# Beer\n\nAds for beer are restricted.\n"})
    source.facts = {"effective_from": "2026-05-01"}
    await workshop.run(source)
    source.revision, source.facts = "1 until 2026-05-20", {**source.facts, "effective_to": "2026-05-20"}

    report = await workshop.run(source)

    assert (report.changed, report.chunks, report.embedded, report.notes) == (1, 0, 0, [])
    assert await ends(workshop) == [("live", date(2026, 5, 20))]
    assert {each.chunk.effective_to for each in await workshop.passages()} == {date(2026, 5, 20)}
    again = await workshop.run(source)
    assert (again.changed, again.unchanged) == (0, 1)
    source.revision = "another word for the same"
    assert (await workshop.run(source)).changed == 0
    source.revision, source.facts = "1", {"effective_from": "2026-05-01"}
    assert (await workshop.run(source)).changed == 1
    assert await ends(workshop) == [("live", None)]


async def test_an_end_in_front_matter_stays_run_after_run(workshop: Workshop) -> None:
    text = "---\neffective_from: 2026-05-01\neffective_to: 2026-06-20\n---\nAds for beer are restricted.\n"
    await workshop.run(FakeSource({"beer.md": text}))
    workshop.wait(1)

    report = await workshop.run(FakeSource({"beer.md": text}))

    assert (report.changed, report.unchanged, report.notes) == (0, 1, [])
    assert await ends(workshop) == [("live", date(2026, 6, 20))]
    changed = text.replace("2026-05-01", "2026-06-02").replace("06-20", "07-20")
    await workshop.run(FakeSource({"beer.md": changed}))
    assert await ends(workshop) == [("live", date(2026, 6, 2)), ("live", date(2026, 7, 20))]


async def test_what_a_document_says_of_its_end_outweighs_its_source(workshop: Workshop) -> None:
    source = History({"beer.md": "---\neffective_to: 2026-08-01\n---\nAds for beer are restricted.\n"})
    await workshop.run(source)
    source.revision, source.facts = "2", {"effective_to": "2026-07-01"}

    assert (await workshop.run(source)).changed == 0
    assert await ends(workshop) == [("live", date(2026, 8, 1))]


async def test_an_end_before_the_beginning_is_refused(workshop: Workshop) -> None:
    text = "---\neffective_from: 2026-05-01\neffective_to: 2026-04-01\n---\nAds for beer are restricted.\n"

    report = await workshop.run(FakeSource({"beer.md": text}))

    (failure,) = report.failed
    assert (failure.code, failure.details["key"], failure.details["line"]) == (
        "front_matter_invalid",
        "effective_to",
        3,
    )


async def test_front_matter_names_what_it_supersedes(workshop: Workshop) -> None:
    old = {"old.md": "# Old\n\nAds for beer are forbidden.\n"}
    await workshop.run(FakeSource({**old}))
    workshop.wait(3)
    new = (
        "---\nsupersedes: [acme_old, acme_wine]\neffective_from: 2026-06-03\n---\n# New\n\nAds for beer are allowed.\n"
    )

    report = await workshop.run(FakeSource({**old, "new.md": new}))

    assert (report.new, report.changed) == (1, 1)
    assert [(note.code, note.details["name"]) for note in report.notes] == [("supersedes_unknown", "acme_wine")]
    stored = {each.document_id: each for each in await workshop.stored()}
    assert (stored["acme_old"].effective_to, stored["acme_old"].status) == (date(2026, 6, 3), VersionStatus.LIVE)
    assert stored["acme_new"].supersedes == stored["acme_old"].doc_id
    workshop.wait(1)
    again = await workshop.run(FakeSource({**old, "new.md": new}))
    assert (again.unchanged, again.changed, again.notes) == (2, 0, [])


async def test_other_text_under_the_same_day_is_refused_and_named(workshop: Workshop) -> None:
    text = "---\neffective_from: 2026-05-01\n---\nAds for beer are restricted.\n"
    await workshop.run(FakeSource({"beer.md": text}))
    source = FakeSource({"beer.md": text.replace("restricted", "allowed")})

    for _ in range(2):
        report = await workshop.run(source)
        assert [(each.origin, each.code, dict(each.details)) for each in report.failed] == [
            ("beer.md", "doc_id_taken", {"doc_id": "acme_beer_2026-05-01", "document_id": "acme_beer"})
        ]
        assert "--force acme_beer" in wording.failed(report.failed[0])
    assert await ends(workshop) == [("live", None)]

    forced = await ingest([source], workshop, lambda: workshop.now, no_progress, forced=frozenset({"acme_beer"}))

    assert (forced.changed, forced.failed) == (1, [])
    assert [(each.doc_id, each.status.value) for each in await workshop.stored()] == [
        ("acme_beer_2026-05-01", "retired"),
        ("acme_beer_2026-05-01.2", "live"),
    ]


@pytest.mark.parametrize("line", ["Effective 1 July 2026", "Last updated: 1 May 2026"])
async def test_a_day_in_the_text_is_the_day_from_which_it_holds(workshop: Workshop, line: str) -> None:
    text = f"# Beer policy\n\n{line}\n\n## Rules\n\nAds for beer are restricted.\n"
    await workshop.run(FakeSource({"beer.md": text}))
    workshop.wait(2)

    report = await workshop.run(FakeSource({"beer.md": text.replace("restricted", "allowed")}))

    days = [each.effective_from for each in await workshop.stored()]
    expected = [date(2026, 7, 1)] * 2 if "July" in line else [MAY, date(2026, 6, 3)]
    assert (days, report.failed) == (expected, [])
    assert [note.code for note in report.notes] == (["version_future"] if "July" in line else [])


async def test_what_a_parser_warns_of_is_noted_once(workshop: Workshop) -> None:
    source = FakeSource({"beer.html": "<h1>Beer</h1>" + "<div>" * 3 + "<p>Ads for beer.</p>"})
    warned = replace(workshop, reader=_Warning())

    assert [(each.origin, each.code, dict(each.details)) for each in (await warned.run(source)).notes] == [
        ("beer.html", "table_cut", {"rows": 3})
    ]
    assert (await warned.run(source)).notes == []


async def test_a_document_deleted_in_git_after_it_was_read_only_gets_its_end(
    workshop: Workshop, tmp_path: Path
) -> None:
    repository = FakeRepository(tmp_path / "policies")
    repository.commit(date(2026, 5, 1), {"beer.md": BEER, "wine.md": "# Wine\n\nAds for wine are restricted.\n"})

    def source() -> GitHistorySource:
        return GitHistorySource("acme-docs", str(repository.folder), ACME_DEFAULTS, cache=tmp_path / "cache")

    await workshop.run(source())
    repository.commit(date(2026, 5, 20), {"beer.md": None})

    report = await workshop.run(source())

    assert (report.changed, report.unchanged, report.chunks, report.failed) == (1, 1, 0, [])
    bounds = {each.document_id: (each.status.value, each.effective_to) for each in await workshop.stored()}
    assert bounds == {"acme_beer": ("live", date(2026, 5, 20)), "acme_wine": ("live", None)}
    assert (await workshop.run(source())).unchanged == 2
    repository.commit(date(2026, 5, 25), {"beer.md": BEER.replace("restricted", "allowed")})
    await workshop.run(source())
    days = [(each.effective_from, each.effective_to) for each in await workshop.stored() if "beer" in each.doc_id]
    assert days == [(date(2026, 5, 1), date(2026, 5, 20)), (date(2026, 5, 25), None)]
