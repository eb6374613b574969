"""A JDK that OpenSearch runs on, and Maven, which fetches OpenSearch."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ops.servers.packages import Say, install_debian
from ops.servers.processes import run_program
from rag_core.errors import Misconfigured, Unavailable

OLDEST = 21
_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/usr/java/*",
    "/usr/local/openjdk*",
    "/opt/java/*",
    "/opt/*jdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*",
    "/usr/local/opt/openjdk*",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
)
_VERSION = re.compile(r"java\.specification\.version = (?:1\.)?(\d+)")
_HOME = re.compile(r"java\.home = (.+)")
# The vector module is asked for because OpenSearch's start line names it; some small runtimes leave it out.
_ASK = ("-XshowSettings:properties", "--add-modules=jdk.incubator.vector", "-version")


@dataclass(frozen=True, slots=True)
class Java:
    """One that runs."""

    program: Path
    home: Path
    version: int


async def find_java(environ: Mapping[str, str] = os.environ) -> Java:
    """The first that is new enough. Misconfigured: there is none; says which there are."""
    older: list[int] = []
    for program in java_programs(environ):
        java = await ask_java(program)
        if java is not None and java.version >= OLDEST:
            return java
        older += [java.version] if java else []
    raise Misconfigured("java_missing", oldest=OLDEST, known=sorted(set(older)))


async def find_maven(say: Say) -> str:
    """`mvn`. Misconfigured: there is none, and none can be installed."""
    found = shutil.which("mvn")
    if found is None and await install_debian("maven", say):
        found = shutil.which("mvn")
    if found is None:
        raise Misconfigured("maven_missing")
    return found


def java_programs(environ: Mapping[str, str]) -> Iterator[Path]:
    """Every `java` of this machine, each once, those that the user names first."""
    seen: set[Path] = set()
    for java in _candidates(environ):
        if java.exists() and java.resolve() not in seen:
            seen.add(java.resolve())
            yield java


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    for name in sorted(environ):  # also JAVA_HOME_21_X64 and the like, as build machines have them
        if name.startswith("JAVA_HOME") and environ[name]:
            yield Path(environ[name]) / "bin" / "java"
    if on_path := shutil.which("java", path=environ.get("PATH")):
        yield Path(on_path)
    for pattern in _FOLDERS:
        place = Path(pattern.replace("~", environ.get("HOME", "/nowhere"), 1))
        for home in sorted(Path("/").glob(str(place).lstrip("/")), reverse=True):
            yield home / "bin" / "java"


async def ask_java(program: Path) -> Java | None:
    """What it says of itself; None if it does not run, or lacks what OpenSearch needs."""
    try:
        said = await run_program([str(program), *_ASK])
    except Unavailable:
        return None
    version, home = _VERSION.search(said), _HOME.search(said)
    return Java(program, Path(home[1].strip()), int(version[1])) if version and home else None
