"""An index built anew from its store, in a process of its own: how long, and how much memory that took."""

import asyncio
import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ingest.indexing import rebuild_index
from ops.backends import build_embedder, build_index_writer, connect_opensearch
from ops.bench.stores import open_store
from ops.config import Config

_STATUS = "/proc/{}/status"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """`grown`: megabytes by which the process's peak memory rose over what it had when the store was open."""

    seconds: float
    peak: float
    grown: float


async def rebuild_in_own_process(config: Config) -> Rebuilt:
    """Rebuild the index of these settings from their store."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        return await asyncio.wrap_future(processes.submit(_rebuild, config))


async def _rebuilt(config: Config) -> Rebuilt:
    embedder, client = build_embedder(config), connect_opensearch(config)
    try:
        writer = build_index_writer(config, embedder, client)
        async with open_store(config) as store:
            await store.outbox.pending(1)
            before = peak_megabytes()
            started = time.perf_counter()
            await rebuild_index(store.outbox, store.embeddings, writer, embedder)
            seconds = time.perf_counter() - started
    finally:
        if client is not None:
            await client.aclose()
    return Rebuilt(seconds, peak_megabytes(), peak_megabytes() - before)


def peak_megabytes(process: int | None = None) -> float:
    """Largest resident size so far of the process with this id, or of this one.

    Not from `getrusage` where /proc is: there a new process begins with the size of the one that started it. Without
    /proc, only of this one.
    """
    status = Path(_STATUS.format("self" if process is None else process))
    if status.exists():
        line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def _rebuild(config: Config) -> Rebuilt:
    return asyncio.run(_rebuilt(config))
