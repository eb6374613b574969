"""The sources that a catalogue describes."""

from dataclasses import dataclass
from pathlib import Path

from ingest.catalogue.entries import (
    Catalogue,
    DiscourseEntry,
    FolderEntry,
    GitEntry,
    JsonLinesEntry,
    SourceEntry,
    WebsiteEntry,
)
from ingest.catalogue.selecting import SelectedPages
from ingest.fetching.addresses import MayConnect, is_public, public_or_in
from ingest.fetching.fetcher import Fetcher
from ingest.ports import Source, SourceStates
from ingest.sources.discourse import DiscourseSource
from ingest.sources.folder import FolderSource
from ingest.sources.git import GitHistorySource
from ingest.sources.json_lines import JsonLinesSource
from ingest.sources.website import WebsiteSource
from rag_core.errors import Misconfigured


@dataclass(frozen=True, slots=True)
class SourceTools:
    """What sources on the network need. `cache`: a folder that keeps copies of git repositories; `authority`: a file
    with the certificates that git trusts, None: the system's. Whoever builds the fetcher closes it."""

    fetcher: Fetcher
    cache: Path
    states: SourceStates | None = None
    may_connect: MayConnect = is_public
    authority: Path | None = None


def open_sources(catalogue: Catalogue, path: Path, tools: SourceTools | None = None) -> list[Source]:
    """The sources of the catalogue that was read from `path`, in its order. Nothing is connected to yet.

    Raises Misconfigured("source_tools_missing", source_id=..., type=...): only folders are read without `tools`;
    and what the sources raise.
    """
    return [_open(entry, path.parent, tools) for entry in catalogue.sources]


def _open(entry: SourceEntry, folder: Path, tools: SourceTools | None) -> Source:
    if isinstance(entry, FolderEntry):
        return FolderSource(entry.id, folder / entry.path, entry.defaults(), entry.default_url)
    if tools is None:
        raise Misconfigured("source_tools_missing", source_id=entry.id, type=entry.type)
    if isinstance(entry, WebsiteEntry):
        site = _website(entry, tools)
        return SelectedPages(site, entry.selectors.selection()) if entry.selectors else site
    if isinstance(entry, GitEntry):
        return _git(entry, folder, tools)
    if isinstance(entry, JsonLinesEntry):
        place = entry.address or folder / str(entry.path)
        fetcher = tools.fetcher.allowing(entry.private_networks)
        return JsonLinesSource(entry.id, place, entry.defaults(), fetcher)
    return _discourse(entry, tools)


def _website(entry: WebsiteEntry, tools: SourceTools) -> WebsiteSource:
    return WebsiteSource(
        entry.id,
        entry.start_urls,
        entry.allowed_paths,
        entry.defaults(),
        tools.fetcher.allowing(entry.private_networks),
        sitemap=entry.sitemap,
        follow_links=entry.follow_links,
        most_pages=entry.most_pages,
        trust_lastmod=entry.trust_lastmod,
    )


def _git(entry: GitEntry, folder: Path, tools: SourceTools) -> GitHistorySource:
    is_remote = entry.repository.startswith("https://")
    return GitHistorySource(
        entry.id,
        entry.repository if is_remote else str(folder / entry.repository),
        entry.defaults(),
        cache=tools.cache,
        paths=entry.paths,
        branch=entry.branch,
        since=entry.since,
        may_connect=public_or_in(entry.private_networks, tools.may_connect),
        authority=tools.authority,
    )


def _discourse(entry: DiscourseEntry, tools: SourceTools) -> DiscourseSource:
    return DiscourseSource(
        entry.id,
        entry.address,
        entry.defaults(),
        tools.fetcher.allowing(entry.private_networks),
        categories=entry.categories,
        topics=entry.topics,
        states=tools.states,
    )
