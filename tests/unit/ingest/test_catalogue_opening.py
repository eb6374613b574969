import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.catalogue import open_sources, read_catalogue
from ingest.catalogue.opening import SourceTools
from ingest.catalogue.selecting import SelectedPages, Selection, check_selector
from ingest.fetching.fetcher import Fetcher
from ingest.ports import Discovered, RawDocument, SourceDefaults
from ingest.reader.parsing import parse
from ingest.sources.discourse import DiscourseSource
from ingest.sources.folder import FolderSource
from ingest.sources.git import GitHistorySource
from ingest.sources.json_lines import JsonLinesSource
from ingest.sources.website import WebsiteSource
from rag_core.errors import Misconfigured, Rejected
from tests.fakes.site import serving_site
from tests.fakes.sources import ACME_DEFAULTS

NAMES = "    policy_source: acme\n    display_name: Acme Ads\n"
ALL = (
    "sources:\n"
    "  - id: a\n    type: folder\n    path: docs\n" + NAMES + "  - id: b\n    type: website\n"
    "    start_urls: [https://acme.example/ads/]\n" + NAMES + "  - id: c\n    type: website\n"
    "    start_urls: [https://acme.example/ads/]\n    selectors: {content: main}\n" + NAMES + "  - id: d\n"
    "    type: git\n    repository: history\n" + NAMES + "  - id: e\n    type: discourse\n"
    "    address: https://forum.example\n    topics: [1]\n"
    + NAMES
    + "  - id: f\n    type: jsonl\n    path: x.jsonl\n"
    + NAMES
)


def written(folder: Path, text: str) -> Path:
    path = folder / "catalogue.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_type_opens_its_source(tmp_path: Path) -> None:
    path = written(tmp_path, ALL)

    sources = open_sources(read_catalogue(path), path, SourceTools(Fetcher("adpolicy/1.0"), tmp_path / "cache"))

    assert [type(source) for source in sources] == [
        FolderSource,
        WebsiteSource,
        SelectedPages,
        GitHistorySource,
        DiscourseSource,
        JsonLinesSource,
    ]
    assert [source.source_id for source in sources] == list("abcdef")
    assert {source.defaults.policy_source.slug for source in sources} == {"acme"}
    assert [source.defaults.misses for source in sources] == [1, 3, 3, 1, 3, 1]


async def test_a_repository_beside_the_catalogue_is_read_where_it_is(tmp_path: Path) -> None:
    place = tmp_path / "history"
    await asyncio.to_thread(_committed, place)
    path = written(tmp_path, "sources:\n  - id: d\n    type: git\n    repository: history\n" + NAMES)

    (source,) = open_sources(read_catalogue(path), path, SourceTools(Fetcher("adpolicy/1.0"), tmp_path / "cache"))

    (item,) = await source.discover()
    raw = await source.fetch(item)
    await source.aclose()
    assert raw is not None
    assert raw.content == b"# Beer\n\nNo ads.\n"
    assert raw.facts["effective_from"] == "2025-05-06"


async def test_a_private_network_is_read_only_by_the_source_that_names_it(tmp_path: Path) -> None:
    async with serving_site() as site:
        site.pages["/a.jsonl"] = '{"id": "a", "text": "No ads for beer."}\n'
        head = f"    type: jsonl\n    address: {site.url}/a.jsonl\n"
        opened = f"  - id: opened\n{head}    private_networks: [127.0.0.0/8]\n{NAMES}"
        other = f"  - id: other\n{head}    private_networks: [10.0.0.0/8]\n{NAMES}"
        path = written(tmp_path, f"sources:\n{opened}{other}  - id: shut\n{head}{NAMES}")
        fetcher = Fetcher("adpolicy/1.0")
        try:
            sources = open_sources(read_catalogue(path), path, SourceTools(fetcher, tmp_path / "cache"))
            assert len(await sources[0].discover()) == 1
            for source in sources[1:]:
                with pytest.raises(Rejected, match="address_not_public"):
                    await source.discover()
        finally:
            await fetcher.aclose()


def test_a_network_that_is_none_is_named(tmp_path: Path) -> None:
    wrong = "    private_networks: [10.0.0.0/99]\n"
    path = written(
        tmp_path, f"sources:\n  - id: f\n    type: jsonl\n    address: https://acme.example/a\n{wrong}{NAMES}"
    )
    with pytest.raises(Misconfigured) as caught:
        read_catalogue(path)
    assert caught.value.details["line"] == 5


def _committed(place: Path) -> None:
    place.mkdir()
    (place / "beer.md").write_text("# Beer\n\nNo ads.\n", encoding="utf-8")
    who = ["-c", "user.name=acme", "-c", "user.email=acme@acme.example"]
    day = {
        "GIT_COMMITTER_DATE": "2025-05-06T12:00:00Z",
        "GIT_AUTHOR_DATE": "2025-05-06T12:00:00Z",
        "PATH": "/usr/bin:/bin",
    }
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=place, env=day, check=True)


def test_what_lies_on_the_network_needs_tools(tmp_path: Path) -> None:
    path = written(tmp_path, "sources:\n  - id: b\n    type: website\n    start_urls: [https://a.example/]\n" + NAMES)

    with pytest.raises(Misconfigured, match="source_tools_missing") as caught:
        open_sources(read_catalogue(path), path)

    assert caught.value.details == {"source_id": "b", "type": "website"}


PAGE = (
    "<html><head><title>Beer</title></head><body><nav>Menu</nav><div class='text'><p>No ads f\u00fcr beer.</p>"
    "<div class='text'>Nested.</div><p class='share'>Share</p></div><div class='text'>More.</div></body></html>"
)


class FakePages:
    """`ingest.ports.Source` with one page at a revision."""

    def __init__(self, page: str, mime_type: str = "text/html; charset=latin-1") -> None:
        self.page = page
        self.mime_type = mime_type
        self.asked: list[str | None] = []
        self.is_closed = False

    source_id = "pages"
    defaults: SourceDefaults = ACME_DEFAULTS

    async def discover(self) -> Sequence[Discovered]:
        return [Discovered("https://a.example/beer", "beer", "v1"), Discovered("https://a.example/x", "x")]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        self.asked.append(known_revision)
        if known_revision == "v1":
            return None
        return RawDocument(item.origin, item.file_name, self.page.encode("latin-1"), self.mime_type, revision="v1")

    async def aclose(self) -> None:
        self.is_closed = True


async def test_a_page_is_narrowed_to_what_is_selected() -> None:
    pages = FakePages(PAGE)
    source = SelectedPages(pages, Selection(".text", (".share",)))

    first, second = await source.discover()
    raw = await source.fetch(first)

    assert raw is not None
    assert raw.content.decode() == (
        "<!doctype html><html><head><title>Beer</title></head><body><main>"
        '<div class="text"><p>No ads f\u00fcr beer.</p><div class="text">Nested.</div></div>\n'
        '<div class="text">More.</div>'
        "</main></body></html>"
    )
    assert raw.mime_type == "text/html; charset=utf-8"
    assert raw.revision == first.revision
    assert second.revision is None
    assert (source.source_id, source.defaults) == ("pages", ACME_DEFAULTS)
    await source.aclose()
    assert pages.is_closed


async def test_an_unchanged_page_is_not_read_unless_the_selection_changed() -> None:
    pages = FakePages(PAGE)
    source = SelectedPages(pages, Selection(".text"))
    first = (await source.discover())[0]

    assert await source.fetch(first, first.revision) is None
    other = SelectedPages(pages, Selection("body"))
    assert await other.fetch(first, first.revision) is not None
    assert pages.asked == ["v1", None]


async def test_without_content_only_what_is_dropped_is_missing() -> None:
    kept = await SelectedPages(FakePages(PAGE), Selection(None, ("nav",))).fetch(Discovered("a", "a"))
    assert kept is not None
    assert b"Menu" not in kept.content
    assert b"Nested." in kept.content


async def test_a_page_without_what_is_selected_is_a_failure() -> None:
    source = SelectedPages(FakePages(PAGE), Selection("article"))

    with pytest.raises(Rejected, match="selector_matches_nothing") as caught:
        await source.fetch(Discovered("https://a.example/beer", "beer"))

    assert caught.value.details == {"selector": "article", "url": "https://a.example/beer"}


async def test_other_formats_stay_as_they_are() -> None:
    raw = await SelectedPages(FakePages("%PDF", "application/pdf"), Selection("main")).fetch(Discovered("a", "a"))

    assert raw is not None
    assert (raw.content, raw.mime_type) == (b"%PDF", "application/pdf")


def test_selectors_are_checked() -> None:
    assert check_selector("main > .text") == "main > .text"
    with pytest.raises(ValueError, match="no CSS selector"):
        check_selector("main[[")


async def test_a_charset_that_only_the_page_names() -> None:
    markup = '<html><head><meta charset="windows-1252"></head><body><div class="text">Für alle.</div></body></html>'
    source = SelectedPages(FakePages(markup, mime_type="text/html"), Selection(".text"))

    raw = await source.fetch((await source.discover())[0])

    assert raw is not None
    assert "Für alle." in raw.content.decode()
    assert parse(raw.content, raw.mime_type).blocks[0].text == "Für alle."
