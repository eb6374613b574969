"""Measuring two things beside each other, in turns, so that what else the machine does falls on both alike."""

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
