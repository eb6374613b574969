"""When a source is looked at: "every 6h", "daily 03:00", "weekly mon 03:00", or the five fields of cron; in UTC."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from cronsim import CronSim, CronSimError

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_SPAN = re.compile(r"(\d{1,4})\s*(m|h|d)")
_EVERY = re.compile(r"every\s+(\d{1,4}\s*[mhd])")
_AT = r"([01]?\d|2[0-3]):([0-5]\d)"
_DAILY = re.compile(rf"daily\s+{_AT}")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_WEEKLY = re.compile(rf"weekly\s+({'|'.join(_DAYS)})[a-z]*\s+{_AT}")
_SHORTEST = timedelta(minutes=5)
_LONGEST_JITTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """`interval` between two looks, or a `cron` expression; the other is None."""

    interval: timedelta | None = None
    cron: str | None = None

    def next_after(self, last: datetime, jitter: timedelta = timedelta(), chance: float = 0.0) -> datetime:
        """When the next look is due after the one at `last` (with a time zone; the answer is in the same).

        `chance` in [0, 1) picks the delay within `jitter`, so that many sources do not all ask at once.
        """
        due = last + self.interval if self.interval is not None else next(CronSim(str(self.cron), last))
        return due + jitter * chance


def read_schedule(text: str) -> Schedule:
    """The schedule that `text` describes. Raises ValueError, which says what would be understood."""
    words = " ".join(text.lower().split())
    if match := _EVERY.fullmatch(words):
        return Schedule(interval=_at_least(read_span(match[1]), _SHORTEST))
    if match := _DAILY.fullmatch(words):
        return Schedule(cron=f"{int(match[2])} {int(match[1])} * * *")
    if match := _WEEKLY.fullmatch(words):
        return Schedule(cron=f"{int(match[3])} {int(match[2])} * * {_DAYS.index(match[1])}")
    if len(words.split()) != 5:
        raise ValueError(f"{text!r} is no schedule; write every 6h, daily 03:00, weekly mon 03:00, or five cron fields")
    try:
        CronSim(words, datetime(2026, 1, 1))  # noqa: DTZ001  only looks whether the fields make sense
    except CronSimError as error:
        raise ValueError(f"{text!r} is no schedule: {error}") from error
    return Schedule(cron=words)


def read_span(text: str) -> timedelta:
    """ "90m", "6h", "2d". Raises ValueError."""
    match = _SPAN.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is no span of time; write 30m, 6h or 2d")
    return int(match[1]) * _UNITS[match[2]]


def read_jitter(text: str) -> timedelta:
    """A span of at most a day. Raises ValueError."""
    span = read_span(text)
    if span > _LONGEST_JITTER:
        raise ValueError(f"{text!r} is too long; at most 1d")
    return span


def _at_least(span: timedelta, least: timedelta) -> timedelta:
    if span < least:
        raise ValueError(f"every {span} is too often; at least every {least.seconds // 60}m")
    return span
