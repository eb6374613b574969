"""Runs the programs as processes of their own without loading them anew: `python -m tests.fakes.warm_server SOCKET`.

Everything is imported once; for each request a copy of this process becomes the program. The answer to a request goes
to the last of the four files that come with it: the number of the process, then its exit code, a line each.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import time
from typing import Any

LOADED = ("bot.terminal", "ingest.cli", "ops.cli", "ops.wiring", "adapters.local.index", "adapters.web.app")
"""What most commands need before they begin."""


def main(line: socket.socket) -> None:
    """Returns when the other side has gone, and in every process that is to become a program, when it ends."""
    for name in LOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else looking for garbage would copy all of it in every process
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while request := _received(line):
        asked, files = request
        if os.fork() == 0:
            line.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch(asked, files)
            return
        for file in files:
            os.close(file)


def _received(line: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    size, files, _, _ = socket.recv_fds(line, 4, 4)
    if not size:
        return None
    body = bytearray()
    while len(body) < int.from_bytes(size, "big"):
        body += line.recv(int.from_bytes(size, "big") - len(body))
    return json.loads(body), files


def _watch(asked: dict[str, Any], files: list[int]) -> None:
    """Returns in the program's own process only, when it has ended."""
    pid = os.fork()
    if pid == 0:
        _become(asked, files)
        return
    os.write(files[3], f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.write(files[3], f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(asked: dict[str, Any], files: list[int]) -> None:
    os.setsid()
    for number, file in enumerate(files[:3]):
        os.dup2(file, number)
    for file in files:
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["folder"])
    sys.path[0] = asked["folder"]
    sys.argv = ["", *asked["arguments"]]  # the first is put in by `runpy`
    runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
