"""The `git` program, run so that neither a repository nor the environment can make it do anything but read."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

_OLDEST = (2, 37)
"""The first git that can be told which address to connect to (http.curloptResolve); older ones ignore it."""
_WATCH_SECONDS = 0.5
_SETTINGS = (
    *("protocol.allow=never", "protocol.https.allow=always", "http.followRedirects=false", "http.sslVerify=true"),
    *("http.lowSpeedLimit=1000", "http.lowSpeedTime=60", "credential.helper=", f"core.hooksPath={os.devnull}"),
    *("core.fsmonitor=false", "log.showSignature=false", "log.showRoot=true", "log.mailmap=false"),
    *(
        f"diff.orderFile={os.devnull}",
        "gc.auto=0",
        "maintenance.auto=false",
        "submodule.recurse=false",
        "fetch.recurseSubmodules=no",
    ),
)


@dataclass(frozen=True, slots=True)
class GitLimits:
    """`seconds`: of one command. `most_bytes`: of the repository's copy; of a log. `most_file_bytes`: of a document."""

    seconds: float = 1800.0
    most_bytes: int = 4 * 1024**3
    most_file_bytes: int = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Git:
    """Commands on the repository `folder`. `home`: a folder of our own, where no setting of a person lies. `held`: an
    open file that stays open as long as a command runs (see `git_copy`).

    Raises Misconfigured: "git_missing", "git_too_old", "git_repository_missing", "git_repository_moved",
    "git_branch_missing"; Rejected("git_too_large"); Unavailable: "git_failed", "git_timeout".
    """

    repository: str
    folder: Path
    home: Path
    limits: GitLimits = GitLimits()
    settings: tuple[str, ...] = ()
    held: int | None = None

    async def check(self) -> None:
        """That there is a git, and that it is new enough."""
        said = (await self.output("version")).decode("ascii", "replace")
        found = re.search(r"(\d+)\.(\d+)", said)
        if found is None or (int(found[1]), int(found[2])) < _OLDEST:
            raise Misconfigured("git_too_old", found=said.strip(), needed=".".join(map(str, _OLDEST)))

    async def output(self, *command: str) -> bytes:
        """What a command says that says little."""
        with await self.file(*command) as said:
            return said.read()

    async def file(self, *command: str) -> BinaryIO:
        """What a command says, as an open file without a name; at its beginning."""
        self.home.mkdir(parents=True, exist_ok=True)
        said = TemporaryFile(dir=self.home)  # noqa: SIM115 - the caller closes it
        try:
            with TemporaryFile(dir=self.home) as complaint:
                async with self.started(*command, stdout=said, stderr=complaint) as process:
                    await self._ended(process, said)
                complaint.seek(0)
                if process.returncode:
                    raise _translate(complaint.read(20_000).decode("utf-8", "replace"), command[0], self.repository)
            said.seek(0)
        except BaseException:
            said.close()
            raise
        return said

    @asynccontextmanager
    async def started(
        self, *command: str, stdin: int = asyncio.subprocess.DEVNULL, stdout: int | BinaryIO, stderr: int | BinaryIO
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        """A running command, ended with all that it started when the block ends."""
        options = [part for setting in (*_SETTINGS, *self.settings) for part in ("-c", setting)]
        argv = ["git", "--git-dir", str(self.folder), "--no-pager", "--no-optional-locks", *options, *command]
        process: asyncio.subprocess.Process | None = None
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=self._environment(),
                start_new_session=True,
                pass_fds=() if self.held is None else (self.held,),
            )
            yield process
        except FileNotFoundError as error:
            raise Misconfigured("git_missing") from error
        finally:
            if process is not None:
                await _end(process)

    def _environment(self) -> dict[str, str]:
        """Nothing of the caller's but where programs are: no keys, no askpass, no settings, no proxies."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "XDG_CONFIG_HOME": str(self.home),
        }

    async def _ended(self, process: asyncio.subprocess.Process, said: BinaryIO) -> None:
        try:
            async with asyncio.timeout(self.limits.seconds):
                ending = asyncio.ensure_future(process.wait())
                while not (await asyncio.wait([ending], timeout=_WATCH_SECONDS))[0]:
                    await self._check_size(said)
                await self._check_size(said)
        except TimeoutError as error:
            raise Unavailable("git_timeout", repository=self.repository, seconds=self.limits.seconds) from error

    async def _check_size(self, said: BinaryIO) -> None:
        size = max(os.fstat(said.fileno()).st_size, await asyncio.to_thread(size_of, self.home))
        if size > self.limits.most_bytes:
            raise Rejected("git_too_large", repository=self.repository, most=self.limits.most_bytes)


class BlobReader:
    """Reads one blob after another through one process; started at the first."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._running = AsyncExitStack()

    async def read(self, blob: str) -> bytes:
        """Raises Rejected: "document_too_large", "git_object_missing"; Unavailable: "git_failed", "git_timeout"."""
        async with self._lock:
            is_whole = False
            try:
                async with asyncio.timeout(self._git.limits.seconds):
                    content = await self._read(blob)
                is_whole = True
            except TimeoutError as error:
                seconds = self._git.limits.seconds
                raise Unavailable("git_timeout", repository=self._git.repository, seconds=seconds) from error
            except (OSError, asyncio.IncompleteReadError) as error:
                raise Unavailable("git_failed", repository=self._git.repository, step="cat-file", problem="") from error
            finally:
                if not is_whole:  # what is left of its answer would be taken for the next one
                    await self._drop()
            return content

    async def aclose(self) -> None:
        async with self._lock:
            await self._drop()

    async def _read(self, blob: str) -> bytes:
        process = await self._opened()
        if process.stdin is None or process.stdout is None:
            raise BrokenPipeError
        process.stdin.write(f"{blob}\n".encode())
        await process.stdin.drain()
        header = (await process.stdout.readuntil(b"\n")).decode("ascii", "replace").split()
        if len(header) != 3 or header[1] != "blob":
            raise Rejected("git_object_missing", repository=self._git.repository, blob=blob)
        size = int(header[2])
        if size > self._git.limits.most_file_bytes:
            raise Rejected("document_too_large", size=size, most=self._git.limits.most_file_bytes)
        return (await process.stdout.readexactly(size + 1))[:-1]

    async def _opened(self) -> asyncio.subprocess.Process:
        if self._process is None:
            pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
            reading = self._git.started("cat-file", "--batch", stdin=pipe, stdout=pipe, stderr=null)
            self._process = await self._running.enter_async_context(reading)
        return self._process

    async def _drop(self) -> None:
        self._process = None
        await self._running.aclose()


async def _end(process: asyncio.subprocess.Process) -> None:
    """The process and its children, which are a group of their own."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                await process.wait()
                return


def size_of(folder: Path) -> int:
    """The bytes of all files below `folder`; of those that are still there when it is asked."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


_MEANINGS: Sequence[tuple[str, str]] = (
    (r"returned error: 30\d|unable to update url base from redirection", "git_repository_moved"),
    (r"couldn't find remote ref|Needed a single revision|unknown revision", "git_branch_missing"),
    (
        r"not a git repository|not found|could not read Username|Authentication failed|error: 40[134]",
        "git_repository_missing",
    ),
)


def _translate(complaint: str, step: str, repository: str) -> PolicyBotError:
    for pattern, code in _MEANINGS:
        if re.search(pattern, complaint, re.IGNORECASE):
            return Misconfigured(code, repository=repository)
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    problem = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "")
    return Unavailable("git_failed", repository=repository, step=step, problem=problem[:300])
