"""The copy of a repository that is somewhere else: brought up to date by one process at a time."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

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
