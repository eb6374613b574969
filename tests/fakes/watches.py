"""Who listens to breakers and to the keeping of the index, in tests."""

from ops.monitoring.breakers import BreakerState, CallEnd


class FakeBreakerWatch:
    """Remembers how calls ended and what the circuits became."""

    def __init__(self) -> None:
        self.ends: list[CallEnd] = []
        self.seconds: list[float] = []
        self.changes: list[tuple[str, BreakerState, str]] = []

    def called(self, dependency: str, end: CallEnd, seconds: float) -> None:
        self.ends.append(end)
        self.seconds.append(seconds)

    def breaker_changed(self, dependency: str, state: BreakerState, code: str) -> None:
        self.changes.append((dependency, state, code))


class FakeIndexEvents:
    """Remembers what happened to the index."""

    def __init__(self) -> None:
        self.rebuilt: list[str] = []
        self.followed: list[int] = []
        self.troubles: list[Exception] = []
        self.failing: list[tuple[int, int, str]] = []

    def index_rebuilt(self, code: str) -> None:
        self.rebuilt.append(code)

    def index_followed(self, versions: int, at_timestamp: float) -> None:
        self.followed.append(versions)

    def index_trouble(self, error: Exception) -> None:
        self.troubles.append(error)

    def outbox_failing(self, failing: int, waiting: int, code: str) -> None:
        self.failing.append((failing, waiting, code))
