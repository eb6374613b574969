"""Whether requirement files, constraints.txt and lock files say the same; needs no network."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ops.supply.locks import SOURCES, Pin, pins, sources_of
from ops.supply.tiers import CONSTRAINTS, REQUIREMENTS, TIERS, Tier, tier_named


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A lock file is not what it should be. `problem` names a sentence of `wording.disagreements`."""

    path: Path
    problem: str
    what: str = ""


def disagreements(root: Path) -> Iterator[Disagreement]:
    """All there are between requirement files, constraints.txt and lock files under `root`; needs no network."""
    fixed = {(each.name, each.version) for each in pins((root / CONSTRAINTS).read_text(encoding="utf-8"))}
    known = {each.requirements for each in TIERS} | {CONSTRAINTS}
    for path in sorted((root / REQUIREMENTS).glob("*.txt")):
        if path.relative_to(root) not in known:
            yield Disagreement(path.relative_to(root), "no tier")
    for each in TIERS:
        yield from _of_tier(root, each, fixed)


def _of_tier(root: Path, tier: Tier, fixed: set[tuple[str, str]]) -> Iterator[Disagreement]:
    if not (root / tier.locked).exists():
        yield Disagreement(tier.locked, "missing")
        return
    text = (root / tier.locked).read_text(encoding="utf-8")
    try:
        asked = pins((root / tier.requirements).read_text(encoding="utf-8"))
        locked = pins(text)
    except ValueError as exc:
        yield Disagreement(tier.requirements, "no version", str(exc))
        return
    if f"{SOURCES}{sources_of(root, tier)}" not in text.splitlines():
        yield Disagreement(tier.locked, "other sources")
    for pin in locked:
        if not pin.hashes:
            yield Disagreement(tier.locked, "no hash", pin.name)
        if tier.whole and not tier.apart and (pin.name, pin.version) not in fixed:
            yield Disagreement(tier.locked, "other version", f"{pin.name}=={pin.version}")
    there = {
        (pin.name, pin.version) for name in (tier.name, *tier.on, tier.without) if name for pin in _held(root, name)
    }
    for pin in asked:
        if (pin.name, pin.version) not in there:
            yield Disagreement(tier.locked, "not locked", f"{pin.name}=={pin.version}")


def _held(root: Path, name: str) -> tuple[Pin, ...]:
    path = root / tier_named(name).locked
    return pins(path.read_text(encoding="utf-8")) if path.exists() else ()
