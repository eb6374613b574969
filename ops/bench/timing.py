"""What benchmarks measure, and measuring two things beside each other, in turns, so that what else the machine does
falls on both alike.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

Ask = Callable[[int], Awaitable[object]]
"""Asks the question of this number."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of one question."""

    p50: float
    p95: float
    count: int


@dataclass(frozen=True, slots=True)
class Turn:
    """Answers a second, and how many cores this process used meanwhile."""

    answers: float
    cores: float


@dataclass(frozen=True, slots=True)
class Throughput:
    """One caller and several, medians over their turns; `ratio` is the median of what a turn of several got over the
    turn of one beside it."""

    one: Turn
    several: Turn
    ratio: float
    callers: int


@dataclass(frozen=True, slots=True)
class Rate:
    """`records` in `seconds`; `target`: a second, at least."""

    records: int
    seconds: float
    target: int

    @property
    def a_second(self) -> float:
        return self.records / self.seconds


@dataclass(frozen=True, slots=True)
class Agreement:
    """Means over questions. `expected`: nDCG@10 of first and second against the documents that a golden answer
    cites (None: no question says)."""

    questions: int
    overlap: float
    ndcg: float
    expected: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ClaimsFigure:
    """`ran` of `calls` were let through, and as many as there are `events` should be; `p50`, `p95` in milliseconds a
    call, all of them begun at once; `seconds` for all. `again`: how often one was refused because the keeper was too
    busy, and came again, as platforms do with what was not acknowledged."""

    what: str
    where: str
    events: int
    calls: int
    ran: int
    again: int
    seconds: float
    p50: float
    p95: float

    @property
    def is_right(self) -> bool:
        return self.ran == self.events


@dataclass(frozen=True, slots=True)
class Ran:
    """One ingest. `embedding`: of its `seconds`, those in the model. `processor`: seconds of this process and of the
    parsers that ended with it. `load`: of the machine, before it began."""

    documents: int
    bytes: int
    chunks: int
    embedded: int
    failed: int
    seconds: float
    embedding: float
    processor: float
    load: float

    @property
    def share(self) -> float:
        """Of the time, that in the model."""
        return self.embedding / self.seconds

    @property
    def rate(self) -> float:
        """Documents a second, the time in the model left out."""
        return self.documents / max(self.seconds - self.embedding, 1e-9)

    @property
    def mean_kilobytes(self) -> float:
        return self.bytes / max(self.documents, 1) / 1000


@dataclass(frozen=True, slots=True)
class ReadPdf:
    """`peak`: megabytes of the process that read it, None where the system does not tell; `most`: its limit."""

    pages: int
    seconds: float
    peak: float | None
    most: int
    load: float


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """`grown`: megabytes by which the process's peak memory rose over what it had when the store was open."""

    seconds: float
    peak: float
    grown: float


async def in_turns(first: Ask, second: Ask, questions: int, rounds: int) -> tuple[Latency, Latency]:
    """Every question to both, one right after the other; who begins changes with every question."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(questions * rounds):
        pair = [(first, times[0]), (second, times[1])]
        for ask, into in pair if number % 2 else reversed(pair):
            started = time.perf_counter()
            await ask(number % questions)
            into.append((time.perf_counter() - started) * 1000)
    return latency(times[0]), latency(times[1])


async def throughput(ask: Ask, *, callers: int, rounds: int, seconds: float) -> Throughput:
    """One caller and several take turns of `seconds`; each caller asks its next question when it has its answer."""
    turns = [(await _turn(ask, 1, seconds), await _turn(ask, callers, seconds)) for _ in range(rounds)]
    ratio = median(several.answers / one.answers for one, several in turns)
    return Throughput(_middle([one for one, _ in turns]), _middle([many for _, many in turns]), ratio, callers)


def latency(times: Sequence[float]) -> Latency:
    """Of milliseconds, two at least."""
    cuts = quantiles(times, n=100, method="inclusive")
    return Latency(cuts[49], cuts[94], len(times))


async def _turn(ask: Ask, callers: int, seconds: float) -> Turn:
    started, busy = time.perf_counter(), time.process_time()

    async def call(first: int) -> int:
        answered = 0
        while time.perf_counter() - started < seconds:
            await ask(first + answered * callers)
            answered += 1
        return answered

    answered = sum(await asyncio.gather(*(call(number) for number in range(callers))))
    took = time.perf_counter() - started
    return Turn(answered / took, (time.process_time() - busy) / took)


def _middle(turns: Sequence[Turn]) -> Turn:
    return Turn(median(turn.answers for turn in turns), median(turn.cores for turn in turns))
