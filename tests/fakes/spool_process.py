"""A process of its own that uses a spool: `python -m tests.fakes.spool_process FOLDER KEY WHAT [ARGUMENT]`.

`fill NAME` puts entries 0, 1, 2 ... for ever and says each number when it is safe; `some NAME` puts a hundred; `drain`
removes what it finds until nothing is left and prints the keys; a step of STEPS: puts one entry and dies there.
"""

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adapters.local import spool
from adapters.local.spool import LocalSpool
from adapters.sql.database.vault import Vault

MOST_BYTES = 50_000_000
STEPS: dict[str, tuple[Any, str, bool]] = {
    # name: (where, what, whether it runs before the process dies)
    "lock taken": (spool, "_entries_in", True),
    "nothing written": (os, "fsync", False),
    "written and flushed": (os, "fsync", True),
    "not renamed": (Path, "replace", False),
    "renamed": (Path, "replace", True),
    "folder flushed": (spool, "flush_to_disk", True),
}


def open_spool(folder: Path, key: str, most_bytes: int = MOST_BYTES) -> LocalSpool:
    vault = Vault([key])
    return LocalSpool(folder, encrypt=vault.encrypt, decrypt=vault.decrypt, most_bytes=most_bytes)


def dying(real: Callable[..., Any], runs: bool) -> Callable[..., Any]:
    def step(*args: Any, **kwargs: Any) -> None:
        if runs:
            real(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    return step


async def main(folder: Path, key: str, what: str, argument: str) -> None:
    opened = open_spool(folder, key)
    if what in STEPS:
        where, name, runs = STEPS[what]
        setattr(where, name, dying(getattr(where, name), runs))
        await opened.put("answer", argument, {"text": f"new {argument}"})
    elif what == "drain":
        await drain(opened)
    else:
        numbers = itertools.count() if what == "fill" else range(100)
        for number in numbers:
            await opened.put("answer", f"{argument}-{number}", {"number": number})
            say(str(number))


async def drain(opened: LocalSpool) -> None:
    found = True
    while found:
        found = False
        async for key, _ in opened.entries("answer"):
            found = True
            say(key)
            await opened.remove("answer", key)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    given_folder, given_key, given_what, *rest = sys.argv[1:]
    asyncio.run(main(Path(given_folder), given_key, given_what, rest[0] if rest else ""))
