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
