from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from ingest.indexing import drain
from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexedChunk, IndexEntry, IndexWriter, SourceDefaults
from ingest.sources.folder import FolderSource, sources_in
from rag_core.documents import Classification, PolicySource, VersionStatus
from rag_core.errors import Rejected, Unavailable
from rag_core.ports import Vector
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.sources import ACME_DEFAULTS, FakeSource
from tests.fakes.workshop import Workshop

BEER = "# Beer\n\nAds for beer are restricted.\n\n## Germany\n\nAudience aged 16 or over.\n"


async def test_documents_end_in_store_and_index(workshop: Workshop) -> None:
    source = FakeSource({"beer.md": BEER, "wine.html": "<h1>Wine</h1><p>Ads for wine are allowed.</p>"})

    report = await workshop.run(source)

    assert (report.new, report.changed, report.unchanged, report.removed, report.failed) == (2, 0, 0, 0, [])
    assert (report.chunks, report.embedded) == (3, 3)
    passages = await workshop.passages()
    indexed = await workshop.writer.indexed()
    assert indexed == {each.chunk.chunk_id: IndexedChunk(each.chunk.doc_id, fingerprint(each)) for each in passages}
    german = next(passage for passage in passages if passage.chunk.regions == ("de",))
    assert german.chunk.policy_path == "Beer > Germany"
    assert german.chunk.chunk_text == "Audience aged 16 or over."
    assert german.version.doc_id == "acme_beer_2026-06-01"
    assert german.version.title == "Beer"
    assert german.version.chunk_count == 2
    assert [each.slug for each in await workshop.store.sources(frozenset())] == ["acme"]
    assert source.closed == 1
    text = await workshop.store.version_text("acme_beer_2026-06-01", frozenset())
    assert text is not None
    assert text.text[german.chunk.char_start : german.chunk.char_end] == german.chunk.chunk_text


async def test_a_second_run_parses_and_embeds_nothing(workshop: Workshop) -> None:
    source = FakeSource({"beer.md": BEER})
    await workshop.run(source)
    workshop.wait(1)

    report = await workshop.run(source)

    assert (report.new, report.changed, report.unchanged, report.chunks) == (0, 0, 1, 0)
    assert workshop.embedder.embedded == []
    assert (await workshop.stored())[0].checked_at == workshop.now


async def test_only_changed_sections_are_embedded(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}))
    workshop.wait(3)

    report = await workshop.run(FakeSource({"beer.md": BEER.replace("16", "18")}))

    assert (report.changed, report.chunks, report.embedded) == (1, 2, 1)
    assert workshop.embedder.embedded == ["Beer > Germany\nAudience aged 18 or over."]
    first, second = await workshop.stored()
    assert (first.effective_to, second.effective_from, second.supersedes) == (
        date(2026, 6, 4),
        date(2026, 6, 4),
        first.doc_id,
    )
    assert {passage.chunk.effective_to for passage in await workshop.passages()} == {date(2026, 6, 4), None}


async def test_what_is_gone_is_retired_and_still_answers_for_its_days(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER, "wine.md": "Wine ads are allowed."}))
    workshop.wait(5)

    report = await workshop.run(FakeSource({"beer.md": BEER}))

    assert (report.unchanged, report.removed) == (1, 1)
    wine = next(version for version in await workshop.stored() if version.document_id == "acme_wine")
    assert (wine.status, wine.effective_to) == (VersionStatus.RETIRED, date(2026, 6, 6))
    assert wine.doc_id in {each.doc_id for each in (await workshop.writer.indexed()).values()}


async def test_what_cannot_be_read_is_named_and_the_rest_goes_on(workshop: Workshop) -> None:
    source = FakeSource(
        {
            "beer.md": BEER,
            "binary.md": b"a\x00b",
            "empty.md": "\n",
            "latin.md": b"caf\xe9",
            "matter.md": "---\nregions: [atlantis]\n---\nx",
            "away.md": Unavailable("source_down"),
        }
    )

    report = await workshop.run(source)

    assert report.new == 1
    assert [(failure.origin, failure.code, failure.operator) for failure in report.failed] == [
        ("away.md", "source_down", False),
        ("binary.md", "document_binary", False),
        ("empty.md", "document_empty", False),
        ("latin.md", "not_utf8", False),
        ("matter.md", "front_matter_invalid", False),
    ]


async def test_a_document_that_breaks_stays_as_it_was(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER, "wine.md": "x"}))
    workshop.wait(1)

    report = await workshop.run(FakeSource({"beer.md": b"\x00", "wine.md": "x"}))

    assert (report.removed, len(report.failed)) == (0, 1)
    assert all(version.status is VersionStatus.LIVE for version in await workshop.stored())


async def test_a_source_that_is_empty_or_missing_removes_nothing(workshop: Workshop, tmp_path: Path) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}))

    report = await workshop.run(FakeSource({}), FolderSource("gone", tmp_path / "gone", ACME_DEFAULTS))

    assert [(failure.code, failure.operator) for failure in report.failed] == [
        ("source_empty", False),
        ("source_folder_missing", True),
    ]
    assert (await workshop.stored())[0].status is VersionStatus.LIVE


async def test_facts_of_a_document_and_of_its_source(workshop: Workshop) -> None:
    defaults = replace(
        ACME_DEFAULTS,
        region="uk",
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal"}),
        labels={"stage": "live", "team": "a"},
    )
    document = (
        "---\ntitle: Stout\ndocument_id: acme_stout\neffective_from: 2025-01-02\nurl: https://acme.example/s\n"
        "labels: {team: b}\n---\n# S\n\nx\n"
    )

    await workshop.run(FakeSource({"beer.md": document}, defaults=defaults))

    (version,) = await workshop.stored()
    assert (version.doc_id, version.title, version.url) == ("acme_stout_2025-01-02", "Stout", "https://acme.example/s")
    assert version.classification is Classification.RESTRICTED
    assert version.allowed_groups == frozenset({"legal"})
    assert version.labels == {"stage": "live", "team": "b"}
    assert {passage.chunk.regions for passage in await workshop.passages()} == {("uk",)}


async def test_groups_without_a_classification_restrict(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": "---\nallowed_groups: [legal]\n---\nx"}))

    assert (await workshop.stored())[0].classification is Classification.RESTRICTED


async def test_a_source_that_is_restricted_later_restricts_what_is_stored(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}))
    restricted = replace(ACME_DEFAULTS, classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))

    report = await workshop.run(FakeSource({"beer.md": BEER}, defaults=restricted))

    assert (report.changed, report.embedded) == (1, 0)
    assert await workshop.store.versions(frozenset(), "acme_beer") == [] or all(
        version.effective_to == version.effective_from
        for version in await workshop.store.versions(frozenset(), "acme_beer")
    )


async def test_a_document_names_its_own_publisher_where_the_source_only_guesses(workshop: Workshop) -> None:
    document = "---\npolicy_source: brew\n---\n# Beer\n\nx\n"
    guessed = SourceDefaults(PolicySource("docs", "Docs"), guessed=True)

    await workshop.run(FakeSource({"beer.md": document}, "one", guessed), FakeSource({"ale.md": document}, "two"))

    assert [version.document_id for version in await workshop.stored("one")] == ["brew_beer"]
    assert [version.document_id for version in await workshop.stored("two")] == ["acme_ale"]


async def test_an_id_that_another_source_uses_is_refused_and_named(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}))

    report = await workshop.run(FakeSource({"beer.md": "# Other\n\nx\n", "ale.md": "y"}, "second"))

    assert report.new == 1
    assert [(failure.origin, failure.code) for failure in report.failed] == [("acme_beer", "doc_id_exists")]


async def test_a_dry_run_writes_nothing_and_tells_what_would_be(workshop: Workshop) -> None:
    report = await workshop.run(FakeSource({"beer.md": BEER}), dry_run=True)

    assert (report.new, report.chunks, report.embedded) == (1, 2, 2)
    assert workshop.embedder.embedded == []
    assert await workshop.stored() == []


class _Tired(FakeEmbedder):
    """Stops answering after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls = calls
        self.sizes: list[int] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self._calls -= 1
        self.sizes.append(len(texts))
        if self._calls < 0:
            raise Unavailable("embedder_failed")
        return await super().embed(texts)


def _long(goods: str, sections: int) -> str:
    return "\n\n".join(f"## {goods} {at}\n\nAds for {goods} of kind {at} are restricted." for at in range(sections))


async def test_a_run_that_dies_goes_on_where_it_was(workshop: Workshop) -> None:
    source = FakeSource({"a.md": _long("ale", 40), "b.md": _long("beer", 40), "c.md": _long("cider", 40)})
    tired = replace(workshop, embedder=_Tired(2))
    with pytest.raises(Unavailable, match="embedder_failed"):
        await tired.run(source)
    assert len(await workshop.stored()) == 2
    assert await workshop.writer.indexed() == {}

    report = await workshop.run(source)

    assert (report.new, report.unchanged, report.embedded) == (1, 2, 40)
    assert len(await workshop.writer.indexed()) == 120
    assert await workshop.outbox.pending(10) == []


async def test_short_documents_share_a_call_of_the_model(workshop: Workshop) -> None:
    sizes = {"a": 3, "b": 30, "c": 30, "d": 2, "e": 100}
    shared = replace(workshop, embedder=_Tired(10))
    report = await shared.run(FakeSource({f"{goods}.md": _long(goods, count) for goods, count in sizes.items()}))
    assert isinstance(shared.embedder, _Tired)
    assert shared.embedder.sizes == [63, 2, 64, 36]
    assert (report.new, report.chunks, report.embedded) == (5, 165, 165)


class _Squeamish(FakeEmbedder):
    """Refuses texts with a word in them."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if any("beer" in text for text in texts):
            raise Rejected("text_refused")
        return await super().embed(texts)


async def test_a_document_that_the_model_refuses_takes_none_with_it(workshop: Workshop) -> None:
    picky = replace(workshop, embedder=_Squeamish())
    report = await picky.run(FakeSource({f"{goods}.md": _long(goods, 2) for goods in ("ale", "beer", "cider")}))
    assert [(each.origin, each.code) for each in report.failed] == [("acme_beer", "text_refused")]
    assert (report.new, report.chunks, report.embedded) == (2, 4, 4)
    assert [each.document_id for each in await workshop.stored()] == ["acme_ale", "acme_cider"]


class _Picky:
    """An index writer that refuses one version, when it is written and in a rebuild."""

    def __init__(self, writer: IndexWriter, refused: str) -> None:
        self._writer = writer
        self._refused = refused

    async def write(self, doc_id: str, entries: Sequence[IndexEntry]) -> None:
        if doc_id == self._refused:
            raise Rejected("wrong_dimensions")
        await self._writer.write(doc_id, entries)

    async def commit(self) -> Mapping[str, str]:
        return await self._writer.commit()

    async def rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> Mapping[str, str]:
        await self._writer.rebuild(self._taken(entries))
        return {self._refused: "wrong_dimensions"}

    async def _taken(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> AsyncIterator[Sequence[IndexEntry]]:
        async for batch in entries:
            yield [each for each in batch if each.passage.chunk.doc_id != self._refused]

    async def indexed(self) -> Mapping[str, IndexedChunk]:
        return await self._writer.indexed()

    async def is_current(self) -> bool:
        return await self._writer.is_current()


@pytest.mark.parametrize("before", [{}, {"ale.md": "y"}], ids=["the first ingest", "an index that exists"])
async def test_what_cannot_be_indexed_holds_up_nothing_else(workshop: Workshop, before: dict[str, str]) -> None:
    if before:
        await workshop.run(FakeSource({**before}))
    assert await workshop.writer.is_current() is bool(before)
    picky = replace(workshop, writer=_Picky(workshop.writer, "acme_beer_2026-06-01"))

    report = await picky.run(FakeSource({**before, "beer.md": BEER, "wine.md": "x"}))

    assert report.not_indexed is None
    indexed = await workshop.writer.indexed()
    others = {"acme_wine_2026-06-01"} | {"acme_ale_2026-06-01" for _ in before}
    assert {each.doc_id for each in indexed.values()} == others
    lag = await workshop.outbox.lag()
    assert (lag.waiting, lag.failing, lag.last_reason) == (1, 1, "wrong_dimensions")
    written = await drain(workshop.outbox, workshop.embeddings, workshop.writer, workshop.embedder)
    assert written == 0  # its turn is later


@pytest.mark.shared_data
async def test_real_documents(workshop: Workshop, shared_data: Path) -> None:
    sources = [*sources_in(shared_data / "ad-policies" / "current"), *sources_in(shared_data / "github-site-policy")]

    report = await workshop.run(*sources)

    assert (report.new, report.failed) == (61, [])
    slugs = [each.slug for each in await workshop.store.sources(frozenset())]
    assert slugs == ["github_site_policy", "pinterest", "reddit", "taboola", "telegram"]
    chunks = [passage.chunk for passage in await workshop.passages()]
    assert all(workshop.embedder.count_tokens(chunk.search_text) <= 256 for chunk in chunks)
    regions = {chunk.policy_path.rsplit(" > ", 1)[-1]: chunk.regions for chunk in chunks}
    assert regions["Australia"] == ("au",)  # glued to the sentence before it
    assert regions["Sweden, Norway, Finland"] == ("se", "no", "fi")
    assert regions["High Fat, Salt, Sugar Food and Drinks (UK)"] == ("uk",)
    assert regions["Trade sanctions"] == ("global",)
    assert regions["French"] == ("global",)


@pytest.mark.shared_data
async def test_real_versions_become_histories(workshop: Workshop, shared_data: Path) -> None:
    report = await workshop.run(*sources_in(shared_data / "ad-policies" / "versions"))

    assert (report.new, report.failed) == (4, [])
    versions = await workshop.store.versions(frozenset(), "reddit_policy")
    assert [version.effective_from for version in versions][:2] == [date(2026, 2, 26), date(2026, 2, 27)]
    assert all(one.effective_to == other.effective_from for one, other in pairwise(versions))
    assert versions[-1].effective_to is None
