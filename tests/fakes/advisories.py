"""A service on loopback that knows vulnerabilities, as OSV answers: one question a package and version."""

import contextlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.http_threads import served


class FakeAdvisories:
    """What it knows, what it was asked, and what it answers instead where it does not feel well."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.asked: list[tuple[str, str]] = []
        self.ill: int | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/query"

    def add(self, package: str, version: str, identifier: str, *aliases: str, mended_in: str = "") -> None:
        """A vulnerability of a package in a version."""
        events = [{"introduced": "0"}, *([{"fixed": mended_in}] if mended_in else [])]
        affected = {
            "package": {"name": package, "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": events}],
        }
        entry = {"id": identifier, "aliases": list(aliases), "summary": "It unravels.", "affected": [affected]}
        self.known.setdefault((package, version), []).append(entry)


@contextlib.contextmanager
def advisories() -> Iterator[FakeAdvisories]:
    """One that knows nothing, until the block ends."""
    service = FakeAdvisories()

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = (question["package"]["name"], question["version"])
            service.asked.append(asked)
            vulnerable = service.known.get(asked)
            body = json.dumps({"vulns": vulnerable} if vulnerable else {}).encode()
            self.send_response(service.ill or 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Tests read what they assert."""

    with served(Answers) as port:
        service.port = port
        yield service
