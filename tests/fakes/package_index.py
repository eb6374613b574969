"""A package index on loopback, with small packages made on the spot; what it says of its files need not be true."""

import contextlib
import hashlib
import io
import zipfile
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler

from tests.fakes.http_threads import served


def wheel(name: str, version: str, requires: Sequence[str] = (), *, code: str = "") -> bytes:
    """A package of one module."""
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}", *(f"Requires-Dist: {r}" for r in requires)]
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": "\n".join([*metadata, ""]),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return packed.getvalue()


class FakePackageIndex:
    """Its address, the files it has by name, and what it says their SHA-256 is: the truth, unless told otherwise."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.said: dict[str, str] = {}
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/simple"

    def add(self, name: str, version: str, requires: Sequence[str] = (), *, code: str = "") -> str:
        """The SHA-256 of the new file."""
        file = f"{name}-{version}-py3-none-any.whl"
        self.files[file] = wheel(name, version, requires, code=code)
        self.said[file] = hashlib.sha256(self.files[file]).hexdigest()
        return self.said[file]

    def page(self, package: str) -> str | None:
        """The files of a package, as the index lists them."""
        files = [each for each in self.files if each.partition("-")[0].replace("_", "-") == package]
        links = [f'<a href="/files/{each}#sha256={self.said[each]}">{each}</a>' for each in files]
        return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>" if links else None


@contextlib.contextmanager
def package_index() -> Iterator[FakePackageIndex]:
    """An empty one, until the block ends."""
    index = FakePackageIndex()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, kind, name, *_ = self.path.split("/")
            page = index.page(name) if kind == "simple" else None
            body = page.encode() if page is not None else index.files.get(name)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html" if kind == "simple" else "application/octet-stream")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def do_HEAD(self) -> None:
            self.send_response(405)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Tests read what they assert."""

    with served(Answers) as port:
        index.port = port
        yield index
