"""Lock files and requirement files, read and written.

A lock file is a requirements file that `pip install --require-hashes` takes: every package of a tier, the ones that
others bring in too, in one version, with the SHA-256 of every file of it that the index has.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.markers import Marker
from packaging.utils import canonicalize_name

from ops.supply.tiers import Tier, tier_named

_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;]+)(?:\s*;\s*(?P<marker>.+))?")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
SOURCES = "# Of: sha256:"
_PYTHONS = ("3.11.0", "3.11.9", "3.12.9", "3.13.9", "3.14.9")
_MACHINES = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))


@dataclass(frozen=True, slots=True)
class Pin:
    """One package in one version. `name` is the index's spelling; `marker`: only where it holds; empty: everywhere."""

    name: str
    version: str
    marker: str = ""
    hashes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """As a lock file has it."""
        where = f" ; {self.marker}" if self.marker else ""
        return " \\\n    ".join([f"{self.name}=={self.version}{where}", *(f"--hash=sha256:{h}" for h in self.hashes)])

    def on_our_platforms(self) -> "Pin | None":
        """As it is on those that we install on: without a condition that holds on all of them; None if on none."""
        taken = [not self.marker or Marker(self.marker).evaluate(each) for each in _platforms()]
        if not any(taken):
            return None
        return replace(self, marker="") if all(taken) else self


def pins(text: str) -> tuple[Pin, ...]:
    """The packages of a requirements or lock file; ValueError for a line that fixes no version."""
    return tuple(_pin(line) for line in _logical_lines(text) if not line.startswith(("-r ", "-c ")))


def lock_text(tier: Tier, sources: str, locked: tuple[Pin, ...]) -> str:
    """The file of `tier`: `locked`, over the tiers it is installed on."""
    heading = [
        "# Written by `python -m ops lock`; not to be changed by hand.",
        f"{SOURCES}{sources}",
        *(f"-r {below}.txt" for below in tier.on),
    ]
    return "\n".join([*heading, *(each.line for each in locked), ""])


def sources_of(root: Path, tier: Tier) -> str:
    """The SHA-256 of all that decides what `tier` holds, but comments: its own lines and those of the tiers below."""
    files = [tier_named(name).requirements for name in tier.on] + [tier.requirements]
    lines = [sorted(_logical_lines((root / each).read_text(encoding="utf-8"))) for each in files]
    return hashlib.sha256(repr((tier, lines)).encode()).hexdigest()


def read_lock(root: Path, tier: Tier) -> tuple[Pin, ...]:
    """What `tier` adds to the tiers below it."""
    return pins((root / tier.locked).read_text(encoding="utf-8"))


def _pin(line: str) -> Pin:
    hashes = tuple(_HASH.findall(line))
    found = _PIN.fullmatch(_HASH.sub("", line).strip())
    if found is None:
        raise ValueError(line)
    return Pin(canonicalize_name(found["name"]), found["version"], (found["marker"] or "").strip(), hashes)


def _logical_lines(text: str) -> list[str]:
    joined = re.sub(r"[ \t]*\\\n[ \t]*", " ", text)
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def _platforms() -> Iterator[dict[str, str]]:
    for python in _PYTHONS:
        for system, machine in _MACHINES:
            yield {
                "python_full_version": python,
                "python_version": python.rpartition(".")[0],
                "sys_platform": system,
                "platform_system": system.capitalize(),
                "platform_machine": machine,
                "os_name": "posix",
                "implementation_name": "cpython",
                "platform_python_implementation": "CPython",
            }
