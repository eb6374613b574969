"""The copy of a repository that is somewhere else: brought up to date by one process at a time."""

import asyncio
import fcntl
import hashlib
import os
import re
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import date
from ipaddress import ip_address
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import quote

from yarl import URL

from ingest.fetching.addresses import MayConnect, is_public
from ingest.model.document_types import mime_type_of
from ingest.model.names import document_id, slug
from ingest.ports import Discovered, RawDocument, SourceDefaults
from ingest.sources.folder import is_document
from ingest.sources.git_log import LOG_OPTIONS, FileVersion, commits_of, versions_of
from ingest.sources.git_program import BlobReader, Git, GitLimits
from rag_core.errors import Misconfigured, Rejected, Unavailable

_LOOK_SECONDS = 0.1
_LOCK = "writing"
_UNFINISHED = ("tmp_obj_", "tmp_pack_", "tmp_idx_", "tmp_rev_")
"""How git names files that it has not finished."""


@asynccontextmanager
async def alone_in(home: Path, folder: Path, seconds: float) -> AsyncIterator[int]:
    """Nobody else writes to the copy `folder` until the block ends; what a killed git left in it is gone.

    The number is an open file. A git to which it is handed on keeps others out even after this process was killed.
    Raises TimeoutError after `seconds` in which another process wrote.
    """
    held = await asyncio.to_thread(_opened, home)
    try:
        async with asyncio.timeout(seconds):
            while not _taken(held):  # noqa: ASYNC110  another process holds it: nothing tells when it ends
                await asyncio.sleep(_LOOK_SECONDS)
        await asyncio.to_thread(_tidy, folder)
        yield held
    finally:
        os.close(held)


def _opened(home: Path) -> int:
    home.mkdir(parents=True, exist_ok=True)
    return os.open(home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _taken(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _tidy(folder: Path) -> None:
    """No name of a branch may end in `.lock`, so that these are git's own, of one that was killed."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".lock") or name.startswith(_UNFINISHED):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(place, name))


_BRANCH = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._/+-]*")
_PAGES = {
    "github.com": "{repository}/blob/{commit}/{path}",
    "gitlab.com": "{repository}/-/blob/{commit}/{path}",
    "codeberg.org": "{repository}/src/commit/{commit}/{path}",
    "bitbucket.org": "{repository}/src/{commit}/{path}",
}
"""Where a host shows a file as it was after a commit."""


class GitHistorySource:
    """`ingest.ports.Source`: the document files of a branch, each with all that it ever said.

    `repository`: an https address, copied into a folder below `cache` and brought up to date at each `discover`; or
    the path of a repository on this machine, read where it is. `paths`: files, folders, or patterns with `*` (within
    a folder) and `**`; none: all. A renamed file is followed back under its old names, also outside of `paths`.
    A version holds from the UTC day of its commit, or from the day in the file's name. `facts["effective_to"]` is
    the day on which a document was removed. History that was rewritten is read as it is now.

    Raises Misconfigured("git_address_invalid", "git_shallow"), Rejected("git_no_documents", "address_not_public"),
    Unavailable("source_unreachable"), and what `Git` raises.
    """

    def __init__(
        self,
        source_id: str,
        repository: str,
        defaults: SourceDefaults,
        *,
        cache: Path,
        paths: Sequence[str] = (),
        branch: str = "HEAD",
        since: date | None = None,
        may_connect: MayConnect = is_public,
        authority: Path | None = None,
        limits: GitLimits | None = None,
    ) -> None:
        self._source_id = source_id
        self._repository = repository
        self._defaults = defaults
        self._wanted = [_pattern(path) for path in paths]
        self._paths = tuple(paths)
        self._branch = branch
        self._since = since
        self._may_connect = may_connect
        self._is_remote = repository.startswith("https://")
        place = cache / f"{slug(PurePosixPath(repository).stem)[:40]}-{_digest(repository)}"
        folder = place / "repository.git" if self._is_remote else Path(repository)
        trusted = (f"http.sslCAInfo={authority}",) if authority else ()
        self._git = Git(repository, folder, place, limits or GitLimits(), trusted)
        self._blobs = BlobReader(self._git)
        self._versions: dict[str, FileVersion] = {}

    @property
    def source_id(self) -> str:
        return self._source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._defaults

    async def discover(self) -> Sequence[Discovered]:
        """Every version, oldest first: of two on one day the later one holds."""
        self._check_words()
        await self._git.check()
        commit = await (self._fetched() if self._is_remote else self._local())
        with await self._git.file("log", *LOG_OPTIONS, commit, "--") as log:
            versions = await asyncio.to_thread(self._read_log, log)
        if not versions:
            raise Rejected("git_no_documents", repository=self._repository, branch=self._branch, paths=self._paths)
        self._versions = {version.origin: version for version in versions}
        return [Discovered(each.origin, PurePosixPath(each.path).name, _revision(each)) for each in versions]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        version = self._versions.get(item.origin)
        if version is None:
            raise Rejected("git_object_missing", repository=self._repository, blob=item.origin)
        if known_revision is not None and known_revision == _revision(version):
            return None
        content = await self._blobs.read(version.blob)
        facts: dict[str, object] = {"document_id": document_id(self._defaults.policy_source.slug, version.name)}
        if version.day != date.min:
            facts["effective_from"] = version.day.isoformat()
        if version.ended is not None:
            facts["effective_to"] = version.ended.isoformat()
        mime_type = mime_type_of(item.file_name) or ""
        url = page_of(self._repository, version.commit_id, version.path)
        return RawDocument(item.origin, item.file_name, content, mime_type, url, facts, _revision(version))

    async def aclose(self) -> None:
        await self._blobs.aclose()

    def _check_words(self) -> None:
        other_protocol = re.match(
            r"[a-z][a-z0-9+.-]*::|(?!https:)[a-z][a-z0-9+.-]*://", self._repository, re.IGNORECASE
        )
        with_secret = self._is_remote and URL(self._repository).user is not None
        if other_protocol or with_secret or self._repository.startswith("-"):
            shown = str(URL(self._repository).with_user(None)) if with_secret else self._repository
            raise Misconfigured("git_address_invalid", repository=shown)
        if not _BRANCH.fullmatch(self._branch):
            raise Misconfigured("git_branch_missing", repository=self._repository, branch=self._branch)

    async def _local(self) -> str:
        """The commit that the branch of a repository on this machine is at."""
        folder = self._git.folder
        if not await asyncio.to_thread(folder.is_dir):
            raise Misconfigured("git_repository_missing", repository=self._repository)
        if await asyncio.to_thread((folder / ".git").exists):
            self._git = Git(self._repository, folder / ".git", self._git.home, self._git.limits)
            self._blobs = BlobReader(self._git)
        return await self._commit("HEAD" if self._branch == "HEAD" else f"refs/heads/{self._branch}")

    async def _fetched(self) -> str:
        """The commit that the branch is at there; everything it needs is here. Its history is never cut short."""
        ref = f"refs/adpolicy/{_digest(self._branch)}"
        there = "HEAD" if self._branch == "HEAD" else f"refs/heads/{self._branch}"
        pinned = await self._pinned()
        fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
        seconds = self._git.limits.seconds
        try:
            async with alone_in(self._git.home, self._git.folder, seconds) as held:
                git = replace(self._git, settings=(*self._git.settings, pinned), held=held)
                await git.output("init", "--quiet", "--bare", "--template=")
                await git.output(*fetch, self._repository, f"+{there}:{ref}")
        except TimeoutError as error:
            raise Unavailable("git_timeout", repository=self._repository, seconds=seconds) from error
        return await self._commit(ref)

    async def _commit(self, ref: str) -> str:
        if (await self._git.output("rev-parse", "--is-shallow-repository")).strip() == b"true":
            raise Misconfigured("git_shallow", repository=self._repository)
        said = await self._git.output("rev-parse", "--verify", f"{ref}^{{commit}}")
        return said.decode("ascii").strip()

    async def _pinned(self) -> str:
        """The setting that makes git connect to the addresses checked here, whatever the name server says next."""
        address = URL(self._repository)
        host, port = address.host or "", address.port or 443
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise Unavailable("source_unreachable", host=host) from error
        addresses = [ip_address(str(each[4][0]).split("%", 1)[0]) for each in found]
        allowed = [f"[{each}]" if each.version == 6 else str(each) for each in addresses if self._may_connect(each)]
        if not allowed:
            raise Rejected("address_not_public", host=host)
        return f"http.curloptResolve={host}:{port}:{','.join(dict.fromkeys(allowed))}"

    def _read_log(self, log: BinaryIO) -> list[FileVersion]:
        return versions_of(commits_of(_tokens(log)), self._is_wanted, self._since)

    def _is_wanted(self, path: str) -> bool:
        place = PurePosixPath(path)
        if not is_document(place.name) or any(part.startswith((".", "_")) for part in place.parts):
            return False
        return not self._wanted or any(pattern.fullmatch(path) for pattern in self._wanted)


def page_of(repository: str, commit_id: str, path: str) -> str | None:
    """Where people can read the file as it was after the commit; None where the host is not known."""
    if not repository.startswith("https://"):
        return None
    page = _PAGES.get(URL(repository).host or "")
    home = repository.rstrip("/").removesuffix(".git")
    return page and page.format(repository=home, commit=commit_id, path=quote(path))


def _revision(version: FileVersion) -> str:
    return f"{version.blob} until {version.ended}" if version.ended else version.blob


def _pattern(path: str) -> re.Pattern[str]:
    """A folder stands for all below it; `*` stays within a folder, `**` does not."""
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", path.strip("/"))
    return re.compile("".join(meanings.get(part, re.escape(part)) for part in parts) + "(?:/.*)?", re.DOTALL)


def _tokens(log: BinaryIO) -> Iterator[str]:
    rest = b""
    while piece := log.read(1 << 16):
        *whole, rest = (rest + piece).split(b"\0")
        yield from (token.decode("utf-8", "replace") for token in whole)
    if rest:
        yield rest.decode("utf-8", "replace")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
