"""Reading documents in a process of its own, into a folder of its own, whatever else is set or waits in `.env`."""

import asyncio
import sys
import time
from pathlib import Path

from ops.bench.processes import environment

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
