"""A clock for tests."""

from datetime import datetime, timedelta

from tests.fakes.questions import NOON


class FakeClock:
    """Stands still until moved."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        """`by` is what timedelta takes: seconds=..., minutes=..."""
        self.now += timedelta(**by)


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds
