"""Programs that are missing: from Debian's packages, or from PyPI."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ops.servers import wording
from ops.servers.folders import assembled, cache_folder, locked
from ops.servers.processes import run_program
from rag_core.errors import Unavailable

Say = Callable[[str], None]

_POLICY = Path("/usr/sbin/policy-rc.d")
_CLUSTERS = Path("/etc/postgresql-common/createcluster.d")
_SYSTEM_CACHE = Path("/var/cache/adpolicy")


async def install_debian(package: str, say: Say) -> bool:
    """Debian's package, where we may; whether it is there now. No service and no database cluster is started."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    say(wording.installing_debian(package))
    options = ["-qq", "-o", "DPkg::Lock::Timeout=120"]
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        async with locked(cache_folder() / "debian.lock"):
            with _nothing_starts():
                await run_program(["apt-get", *options, "update"], env=environ)
                install = ["apt-get", *options, "install", "-y", "--no-install-recommends", package]
                await run_program(install, env=environ)
    except Unavailable as exc:
        say(wording.not_installed(package, str(exc.details["log"])))
        return False
    return True


async def install_pypi(requirement: str, say: Say) -> Path | None:
    """The folder with that package from PyPI, outside `.venv`; None if it cannot be had."""
    name = requirement.replace("==", "-")

    async def fill(part: Path) -> None:
        say(wording.installing_pypi(requirement))
        uv = str(Path(sys.executable).with_name("uv"))
        await run_program([uv, "pip", "install", "--quiet", "--python", sys.executable, "--no-deps",
                           "--target", str(part / "package"), requirement])  # fmt: skip

    # root's own cache is closed to the account that a server then runs as
    cache = _SYSTEM_CACHE if os.geteuid() == 0 and not os.environ.get("XDG_CACHE_HOME") else cache_folder()
    try:
        return await assembled(cache / name, requirement, fill)
    except Unavailable as exc:
        say(wording.not_installed(requirement, str(exc.details["log"])))
        return None


@contextmanager
def _nothing_starts() -> Iterator[None]:
    """Debian's two ways to say so: a policy for services, and a setting of postgresql-common."""
    with (
        _written(_POLICY, "#!/bin/sh\nexit 101\n"),
        _written(_CLUSTERS / "adpolicy.conf", "create_main_cluster = false\n"),
    ):
        yield


@contextmanager
def _written(file: Path, text: str) -> Iterator[None]:
    """The file exists meanwhile; one that is there already stays as it is."""
    if file.exists():
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            file.unlink()
