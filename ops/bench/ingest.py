"""`python -m ops bench ingest`: how quickly documents get in, how much of that is the model, and what is done again.

All of it on the embedded default in a folder of its own, over documents made for it; first ingests over real ones too,
where they are. What else the machine does falls on every figure but the last one: each names the load before it.
"""

import os
import resource
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ingest.model.document_types import PDF
from ingest.parts import IngestParts
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.process import ReadingLimits
from ingest.reader.version import task_of
from ingest.run.pipeline import ingest
from ingest.sources.folder import sources_in
from ops.backends import build_reader
from ops.bench import wording
from ops.bench.ask import REAL
from ops.bench.ingest_corpus import files_below, write_corpus, write_long_document
from ops.bench.processes import ingest_in_own_process, peak_megabytes
from ops.bench.timing import Ran, ReadPdf
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_ingest
from rag_core.documents import PolicySource
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


async def read_alone(content: bytes, pages: int) -> ReadPdf:
    """A document read in a process that reads nothing else."""
    limits, load = ReadingLimits(), os.getloadavg()[0]
    raw = RawDocument("long.pdf", "long.pdf", content, PDF)
    task = task_of(raw, SourceDefaults(PolicySource("made", "Made")), utc_now().date())
    process = build_reader(Config(), limits, processes=1)
    try:
        started = time.perf_counter()
        await process.read(task)
        seconds = time.perf_counter() - started
        has_proc = Path(f"/proc/{process.waiting[0]}/status").exists()  # noqa: ASYNC240 - nothing else runs
        peak = peak_megabytes(process.waiting[0]) if has_proc else None
    finally:
        await process.aclose()
    return ReadPdf(pages, seconds, peak, limits.megabytes, load)


TARGETS = {"share": 0.90, "rate": 40.0, "pdf": 60.0, "unchanged": 20.0}
"""The least share in the model, the least documents a second, the most seconds."""
_EMBEDDED = 200
"""Documents that the model reads: a minute."""
_RATED = 600
_PAGES = 300
_SECTIONS = 100
_CHANGED = frozenset({40})


async def bench_ingest(data: Path, documents: int, without: frozenset[str]) -> int:
    """Print the figures. 0 if all targets are met, else 1; `documents`: how many the unchanged run looks at.

    The other parts take fewer. Parts of which something is missing are named and left out.
    """
    print(wording.machine(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0, os.getloadavg()[0]))
    met = []
    with TemporaryDirectory(prefix="adpolicy-bench-") as name:
        folder = Path(name)
        if "share" not in without:
            met.append(await _share(folder, data, min(documents, _EMBEDDED), real="real" not in without))
        if "rate" not in without:
            met.append(await _rate(folder, data, min(documents, _RATED), real="real" not in without))
        if "pdf" not in without:
            met.append(await _pdf(min(documents, _PAGES)))
        if "unchanged" not in without:
            met.append(await _unchanged(folder, documents))
        if "section" not in without:
            met.append(await _section(folder))
    return 0 if all(met) else 1


async def _share(folder: Path, data: Path, documents: int, *, real: bool) -> bool:
    """How much of a first ingest is the model."""
    write_corpus(folder / "share", documents)
    runs = [(wording.MADE_DOCUMENTS, await ingested(folder / "share-data", TimedEmbedder, folder / "share"))]
    if real and (found := _real(data)):
        runs.append((wording.REAL_POLICIES, await ingested(folder / "share-real", TimedEmbedder, *found)))
    for what, ran in runs:
        print(wording.share(what, ran, TARGETS["share"]))
    return all(ran.share >= TARGETS["share"] for _, ran in runs)


async def _rate(folder: Path, data: Path, documents: int, *, real: bool) -> bool:
    """How quick all but the model is."""
    write_corpus(folder / "rate", documents)
    ran = await ingested(folder / "rate-data", InstantEmbedder, folder / "rate")
    print(wording.rate(wording.MADE_DOCUMENTS, ran, TARGETS["rate"]))
    if real and (found := _real(data)):
        of_real = await ingested(folder / "rate-real", InstantEmbedder, *found)
        print(wording.rate(wording.REAL_POLICIES, of_real, None))
    return is_quick(ran)


def is_quick(ran: Ran) -> bool:
    return ran.failed == 0 and ran.rate >= TARGETS["rate"]


def _real(data: Path) -> list[Path]:
    found = [data / each for each in REAL if (data / each).is_dir()]
    if not found:
        print(wording.left_out(wording.REAL_POLICIES, str(data)))
    return found


async def _pdf(pages: int) -> bool:
    try:
        from ops.bench.ingest_pdf import long_rulebook  # noqa: PLC0415 - what makes PDFs is installed for tests only
    except ImportError:
        print(wording.NEEDS_REPORTLAB)
        return True
    read = await read_alone(long_rulebook(pages), pages)
    print(wording.pdf(read, TARGETS["pdf"]))
    return read.seconds < TARGETS["pdf"]


async def _unchanged(folder: Path, documents: int) -> bool:
    """The second run as a person starts it, in a process of its own; the first one does without the model. Both leave
    rules unread: those of the first would be read by the second."""
    write_corpus(folder / "unchanged", documents)
    await ingested(folder / "unchanged-data", InstantEmbedder, folder / "unchanged")
    load = os.getloadavg()[0]
    summary, seconds = await ingest_in_own_process(folder / "unchanged-data", folder / "unchanged", RULE_READER="none")
    print(wording.unchanged(documents, summary, seconds, TARGETS["unchanged"], load))
    return seconds < TARGETS["unchanged"]


async def _section(folder: Path) -> bool:
    """What is embedded anew when one section of a long document says something else."""
    document = folder / "section" / "handbook.md"
    document.parent.mkdir()
    write_long_document(document, _SECTIONS)
    first = await ingested(folder / "section-data", InstantEmbedder, document.parent)
    write_long_document(document, _SECTIONS, _CHANGED)
    second = await ingested(folder / "section-data", InstantEmbedder, document.parent)
    print(wording.section(first, second, len(_CHANGED)))
    return second.embedded == len(_CHANGED)
