"""Who hears of model calls, and a record of them that can be down, in tests."""

from collections.abc import Sequence
from datetime import datetime

from bot.model_usage import ModelCall, UsageKey, UsageTotal
from rag_core.errors import Unavailable


class FakeModelListener:
    """Remembers the calls."""

    def __init__(self) -> None:
        self.calls: list[ModelCall] = []

    def called(self, call: ModelCall) -> None:
        self.calls.append(call)


class FakeModelEvents:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.calls: list[ModelCall] = []
        self.lost: list[tuple[int, str]] = []

    def model_called(self, call: ModelCall) -> None:
        self.calls.append(call)

    def model_calls_lost(self, calls: int, code: str) -> None:
        self.lost.append((calls, code))


class FakeModelUsage:
    """`bot.model_usage.ModelUsage` in a list; `down`: raises Unavailable("store_down")."""

    def __init__(self) -> None:
        self.saved: list[ModelCall] = []
        self.removed_before: list[datetime] = []
        self.down = False

    async def save(self, calls: Sequence[ModelCall]) -> None:
        if self.down:
            raise Unavailable("store_down")
        self.saved.extend(calls)

    async def totals(self, since: datetime, by: UsageKey) -> list[UsageTotal]:
        raise AssertionError(f"who writes calls down asks for no totals: {since}, {by}")

    async def remove_before(self, moment: datetime) -> int:
        self.removed_before.append(moment)
        return 0
