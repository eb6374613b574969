"""What the database cannot take now, encrypted in a folder until it can."""

import asyncio
import errno
import hashlib
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from adapters.local.manifest import flush_to_disk
from rag_core.errors import PolicyBotError, Unavailable

_LOCK = "lock"
_SUFFIX = ".entry"
_NAME = re.compile(r"\d{16,}\.[0-9a-f]{32}\.[0-9a-f]{32}\.entry")
_UNFINISHED = ".unfinished"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_POLL_SECONDS = 0.005


class _Seen(NamedTuple):
    """Which content of a file somebody read: it is replaced by another file, never written again."""

    inode: int
    written_ns: int
    size: int


class _Renewed(Enum):
    SAME = auto()
    CHANGED = auto()
    UNREADABLE = auto()
    GONE = auto()


class LocalSpool:
    """One file an entry: `<sequence>.<hash of the kind>.<hash of kind and key>.entry`, readable by its owner only.

    Written beside and renamed, both flushed to the disk: whatever happens, the entry is there whole or not at all.
    Several processes may use the folder. `encrypt` and `decrypt` turn text into text; what `decrypt` cannot read it
    raises PolicyBotError or ValueError for. `most_bytes` counts the files' sizes. Raises
    Unavailable("spool_full" | "spool_unwritable", path).
    """

    def __init__(
        self,
        folder: Path,
        *,
        encrypt: Callable[[str], str],
        decrypt: Callable[[str], str],
        most_bytes: int,
        lock_seconds: float = 10.0,
    ) -> None:
        self._folder = folder
        self._encrypt = encrypt
        self._decrypt = decrypt
        self._most_bytes = most_bytes
        self._lock_seconds = lock_seconds
        self._turn = asyncio.Lock()  # the tasks of a process need not poll for the file lock
        self._unreadable: set[str] = set()
        self._seen: dict[str, _Seen] = {}

    @property
    def unreadable(self) -> int:
        """Entries that could not be read the last time; they stay."""
        return len(self._unreadable)

    async def put(self, kind: str, key: str, entry: Mapping[str, object]) -> None:
        """What is replaced keeps its place in the order."""
        text = json.dumps({"kind": kind, "key": key, "entry": dict(entry)}, separators=(",", ":"))
        async with self._turn:
            await asyncio.to_thread(self._put, _hash_of(kind, key), text)

    async def entries(self, kind: str) -> AsyncIterator[tuple[str, dict[str, object]]]:
        for name in await asyncio.to_thread(self._names, kind):
            found = await asyncio.to_thread(self._read, name)
            if found is not None:
                yield found

    async def remove(self, kind: str, key: str) -> None:
        """An entry that was replaced since this spool read it stays: it holds something else."""
        async with self._turn:
            await asyncio.to_thread(self._remove, _hash_of(kind, key))

    async def renew(self, renewed: Callable[[str], str | None], *, keep: bool = True) -> tuple[int, int, int]:
        """Writes anew what `renewed` gives another text for (None: it stays), each entry in its place, unless `keep` is
        False. Of how many entries, for how many, and how many it raised PolicyBotError or ValueError for."""
        seen = changed = unreadable = 0
        for name in await asyncio.to_thread(_entries_in, self._folder):
            async with self._turn:
                ended = await asyncio.to_thread(self._renew, name, renewed, keep)
            if ended is not _Renewed.GONE:
                seen += 1
                changed += ended is _Renewed.CHANGED
                unreadable += ended is _Renewed.UNREADABLE
        return seen, changed, unreadable

    def _renew(self, name: str, renewed: Callable[[str], str | None], keep: bool) -> "_Renewed":
        with self._changing():
            try:
                content = renewed((self._folder / name).read_text(encoding="ascii"))
            except FileNotFoundError:
                return _Renewed.GONE
            except (PolicyBotError, ValueError):
                return _Renewed.UNREADABLE
            if content is not None and keep:
                self._write(name, content.encode())
            return _Renewed.SAME if content is None else _Renewed.CHANGED

    def _put(self, hashed: str, text: str) -> None:
        with self._changing() as names:
            old = next((name for name in names if _hash_in(name) == hashed), None)
            content = self._encrypt(text).encode()
            others = sum((self._folder / name).stat().st_size for name in names if name != old)
            if others + len(content) > self._most_bytes:
                raise Unavailable("spool_full", path=str(self._folder))
            name = old or f"{_next_after(names):016d}.{hashed}{_SUFFIX}"
            self._write(name, content)
            self._seen.pop(name, None)  # what was read before is not what stands there now

    def _remove(self, hashed: str) -> None:
        if not self._folder.is_dir():
            return
        with self._changing() as names:
            for name in names:
                if _hash_in(name) == hashed and self._seen.pop(name, None) in (None, _seen(self._folder / name)):
                    (self._folder / name).unlink()
                    self._unreadable.discard(name)
            flush_to_disk(self._folder)

    def _names(self, kind: str) -> list[str]:
        """In the order they came."""
        with self._translated():
            present = _entries_in(self._folder)
        self._unreadable &= set(present)
        self._seen = {name: seen for name, seen in self._seen.items() if name in present}
        return [name for name in present if _hash_in(name).partition(".")[0] == _hash(kind)]

    def _read(self, name: str) -> tuple[str, dict[str, object]] | None:
        path = self._folder / name
        try:
            with path.open("rb") as file:
                seen = _seen(file.fileno())
                value: dict[str, Any] = json.loads(self._decrypt(file.read().decode("ascii")))
            found = str(value["key"]), dict(value["entry"])
        except FileNotFoundError:
            return None  # another process was quicker
        except (OSError, PolicyBotError, ValueError, KeyError, TypeError):
            self._unreadable.add(name)
            return None
        self._unreadable.discard(name)
        self._seen[name] = seen
        return found

    @contextmanager
    def _changing(self) -> Iterator[list[str]]:
        """The names of all entries, in order; nobody else changes any meanwhile."""
        with self._translated():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            with FileLock(self._folder / _LOCK, timeout=self._lock_seconds, mode=0o600, poll_interval=_POLL_SECONDS):
                for left in self._folder.glob(f"*{_UNFINISHED}"):
                    left.unlink()  # whoever was writing it is dead
                yield _entries_in(self._folder)

    def _write(self, name: str, content: bytes) -> None:
        unfinished = self._folder / f"{name}{_UNFINISHED}"
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._folder / name)
            flush_to_disk(self._folder)
        except OSError:
            with suppress(OSError):
                unfinished.unlink()
            raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise _translate(exc, self._folder) from exc


def _translate(exc: OSError, folder: Path) -> Unavailable:
    return Unavailable("spool_full" if exc.errno in _FULL else "spool_unwritable", path=str(folder))


def _entries_in(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
    except FileNotFoundError:
        return []


def _next_after(names: list[str]) -> int:
    return int(names[-1].partition(".")[0]) + 1 if names else 1


def _hash_in(name: str) -> str:
    return name.removesuffix(_SUFFIX).partition(".")[2]


def _hash_of(kind: str, key: str) -> str:
    return f"{_hash(kind)}.{_hash(json.dumps([kind, key]))}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _seen(file: Path | int) -> _Seen:
    found = os.stat(file)
    return _Seen(found.st_ino, found.st_mtime_ns, found.st_size)
