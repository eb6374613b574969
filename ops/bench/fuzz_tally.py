"""What came of made-up requests: counted, with the worst kept in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

_MOST_KEPT = 20
_SERVER_ERROR = 500
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Sent:
    """A request and its end: `status` None where the server closed the connection, `hung` where it did neither within
    the route's bound. `what` names it for whoever looks for the cause. `is_slow`: it took its time on purpose."""

    route: str
    status: int | None
    seconds: float
    what: str = ""
    hung: bool = False
    is_slow: bool = False


@dataclass(slots=True)
class Tally:
    """`errors`: requests that ended in 500; `hangs`; `complaints`: answers that are not as they are described."""

    statuses: Counter[str] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    errors: list[Sent] = field(default_factory=list)
    hangs: list[Sent] = field(default_factory=list)
    complaints: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.statuses.values())

    @property
    def is_clean(self) -> bool:
        return not (self.errors or self.hangs or self.complaints)

    def add(self, sent: Sent) -> None:
        self.routes[sent.route] += 1
        self.statuses[str(sent.status) if sent.status else "hung" if sent.hung else "closed"] += 1
        if sent.hung:
            self.hangs.append(sent)
        if sent.status == _SERVER_ERROR:
            self.errors.append(sent)
        if sent.status is not None and not sent.is_slow:
            self.seconds.append(sent.seconds)

    def complain(self, kind: str, what: str) -> None:
        """The first of each kind is kept."""
        if len(self.complaints) < _MOST_KEPT:
            self.complaints.setdefault(kind, what[:_SHOWN])


def percentile(seconds: Sequence[float], share: float) -> float:
    """0 for none."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
