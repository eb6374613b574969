"""A document parsed in a process of its own: how long, and how much memory that took."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ingest.document_types import PDF
from ingest.parsing_process import ParsingLimits, ParsingProcess
from ops.bench.rebuilding import peak_megabytes


@dataclass(frozen=True, slots=True)
class ParsedPdf:
    """`peak`: megabytes of the process that parsed, None where the system does not tell; `most`: its limit."""

    pages: int
    seconds: float
    peak: float | None
    most: int
    load: float


async def parse_alone(content: bytes, pages: int) -> ParsedPdf:
    """A document parsed in a process that parses nothing else."""
    limits, load = ParsingLimits(), os.getloadavg()[0]
    process = ParsingProcess(limits, processes=1)
    try:
        started = time.perf_counter()
        await process.parse(content, PDF)
        seconds = time.perf_counter() - started
        has_proc = Path(f"/proc/{process.waiting[0]}/status").exists()  # noqa: ASYNC240 - nothing else runs
        peak = peak_megabytes(process.waiting[0]) if has_proc else None
    finally:
        await process.aclose()
    return ParsedPdf(pages, seconds, peak, limits.megabytes, load)
