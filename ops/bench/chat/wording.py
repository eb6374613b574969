"""What the measurements of chat platforms print."""

from collections.abc import Iterator
from dataclasses import dataclass

from ops.bench.chat.counting import Ended, percentile
from ops.bench.chat.schedule import Load

_ACKNOWLEDGED_P99, _ACKNOWLEDGED_MOST = 0.3, 3.0
_MEMORY_GROWTH = 1.1
_MEDIAN_SECONDS = 0.12


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    is_met: bool = True


def needs_servers(setting: str, what: str) -> str:
    return (
        f"This takes real PostgreSQL and Redis, and {setting} is not set. Start them with "
        f"`ops/services up`, and run `ops/services run .venv/bin/python -m ops bench {what}`."
    )


def told(name: str, load: Load, ended: Ended, within: float) -> Iterator[Line]:
    """The lines on one load."""
    yield Line(
        f"{_TITLES[name]}: {load.rate:g} a second for {load.seconds:g} s{_burst(load)}, {ended.questions} questions"
    )
    p99, most = percentile(ended.acknowledged, 0.99), max(ended.acknowledged, default=0.0)
    if name == "load":
        yield figure(
            f"acknowledged: p99 {p99 * 1000:.0f} ms (at most 300), longest {most:.2f} s (at most 3)",
            p99 <= _ACKNOWLEDGED_P99 and most <= _ACKNOWLEDGED_MOST,
        )
        yield figure(f"answered with an error of the server's own: {ended.refused} (0)", not ended.refused)
        for worker, (early, late) in sorted(ended.megabytes.items()):
            growth = late / early if early else 0.0
            yield figure(
                f"memory of worker {worker}: {early:.0f} MB early, {late:.0f} MB at the end, "
                f"{growth:.2f} times (at most {_MEMORY_GROWTH})",
                0 < growth <= _MEMORY_GROWTH,
            )
    slowest = max(ended.answered, default=0.0)
    p50, p95 = percentile(ended.answered, 0.5), percentile(ended.answered, 0.95)
    yield figure(
        f"question to answer: p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, longest {slowest:.1f} s "
        f"(all within {within:g} s)" + (" (p50 at most 120 ms)" if name == "light" else ""),
        slowest <= within and (name != "light" or p50 <= _MEDIAN_SECONDS),
    )
    whole = not ended.lost and not ended.twice and not ended.foreign
    yield figure(f"lost: {len(ended.lost)} (0), twice: {len(ended.twice)} (0), of nobody: {ended.foreign} (0)", whole)
    for each in (*ended.lost[:5], *ended.twice[:5]):
        yield Line(f"    {each}")


def token_fetches(count: int, workers: int) -> Line:
    """An hour is longer than any load."""
    return figure(f"tokens fetched: {count} (one by each of {workers} workers at most)", count <= workers)


def looked_for(calls: int, *, consented: bool) -> Line:
    """`calls`: pages of messages that were asked of Graph."""
    if not consented:
        return Line(f"  answers looked for through Graph: not consented to, asked in vain {calls} times")
    return Line(f"  answers looked for through Graph: {calls} pages read")


_TITLES = {
    "load": "Two workers under load",
    "killed": "One of two workers killed with -9 in the middle",
    "light": "Two workers, little to do",
}


def _burst(load: Load) -> str:
    return f" and {load.burst} more in one second" if load.burst else ""


def figure(text: str, is_met: bool) -> Line:
    """A figure with what is wanted of it."""
    return Line(f"  {'met   ' if is_met else 'MISSED'}  {text}", is_met)
