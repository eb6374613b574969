"""What is fetched again, and when a document that is missing counts as gone."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ingest.ports import Discovered, RawDocument
from rag_core.documents import VersionStatus
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from tests.fakes.sources import ACME_DEFAULTS, FakeSource
from tests.fakes.workshop import Workshop, open_workshop


class Website(FakeSource):
    """Says of each document in which state it is: `revisions`, before it is fetched; `etags`, only when asked."""

    def __init__(self, documents: dict[str, str | bytes | PolicyBotError], misses: int = 1) -> None:
        super().__init__({**documents}, defaults=replace(ACME_DEFAULTS, misses=misses))
        self.revisions: dict[str, str] = {}
        self.etags: dict[str, str] = {}
        self.fetched: list[str] = []
        self.facts: dict[str, object] = {}

    async def discover(self) -> list[Discovered]:
        return [replace(item, revision=self.revisions.get(item.origin)) for item in await super().discover()]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        if known_revision is not None and known_revision == self.etags.get(item.origin):
            return None
        self.fetched.append(item.origin)
        raw = await super().fetch(item, known_revision)
        assert raw is not None
        return replace(raw, revision=self.etags.get(item.origin), facts=self.facts)


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with open_workshop(tmp_path) as opened:
        yield opened


async def test_what_has_the_same_revision_is_not_fetched(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads.", "b.md": "Beer ads."})
    site.revisions = {"a.md": "1", "b.md": "1"}
    await workshop.run(site)
    site.fetched.clear()
    site.revisions["b.md"] = "2"
    site.documents["b.md"] = "Bock ads."
    report = await workshop.run(site)
    assert site.fetched == ["b.md"]
    assert (report.unchanged, report.changed) == (1, 1)
    assert (await workshop.run(site)).unchanged == 2
    assert site.fetched == ["b.md"]


async def test_what_the_site_calls_not_modified_is_unchanged(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads."})
    site.etags = {"a.md": '"x"'}
    await workshop.run(site)
    assert (await workshop.run(site)).unchanged == 1
    assert site.fetched == ["a.md"]


async def test_what_failed_is_fetched_again_though_its_revision_is_the_same(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads."})
    site.revisions = {"a.md": "1"}
    await workshop.run(site)
    site.revisions = {"a.md": "2"}
    site.documents["a.md"] = Unavailable("source_busy")
    assert [each.code for each in (await workshop.run(site)).failed] == ["source_busy"]
    assert (await workshop.states.known(site.source_id))["a.md"].failures == 1
    site.documents["a.md"] = "Amber ale ads."
    workshop.now += timedelta(minutes=6)
    assert (await workshop.run(site)).changed == 1
    assert (await workshop.states.known(site.source_id))["a.md"].failures == 0


async def test_what_does_not_answer_is_left_alone_longer_each_time(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads.", "b.md": "Beer ads."})
    await workshop.run(site)
    site.documents["a.md"] = Unavailable("source_busy")
    began, tries = workshop.now, []
    for minute in range(0, 200, 5):
        workshop.now = began + timedelta(minutes=minute)
        before = len(site.fetched)
        report = await workshop.run(site)
        assert [each.code for each in report.failed] == ["source_busy"]
        assert report.removed == 0
        if site.fetched[before:].count("a.md"):
            tries.append(minute)
    assert tries == [0, 5, 15, 35, 75, 155]
    site.documents["a.md"] = "Amber ale ads."
    site.revisions["a.md"] = "2"  # it says of itself that it has changed
    assert (await workshop.run(site)).changed == 1


async def test_what_can_never_be_read_is_looked_at_in_every_run(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads.", "b.md": Rejected("document_too_large")})
    for _ in range(2):
        assert [each.code for each in (await workshop.run(site)).failed] == ["document_too_large"]
    site.documents["b.md"] = "Beer ads."
    assert (await workshop.run(site)).new == 1


async def test_what_would_be_read_otherwise_is_fetched_again(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads."})
    site.revisions = {"a.md": "1"}
    await workshop.run(site)
    other = Website({"a.md": "Ale ads."})
    other._defaults = replace(ACME_DEFAULTS, region="uk")
    other.revisions = site.revisions
    await workshop.run(other)
    assert other.fetched == ["a.md"]


async def test_a_page_that_is_missing_once_is_no_loss(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads.", "b.md": "Beer ads."}, misses=3)
    await workshop.run(site)
    page = site.documents.pop("b.md")
    for _ in range(2):
        assert (await workshop.run(site)).removed == 0
    site.documents["b.md"] = page
    assert (await workshop.run(site)).unchanged == 2
    del site.documents["b.md"]
    for _ in range(2):
        assert (await workshop.run(site)).removed == 0
    assert (await workshop.run(site)).removed == 1
    gone = [each for each in await workshop.stored() if each.origin == "b.md"]
    assert [each.status for each in gone] == [VersionStatus.RETIRED]
    assert list(await workshop.states.known(site.source_id)) == ["a.md"]


async def test_what_the_source_knows_stands_where_the_document_is_silent(workshop: Workshop) -> None:
    site = Website({"a.md": "---\ntitle: Ale\n---\n\nAle ads."})
    site.facts = {"title": "From the source", "author": "somebody", "effective_from": "2025-02-03"}
    await workshop.run(site)
    [version] = await workshop.stored()
    assert (version.title, version.author, str(version.effective_from)) == ("Ale", "somebody", "2025-02-03")
    site.documents["b.md"] = "---\neffective_date: 2026-01-01\nlabels: {stage: live}\n---\n\nBeer ads."
    site.facts = {**site.facts, "labels": {"stage": "draft", "kind": "rule"}}
    await workshop.run(site)
    beer = next(each for each in await workshop.stored() if each.origin == "b.md")
    assert (str(beer.effective_from), beer.labels) == ("2026-01-01", {"stage": "live", "kind": "rule"})
    site.facts = {**site.facts, "author": "somebody else"}
    assert (await workshop.run(site)).changed == 2


async def test_the_bytes_of_every_version_are_kept(workshop: Workshop) -> None:
    await workshop.run(Website({"a.md": "Ale ads."}))
    [version] = await workshop.stored()
    assert await workshop.raw_files.read(version.sha256) == b"Ale ads."


async def test_a_dry_run_remembers_nothing(workshop: Workshop) -> None:
    site = Website({"a.md": "Ale ads."})
    site.revisions = {"a.md": "1"}
    await workshop.run(site, dry_run=True)
    assert await workshop.states.known(site.source_id) == {}
