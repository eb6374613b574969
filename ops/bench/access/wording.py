"""The table of `python -m ops bench access`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ops.bench.access.running import Taken

_LINE = "{:36} {:>9} {:>9} {:>6}"


def header(*, is_embedded: bool) -> str:
    where = "road (embedded default)" if is_embedded else "road (servers)"
    return _LINE.format(where, "attempts", "controls", "leaks")


def row(taken: "Taken") -> str:
    return _LINE.format(taken.road, taken.attempts, taken.controls, len(taken.leaks))


def findings(taken: "Taken") -> Iterator[str]:
    """What came out, and what proves nothing."""
    for leak in taken.leaks:
        what = (
            f"words of hidden documents: {', '.join(leak.words)}" if leak.words else "another reply than without them"
        )
        yield f"  LEAK {leak.attempt!r}, {leak.asker}: {what}\n{_indented(leak.reply)}"
    for attempt in taken.idle:
        yield f"  IDLE {attempt!r}: not even those who may see it got anything, so that this attempt proves nothing"


def total(found: Sequence["Taken"]) -> str:
    attempts, controls, leaks = (
        sum(each.attempts for each in found),
        sum(each.controls for each in found),
        sum(len(each.leaks) for each in found),
    )
    line = _LINE.format(f"{len(found)} roads", attempts, controls, leaks)
    if leaks:
        return f"{line}\nRestricted text came out. What it was is said above, under its road."
    if any(each.idle for each in found):
        return f"{line}\nNothing came out, but some attempts prove nothing: they are named above."
    return f"{line}\nNothing came out."


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
