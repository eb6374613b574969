"""What reads documents in tests: in this process, or in children that need no model."""

from collections.abc import Callable

from ingest.reader.contents import Contents, ReadingTask
from ingest.reader.local import read_here
from tests.fakes.embedder import FakeEmbedder


class ReaderHere:
    """Reads in this process, counting as `FakeEmbedder` does: a child of its own for every test would be slow."""

    def __init__(self, embedder: FakeEmbedder | None = None) -> None:
        self._embedder = embedder or FakeEmbedder()

    async def read(self, task: ReadingTask) -> Contents:
        return read_here(task, self._embedder.count_tokens, self._embedder.max_tokens)

    async def rest(self) -> None:
        """There is no child to end."""


_CHILD = """
import re, sys
from ingest.reader import child
child.main(int(sys.argv[1]), float(sys.argv[2]), lambda text: len(re.findall(r"\\w+", text)) + 2, 256)
"""


def counts_words() -> tuple[str, ...]:
    """A program for `ReadingProcess` that counts as `FakeEmbedder` does, without its libraries."""
    return ("-c", _CHILD)


def program(code: str) -> Callable[[], tuple[str, ...]]:
    """One of a test's own."""
    return lambda: ("-c", code)
