"""`python -m ops lock`: chooses versions and writes the lock files, with uv, from the package index."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ops.supply.locks import Pin, lock_text, pins, read_lock, sources_of
from ops.supply.running import run_uv
from ops.supply.tiers import CONSTRAINTS, TIERS, Tier, tier_named

# Of nobody's own settings: an index of theirs may have other files.
_COMPILE = ("pip", "compile", "--quiet", "--no-config", "--universal", "--python-version", "3.11", "--no-annotate")
# The installer of an environment comes with Python, and is no part of what is installed into it.
_NOT_LOCKED = ("--no-emit-package", "pip")


async def lock(root: Path, *, upgrade: bool = False, tiers: Sequence[Tier] = TIERS) -> None:
    """Writes constraints.txt and the lock file of each of `tiers` under `root`; those that others lie on come first.

    Versions stay as they are where the requirement files allow it, unless `upgrade`. Unavailable("not_locked") says
    what uv said: no way to the index, or requirements that do not go together; nothing is written then.
    """
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / CONSTRAINTS.name
        if not upgrade:
            chosen.write_text((root / CONSTRAINTS).read_text(encoding="utf-8"), encoding="utf-8")
        together = [each.requirements for each in tiers if each.whole and not each.apart]
        await _compile(root, together, ("--no-header", "--output-file", str(chosen)))
        locked = await asyncio.gather(*(_locked(root, each, chosen) for each in tiers))
        constraints = chosen.read_text(encoding="utf-8")
    (root / CONSTRAINTS).write_text(constraints, encoding="utf-8")
    for tier, pins_of_it in zip(tiers, locked, strict=True):
        (root / tier.locked).parent.mkdir(exist_ok=True)
        (root / tier.locked).write_text(_without_what_is_below(root, tier, pins_of_it), encoding="utf-8")


async def _locked(root: Path, tier: Tier, chosen: Path) -> tuple[Pin, ...]:
    options = ["--generate-hashes"]
    options += ["--no-deps"] if not tier.whole else []
    options += ["--constraints", str(chosen)] if not tier.apart else []
    said = await _compile(root, [tier.requirements], options)
    ours = (each.on_our_platforms() for each in pins(said))
    return tuple(each for each in ours if each is not None)


def _without_what_is_below(root: Path, tier: Tier, locked: tuple[Pin, ...]) -> str:
    """The tiers below were written before."""
    names = [*tier.on, tier.without] if tier.without else tier.on
    below = {pin for name in names for pin in read_lock(root, tier_named(name))}
    return lock_text(tier, sources_of(root, tier), tuple(each for each in locked if each not in below))


async def _compile(root: Path, files: Sequence[Path], options: Sequence[str]) -> str:
    """What uv chose for `files`, as a requirements file."""
    return await run_uv(root, *_COMPILE, *_NOT_LOCKED, *options, *(str(each) for each in files))
