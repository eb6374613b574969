"""What people do while a chat platform is measured: when, where, who and what; the same for the same numbers."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


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
