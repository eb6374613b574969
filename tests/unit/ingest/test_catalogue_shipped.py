"""The catalogues that come with the program."""

from datetime import timedelta
from pathlib import Path

import pytest
from yarl import URL

from ingest.catalogue import open_sources, read_catalogue
from ingest.catalogue.entries import Catalogue, GitEntry, WebsiteEntry
from ingest.catalogue.opening import SourceTools
from ingest.fetching.fetcher import Fetcher
from ingest.sources.web_addresses import WebScope

FOLDER = Path(__file__).resolve().parents[3] / "ingest" / "catalogues"
FILES = sorted(FOLDER.glob("*.yaml"))
PLATFORMS = {
    *("google", "meta", "microsoft", "linkedin", "tiktok", "x", "snapchat", "pinterest", "reddit", "amazon"),
    *("spotify", "cap"),
}


def catalogues() -> list[Catalogue]:
    return [read_catalogue(path) for path in FILES]


def test_every_platform_has_one() -> None:
    assert {entry.policy_source for catalogue in catalogues() for entry in catalogue.sources} >= PLATFORMS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_can_be_opened_and_says_when_and_for_whom(path: Path, tmp_path: Path) -> None:
    catalogue = read_catalogue(path)

    sources = open_sources(catalogue, path, SourceTools(Fetcher("adpolicy/1.0"), tmp_path))

    assert [source.source_id for source in sources] == [entry.id for entry in catalogue.sources]
    for entry in catalogue.sources:
        assert entry.schedule is not None
        assert entry.labels["audience"] == "advertiser"
        assert isinstance(entry, (WebsiteEntry, GitEntry))
        assert entry.jitter >= timedelta(minutes=10)  # many installations, one catalogue
        assert isinstance(entry, GitEntry) or (entry.misses >= 3 and entry.most_pages <= 1_000)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_comment_says_since_when_its_addresses_are_unchecked(path: Path) -> None:
    head = path.read_text(encoding="utf-8").partition("sources:")[0]

    assert "2026-11-22" in head
    assert "fetched" in head


def websites() -> list[WebsiteEntry]:
    return [entry for catalogue in catalogues() for entry in catalogue.sources if isinstance(entry, WebsiteEntry)]


@pytest.mark.parametrize("entry", websites(), ids=lambda entry: entry.id)
def test_a_website_is_read_over_https_and_no_further_than_its_policies(entry: WebsiteEntry) -> None:
    scope = WebScope(entry.start_urls, entry.allowed_paths)

    assert all(URL(start).scheme == "https" for start in entry.start_urls)
    assert all(scope.holds(start) for start in scope.starts)
    for start in scope.starts:
        site = URL(start).origin()
        assert not scope.holds(str(site / ""))
        assert not scope.holds(str(site / "login"))
        assert not scope.holds("https://other.example" + URL(start).path)


def test_the_same_policy_source_has_the_same_name_everywhere() -> None:
    entries = [entry for catalogue in catalogues() for entry in catalogue.sources]

    assert len({entry.id for entry in entries}) == len(entries)
    names = {(entry.policy_source, entry.display_name, entry.aliases) for entry in entries}
    assert len(names) == len({entry.policy_source for entry in entries})


def test_pages_of_the_same_site_in_other_languages_are_not_read() -> None:
    (google,) = (entry for entry in websites() if entry.policy_source == "google")
    scope = WebScope(google.start_urls, google.allowed_paths)

    held = [
        path
        for path in ("answer/6008942", "answer/6008942?hl=en", "answer/6008942?hl=de", "answer/1?hl=en&x=1", "?hl=en")
        if scope.holds(f"https://support.google.com/adspolicy/{path}")
    ]
    assert held == ["answer/6008942", "answer/6008942?hl=en"]


def test_repositories_are_fetched_over_https() -> None:
    entries = [entry for catalogue in catalogues() for entry in catalogue.sources if isinstance(entry, GitEntry)]

    assert entries
    assert all(entry.repository.startswith("https://") and entry.paths for entry in entries)
