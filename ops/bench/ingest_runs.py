"""One ingest after the other, measured: how long, how much of that in the model, how much processor time."""

import os
import resource
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ingest.pipeline import ingest
from ingest.sources.folder import sources_in
from ops.bench.ingest_corpus import files_below
from ops.config import Config
from ops.parts import IngestParts, utc_now
from ops.wiring import open_ingest
from rag_core.ports import Embedder, Vector


class TimedEmbedder:
    """Another embedder, with the time that somebody waited for its vectors: `seconds`. Counting tokens is not in it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.seconds = 0.0

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        started = time.perf_counter()
        try:
            return await self._vectors(texts)
        finally:
            self.seconds += time.perf_counter() - started

    async def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embedder.embed(texts)


class InstantEmbedder(TimedEmbedder):
    """Counts tokens as the real one does; its vectors cost nothing, and are all alike."""

    async def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        vector: Vector = np.full(self.dimensions, self.dimensions**-0.5, dtype=np.float32)
        return [vector] * len(texts)


@dataclass(frozen=True, slots=True)
class Ran:
    """One ingest. `embedding`: of its `seconds`, those in the model. `processor`: seconds of this process and of the
    parsers that ended with it. `load`: of the machine, before it began."""

    documents: int
    bytes: int
    chunks: int
    embedded: int
    failed: int
    seconds: float
    embedding: float
    processor: float
    load: float

    @property
    def share(self) -> float:
        """Of the time, that in the model."""
        return self.embedding / self.seconds

    @property
    def rate(self) -> float:
        """Documents a second, the time in the model left out."""
        return self.documents / max(self.seconds - self.embedding, 1e-9)

    @property
    def mean_kilobytes(self) -> float:
        return self.bytes / max(self.documents, 1) / 1000


@asynccontextmanager
async def opened(folder: Path, embedder: type[TimedEmbedder]) -> AsyncIterator[tuple[IngestParts, TimedEmbedder]]:
    """The embedded default in `folder`, with the packaged model behind `embedder`; the model is loaded, and
    rules are not read."""
    async with open_ingest(Config(data_dir=folder)) as parts:
        timed = embedder(parts.embedder)
        await parts.embedder.embed(["a"])
        yield replace(parts, embedder=timed, rule_reader=None), timed


async def ingested(data: Path, embedder: type[TimedEmbedder], *folders: Path) -> Ran:
    """A run over these folders into the embedded default in `data`, parsers started and ended in it."""
    load = os.getloadavg()[0]
    async with opened(data, embedder) as (parts, timed):
        started, used = time.perf_counter(), _processor_seconds()
        report = await ingest([source for folder in folders for source in sources_in(folder)], parts, utc_now)
        seconds = time.perf_counter() - started
    sizes = [path.stat().st_size for folder in folders for path in files_below(folder)]
    return Ran(
        documents=report.documents,
        bytes=sum(sizes),
        chunks=report.chunks,
        embedded=report.embedded,
        failed=len(report.failed),
        seconds=seconds,
        embedding=timed.seconds,
        processor=_processor_seconds() - used,
        load=load,
    )


def _processor_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
