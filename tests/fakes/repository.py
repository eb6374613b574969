"""A git repository that a test writes: commits on given days, and an https server that hands it out."""

import asyncio
import os
import ssl
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

from aiohttp import web

from tests.fakes.certificates import CertificateFiles


class FakeRepository:
    """Plain `git`, with an author of its own and no settings of the machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *command: str, day: date = date(2026, 1, 1), committed: date | None = None) -> str:
        who = {"NAME": "a keeper", "EMAIL": "keeper@policies.example"}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()},
            "GIT_AUTHOR_DATE": f"{day.isoformat()}T12:00:00+0000",
            "GIT_COMMITTER_DATE": f"{(committed or day).isoformat()}T12:00:00+0000",
        }
        done = subprocess.run(["git", *command], cwd=self.folder, env=environment, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def commit(self, day: date, files: Mapping[str, str | None], committed: date | None = None) -> str:
        """Writes (None: removes) the files; the id of the commit."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "policies", day=day, committed=committed)
        return self.git("rev-parse", "HEAD")


@asynccontextmanager
async def served(repository: FakeRepository, files: CertificateFiles) -> AsyncIterator[str]:
    """The https address of the repository while the block lasts, at the certificate's 127.0.0.1.

    git's simple protocol: files only, so `git update-server-info` has to follow each commit. `/moved/` redirects.
    """
    app = web.Application()
    app.router.add_static("/rules.git", repository.folder / ".git")

    async def moved(request: web.Request) -> web.Response:
        raise web.HTTPFound(request.path_qs.replace("/moved", "/rules.git", 1))

    app.router.add_get("/moved/{rest:.*}", moved)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(files.certificate, files.key)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    try:
        port = runner.addresses[0][1]
        yield f"https://127.0.0.1:{port}/rules.git"
    finally:
        await runner.cleanup()
        await asyncio.sleep(0.02)  # connections that clients have dropped are closed by the loop
