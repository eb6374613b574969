"""A document read in a process of its own: how long, and how much memory that took."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ingest.document_types import PDF
from ingest.ports import RawDocument, SourceDefaults
from ingest.reading import task_of
from ingest.reading_process import ReadingLimits
from ops.backends import build_reader
from ops.bench.rebuilding import peak_megabytes
from ops.config import Config
from ops.parts import utc_now
from rag_core.documents import PolicySource


@dataclass(frozen=True, slots=True)
class ReadPdf:
    """`peak`: megabytes of the process that read it, None where the system does not tell; `most`: its limit."""

    pages: int
    seconds: float
    peak: float | None
    most: int
    load: float


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
