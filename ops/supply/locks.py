"""`python -m ops lock`: the sets of packages, and the lock files that uv writes of them."""

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.markers import Marker
from packaging.utils import canonicalize_name

from ops.supply import wording
from rag_core.errors import Unavailable

REQUIREMENTS = Path("ops/requirements")
CONSTRAINTS = REQUIREMENTS / "constraints.txt"
UV = Path(sys.prefix) / "bin" / "uv"
# Of nobody's own settings: an index of theirs may have other files. pip comes with Python.
_COMPILE = (
    "pip compile --quiet --no-config --universal --python-version 3.11 --no-annotate --no-emit-package pip".split()
)
_OF = "# Of: sha256:"
_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;]+)(?:\s*;\s*(?P<marker>.+))?")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Tier:
    """A set of packages that is installed together.

    `on`: the tiers it is installed over; what they hold is not locked again. `whole`: with all that its packages bring
    in. `source`: whose file names its packages, if not its own. `without`: the tier that has the rest of them.
    `runs`: it may run in production; else it only builds, installs, checks or tests. `apart`: in an environment of its
    own, so that its versions need not go with the others'.
    """

    name: str
    on: tuple[str, ...] = ()
    whole: bool = True
    source: str = ""
    without: str = ""
    runs: bool = True
    apart: bool = False

    @property
    def requirements(self) -> Path:
        return REQUIREMENTS / f"{self.source or self.name}.txt"

    @property
    def locked(self) -> Path:
        return REQUIREMENTS / "locked" / f"{self.name}.txt"


TIERS = {
    each.name: each
    for each in (
        Tier("light"),
        Tier("weights", whole=False),
        Tier("services", on=("light",)),
        Tier("chat", on=("light",)),
        Tier("openai", on=("light",)),
        Tier("llama-source", whole=False, source="llama"),
        Tier("llama", on=("light",), without="llama-source"),
        Tier("model-weights", whole=False),
        Tier("torch", on=("light",)),
        Tier("dev", on=("light", "services"), runs=False),
        Tier("models-dev", on=("light", "openai"), runs=False),
        Tier("build", runs=False, apart=True),
        Tier("uv", runs=False, apart=True),
    )
}
IMAGE = ("light", "weights", "services", "openai", "chat")
"""What the image holds; with LLAMA=yes the two of llama as well."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One package in one version; `marker`: only where it holds; empty: everywhere."""

    name: str
    version: str
    marker: str = ""
    hashes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """As a lock file has it."""
        where = f" ; {self.marker}" if self.marker else ""
        return " \\\n    ".join([f"{self.name}=={self.version}{where}", *(f"--hash=sha256:{h}" for h in self.hashes)])


def pins(text: str) -> tuple[Pin, ...]:
    """The packages of a requirements or lock file; ValueError for a line that fixes no version."""
    return tuple(_pin(line) for line in _logical_lines(text) if not line.startswith(("-r ", "-c ")))


def read_lock(root: Path, tier: Tier) -> tuple[Pin, ...]:
    """What `tier` adds to the tiers below it."""
    return pins((root / tier.locked).read_text(encoding="utf-8"))


def locked_packages(root: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """(name, version) of everything that is locked, and the tiers that lock it."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for tier in TIERS.values():
        for pin in read_lock(root, tier):
            found[pin.name, pin.version] = (*found.get((pin.name, pin.version), ()), tier.name)
    return dict(sorted(found.items()))


def differences(root: Path) -> list[str]:
    """Where requirement files and lock files do not agree; needs no network."""
    known = {CONSTRAINTS, *(each.requirements for each in TIERS.values())}
    files = (path.relative_to(root) for path in sorted((root / REQUIREMENTS).glob("*.txt")))
    stale = (each for each in TIERS.values() if not _is_fresh(root, each))
    return [
        *(wording.of_no_tier(path) for path in files if path not in known),
        *(wording.out_of_date(each.locked) for each in stale),
    ]


def _is_fresh(root: Path, tier: Tier) -> bool:
    """Whether the lock file is of the requirements, has all that they name, with hashes, in the versions chosen."""
    if not (root / tier.locked).exists():
        return False
    try:
        asked, chosen = (_versions(root / path) for path in (tier.requirements, CONSTRAINTS))
    except ValueError:
        return False
    locked = read_lock(root, tier)
    below = [TIERS[name].locked for name in (*tier.on, tier.without) if name]
    there = {pin for path in (tier.locked, *below) for pin in _versions(root / path)}
    return (
        f"{_OF}{_sources(root, tier)}\n" in (root / tier.locked).read_text(encoding="utf-8")
        and all(each.hashes for each in locked)
        and (not tier.whole or tier.apart or _versions(root / tier.locked) <= chosen)
        and asked <= there
    )


def _versions(path: Path) -> set[tuple[str, str]]:
    return {(each.name, each.version) for each in pins(path.read_text(encoding="utf-8"))}


def lock(root: Path, *, upgrade: bool = False, tiers: Sequence[Tier] = tuple(TIERS.values())) -> None:
    """Write constraints.txt and the lock file of each of `tiers` under `root`; those that others lie on come first.

    Versions stay as they are where the requirement files allow it, unless `upgrade`. Unavailable("not_locked") says
    what uv said: no way to the index, or requirements that do not go together; nothing is written then.
    """
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / CONSTRAINTS.name
        if not upgrade:
            chosen.write_text((root / CONSTRAINTS).read_text(encoding="utf-8"), encoding="utf-8")
        together = [str(each.requirements) for each in tiers if each.whole and not each.apart]
        run_uv(root, *_COMPILE, "--no-header", "--output-file", str(chosen), *together)
        texts: dict[Path, str] = {}
        found: dict[str, list[Pin]] = {}
        for tier in tiers:
            options = [*([] if tier.whole else ["--no-deps"]), *([] if tier.apart else ["--constraints", str(chosen)])]
            said = pins(run_uv(root, *_COMPILE, "--generate-hashes", *options, str(tier.requirements)))
            below = {pin for name in (*tier.on, tier.without) for pin in found.get(name, ())}
            found[tier.name] = [pin for pin in map(_on_our_platforms, said) if pin is not None and pin not in below]
            texts[tier.locked] = lock_text(tier, _sources(root, tier), found[tier.name])
        texts[CONSTRAINTS] = chosen.read_text(encoding="utf-8")
    for path, text in texts.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def lock_text(tier: Tier, sources: str, locked: Sequence[Pin]) -> str:
    """The file of `tier`: `locked`, over the tiers it is installed on."""
    heading = ["# Written by `python -m ops lock`; not to be changed by hand.", f"{_OF}{sources}"]
    return "\n".join([*heading, *(f"-r {below}.txt" for below in tier.on), *(each.line for each in locked), ""])


def run_uv(root: Path, *arguments: str) -> str:
    """What uv prints. Unavailable with what it said instead of working: mostly, no way to the index."""
    ended = subprocess.run([UV, *arguments], cwd=root, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode:
        raise Unavailable("not_locked", reason=ended.stderr.strip())
    return ended.stdout


def _sources(root: Path, tier: Tier) -> str:
    """The SHA-256 of all that decides what `tier` holds, but comments: its own lines and those of the tiers below."""
    files = [TIERS[name].requirements for name in tier.on] + [tier.requirements]
    lines = [sorted(_logical_lines((root / each).read_text(encoding="utf-8"))) for each in files]
    return hashlib.sha256(repr((tier, lines)).encode()).hexdigest()


def _pin(line: str) -> Pin:
    found = _PIN.fullmatch(_HASH.sub("", line).strip())
    if found is None:
        raise ValueError(line)
    marker = (found["marker"] or "").strip()
    return Pin(canonicalize_name(found["name"]), found["version"], marker, tuple(_HASH.findall(line)))


def _logical_lines(text: str) -> list[str]:
    joined = re.sub(r"[ \t]*\\\n[ \t]*", " ", text)
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def _on_our_platforms(pin: Pin) -> Pin | None:
    """As it is on those that we install on: without a condition that holds on all of them; None if on none."""
    environments = [
        {
            "python_full_version": python,
            "python_version": python.rpartition(".")[0],
            "sys_platform": system,
            "platform_system": system.capitalize(),
            "platform_machine": machine,
            "os_name": "posix",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
        }
        for python in ("3.11.0", "3.11.9", "3.12.9", "3.13.9", "3.14.9")
        for system, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
    ]
    taken = [not pin.marker or Marker(pin.marker).evaluate(each) for each in environments]
    if not any(taken):
        return None
    return replace(pin, marker="") if all(taken) else pin
