"""Work in processes of its own: reading documents, building an index anew; how long, and how much memory that took."""

import asyncio
import multiprocessing
import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ingest.indexing import rebuild_index
from ops.backends import build_embedder, build_index_writer, connect_opensearch
from ops.bench.stores import open_store
from ops.bench.timing import Rebuilt
from ops.config import Config

_PREFIX = "ADPOLICY_"
_KEPT = f"{_PREFIX}RULE_READER"


def environment(**settings: str) -> dict[str, str]:
    """This process's environment with these settings (names without prefix) in place of the operator's.

    Of the operator's only what judges rules is kept: without its weights no question is answered.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX) or name == _KEPT}
    return {**inherited, **{f"{_PREFIX}{name}": value for name, value in settings.items()}}


_ROOT = Path(__file__).resolve().parent.parent.parent


async def ingest_in_own_process(folder: Path, *documents: Path, **settings: str) -> tuple[str, float]:
    """The summary line of `python -m ingest run` (without documents: the samples) on the embedded default in
    `folder`, and its wall time in seconds. `settings`: further ones."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    paths = [str(path.resolve()) for path in documents]
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ingest", "run", "--quiet", *paths, stdout=asyncio.subprocess.PIPE,
        cwd=folder, env={**environment(DATA_DIR=str(folder), **settings), "PYTHONPATH": str(_ROOT)},
    )  # fmt: skip
    output, _ = await process.communicate()
    return output.decode().strip(), time.perf_counter() - started


_STATUS = "/proc/{}/status"


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
