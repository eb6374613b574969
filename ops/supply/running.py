"""Other programs that are run for what they print."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from rag_core.errors import Unavailable

_UV = Path(sys.prefix) / "bin" / "uv"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and what it printed."""

    code: int
    printed: str
    errors: str


async def run(root: Path, *arguments: str) -> Ended:
    """A program in `root`, until it ends."""
    process = await asyncio.create_subprocess_exec(
        *arguments, cwd=root, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    printed, errors = await process.communicate()
    return Ended(process.returncode or 0, printed.decode(), errors.decode(errors="replace").strip())


async def run_uv(root: Path, *arguments: str) -> str:
    """What uv prints. Unavailable("not_locked") says what it said instead of working: mostly, no way to the index."""
    ended = await run(root, str(_UV), *arguments)
    if ended.code:
        raise Unavailable("not_locked", reason=ended.errors)
    return ended.printed
