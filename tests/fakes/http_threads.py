"""An HTTP server on loopback in a thread of its own, for programs that are run beside a test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def served(answers: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """The port on which `answers` does."""
    with ThreadingHTTPServer(("127.0.0.1", 0), answers) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
