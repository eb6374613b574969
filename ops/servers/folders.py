"""Folders: caches that are complete or not there, locks between processes, removal."""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

_RECIPE = "recipe.txt"


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where downloads are kept for all projects of this user."""
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adpolicy"


async def assembled(folder: Path, recipe: str, fill: Callable[[Path], Awaitable[None]]) -> Path:
    """`folder`, made by `fill` (given an empty folder) unless it was made by the same recipe before.

    It appears whole or not at all; what an interrupted attempt left is swept away by the next.
    """
    if _made_by(recipe, folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    async with locked(folder.with_name(f"{folder.name}.lock")):
        if _made_by(recipe, folder):
            return folder
        for left in folder.parent.glob(f"{folder.name}.part-*"):
            shutil.rmtree(left)
        part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
        try:
            await fill(part)
            _publish(part, folder, recipe)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return folder


def _publish(part: Path, folder: Path, recipe: str) -> None:
    (part / _RECIPE).write_text(recipe, encoding="utf-8")
    part.chmod(0o755)  # mkdtemp closes it to others, and a server may run as another user
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def _made_by(recipe: str, folder: Path) -> bool:
    file = folder / _RECIPE
    return file.exists() and file.read_text(encoding="utf-8") == recipe


@asynccontextmanager
async def locked(file: Path, *, waiting: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
    """Hold the lock on `file`, for this task alone; `waiting` is told once if another has it.

    The system lets go of it when the process dies.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with open_lock(file) as handle:
        if not try_lock(handle, shared=False):
            waiting()
            await _take(handle)
        yield


async def _take(handle: IO[bytes]) -> None:
    while not try_lock(handle, shared=False):  # noqa: ASYNC110 - another process holds it, no event tells of that
        await asyncio.sleep(0.05)


def open_lock(file: Path) -> IO[bytes]:
    """The file of a lock, opened; closing it gives the lock back."""
    return file.open("ab")


def try_lock(handle: IO[bytes], *, shared: bool) -> bool:
    """Take the lock, or change from shared to exclusive, if that is possible now."""
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove(folder: Path) -> None:
    """Remove a server's folder; its `home` may be a link to a folder elsewhere, which goes too."""
    home = folder / "home"
    if home.is_symlink():
        shutil.rmtree(home.resolve(), ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)
