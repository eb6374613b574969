"""A load on a chat platform: what people do, what came of it, and the lines that say so."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a platform delivered: `claim_key` as the inbox knows it, `at` in Unix seconds. `is_due`: not
    where the platform told the person that it failed; an answer may come all the same."""

    claim_key: str
    at: float
    is_due: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """Times in seconds. `lost`: questions without a terminal message; `twice`: with more than one; `foreign`: terminal
    messages of questions that nobody asked here."""

    questions: int
    acknowledged: Sequence[float]
    answered: Sequence[float]
    lost: Sequence[str] = ()
    twice: Sequence[str] = ()
    foreign: int = 0
    refused: int = 0
    """Deliveries that were answered with an error of the server's own (500 and above), or not at all."""
    megabytes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Worker -> memory early and at the end."""


def percentile(values: Iterable[float], share: float) -> float:
    """The value that `share` of them do not exceed (nearest rank); 0 for none."""
    found = sorted(values)
    return found[min(len(found) - 1, max(0, -(-int(share * 1000) * len(found) // 1000) - 1))] if found else 0.0


def matched(
    asked: Sequence[Asked], question_ids: Mapping[str, str], shown: Sequence[tuple[str, float]]
) -> tuple[list[float], list[str], list[str], int]:
    """Seconds to the first terminal message of each question, then the lost, the doubled, and how many belong to none.

    `question_ids`: claim key -> id under which it is answered; `shown`: that id and when the message was posted.
    """
    times: dict[str, list[float]] = {}
    for question_id, at in shown:
        times.setdefault(question_id, []).append(at)
    seconds: list[float] = []
    lost: list[str] = []
    twice: list[str] = []
    for each in asked:
        found = times.pop(question_ids.get(each.claim_key, ""), [])
        if not found:
            lost += [each.claim_key] if each.is_due else []
            continue
        seconds.append(min(found) - each.at)
        if len(found) > 1:
            twice.append(each.claim_key)
    return seconds, lost, twice, sum(len(each) for each in times.values())


class Way(StrEnum):
    """How somebody turns to the bot. `MALFORMED`: what no platform should send, signed all the same."""

    COMMAND = "command"
    MENTION = "mention"
    DIRECT = "direct"
    FOLLOW_UP = "follow_up"
    MALFORMED = "malformed"


_WAYS = (Way.COMMAND, Way.MENTION, Way.FOLLOW_UP, Way.DIRECT)
_TOPICS = ("alcohol", "gambling", "tobacco", "medicines", "weapons", "dating services", "loans", "lottery tickets")
_PLACES = ("the UK", "Germany", "France", "Spain", "the United States", "Brazil")


@dataclass(frozen=True, slots=True)
class Act:
    """`at`: seconds from the beginning. `channel` and `person` are numbers from 0. `again`: it is delivered twice."""

    number: int
    at: float
    way: Way
    channel: int
    person: int
    again: bool

    @property
    def question(self) -> str:
        topic, place = _TOPICS[self.number % len(_TOPICS)], _PLACES[self.number // 3 % len(_PLACES)]
        if self.way is Way.FOLLOW_UP:
            return f"and what about {topic}?"
        return f"can I advertise {topic} in {place}?"


@dataclass(frozen=True, slots=True)
class Load:
    """`rate` acts a second for `seconds`, then `burst` more at once; shares of 1. Channels take turns, so that a
    platform's limit on one of them is no limit of the whole."""

    rate: float
    seconds: float
    burst: int = 0
    channels: int = 60
    people: int = 200
    again: float = 0.1
    malformed: float = 0.02
    seed: int = 7

    def acts(self) -> Iterator[Act]:
        """In the order of their time."""
        chance = random.Random(self.seed)  # noqa: S311 - nobody guesses it
        steady = int(self.rate * self.seconds)
        for number in range(steady + self.burst):
            late = max(number - steady, 0) / max(self.burst, 1)
            at = number / self.rate if number < steady else self.seconds + late
            way = Way.MALFORMED if chance.random() < self.malformed else _WAYS[number % len(_WAYS)]
            again = way is not Way.MALFORMED and chance.random() < self.again
            yield Act(number, at, way, number % self.channels, number % self.people, again)


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
