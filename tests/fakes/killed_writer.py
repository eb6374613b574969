"""A process that writes to a local index and is killed at a chosen step.

`python -m tests.fakes.killed_writer FOLDER STEP`: the index holds OLD; the process replaces it by NEW (or rebuilds
with NEW alone) and dies without a chance to tidy up.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adapters.local import index_writer, manifest
from adapters.local.index_writer import LocalIndexWriter
from adapters.local.keywords import KeywordWriter
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.indexes import DIMENSIONS, EMBEDDER, in_batches, vectorised

VERSION = make_version("acme_drinks")
OLD = make_write(VERSION, [Section("Beer", "beer ads"), Section("Cider", "cider ads")])
NEW = make_write(VERSION, [Section("Beer", "beer ads"), Section("Perry", "perry ads"), Section("Wine", "wine ads")])

Steps = dict[str, tuple[Any, str, bool]]
COMMIT_STEPS: Steps = {
    # name: (where, what, whether it runs before the process dies)
    "keyword documents added": (KeywordWriter, "commit", False),
    "keyword documents committed": (KeywordWriter, "commit", True),
    "segment written": (index_writer, "compact", False),
    "segments merged": (index_writer, "compact", True),
    "manifest written": (manifest, "flush_to_disk", False),
    "manifest swapped": (index_writer, "write_manifest", True),
    "nothing swept": (index_writer, "sweep", False),
}
REBUILD_STEPS: Steps = {
    "some added": (index_writer.Rebuild, "add", True),
    "all added": (index_writer.Rebuild, "finish", False),
    "rebuild swapped": (index_writer, "write_manifest", True),
}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(real: Callable[..., Any], runs: bool) -> Callable[..., Any]:
    def step(*args: Any, **kwargs: Any) -> None:
        if runs:
            real(*args, **kwargs)
        die()

    return step


async def write(folder: Path, step: str) -> None:
    writer = LocalIndexWriter(folder, model=EMBEDDER.model, dimensions=DIMENSIONS)
    where, what, runs = (COMMIT_STEPS | REBUILD_STEPS)[step]
    setattr(where, what, dying(getattr(where, what), runs))
    if step in REBUILD_STEPS:
        await writer.rebuild(in_batches([NEW]))
    await writer.write(VERSION.doc_id, vectorised(NEW))
    await writer.commit()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2]))
