"""Reading documents in a process of its own, into a folder of its own, whatever else is set or waits in `.env`."""

import asyncio
import os
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
_PREFIX = "ADPOLICY_"


async def ingest_in_own_process(folder: Path, *documents: Path) -> tuple[str, float]:
    """The summary line of `python -m ingest run` (without documents: the samples) on the embedded default in
    `folder`, and its wall time in seconds."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
    paths = [str(path.resolve()) for path in documents]
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ingest", "run", "--quiet", *paths, stdout=asyncio.subprocess.PIPE,
        cwd=folder, env={**kept, f"{_PREFIX}DATA_DIR": str(folder), "PYTHONPATH": str(_ROOT)},
    )  # fmt: skip
    output, _ = await process.communicate()
    return output.decode().strip(), time.perf_counter() - started
