"""Checkpoints in a file beside the database: who may change the one need not be able to change the other."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path

from rag_core.errors import Unavailable


class CheckpointFile:
    """One JSON object a line, added at the end and flushed to the disk. Raises Unavailable("checkpoints_unwritable",
    "checkpoints_unreadable")."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def add(self, checkpoint: Mapping[str, str]) -> None:
        line = json.dumps(dict(checkpoint), sort_keys=True).encode() + b"\n"
        try:
            await asyncio.to_thread(self._add, line)
        except OSError as exc:
            raise Unavailable("checkpoints_unwritable", path=str(self._path)) from exc

    async def all(self) -> list[tuple[bytes, str]]:
        """Statement and signature of each. A line that was cut off, as by a loss of power, is left out: who may change
        the file could as well have taken it out."""
        try:
            lines = await asyncio.to_thread(self._lines)
        except OSError as exc:
            raise Unavailable("checkpoints_unreadable", path=str(self._path)) from exc
        return [found for line in lines if (found := _read(line)) is not None]

    def _add(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with open(descriptor, "r+b") as file:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line  # the last write was cut off: ours is a line of its own
            file.write(line)
            file.flush()
            os.fsync(descriptor)

    def _lines(self) -> list[bytes]:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return []
        return content.split(b"\n")


def _read(line: bytes) -> tuple[bytes, str] | None:
    try:
        value = json.loads(line)
        return str(value["statement"]).encode(), str(value["signature"])
    except (ValueError, KeyError, TypeError):
        return None
