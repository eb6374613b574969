"""llama.cpp's own OpenAI-compatible server with the packaged model, in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from ops.servers.free_ports import ANY, free_port

_START_SECONDS = 90.0


@contextmanager
def serving_model(model: Path, window: int, log: Path) -> Iterator[str]:
    """The address with its version, for as long as the block runs."""
    port = free_port(ANY)
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--n_ctx", str(window)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        _await_start(process, url, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


def _await_start(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urlopen(f"{url}/models", timeout=5):  # noqa: S310 - our own address
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.3)
    raise RuntimeError(f"the model's server did not start: {log.read_text(errors='replace')[-2000:]}")
