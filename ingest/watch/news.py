"""What a watch has to tell, as values; `ingest.wording_running` puts it into words."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ingest.model.report import Failure, IngestReport, failure
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable


@dataclass(frozen=True, slots=True)
class Leading:
    """This process looks at the sources from now on. `unscheduled`: the ids of those that say no schedule."""

    sources: int
    unscheduled: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StandingBy:
    """Another process leads; this one waits to take over."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A look at a source, begun at `at`. `report` None: `problem` stopped it. `retry_at`: when it is tried again, where
    something stood in its way; None: not before its schedule says so, or never."""

    source_id: str
    at: datetime
    report: IngestReport | None
    problem: PolicyBotError | None = None
    retry_at: datetime | None = None

    @property
    def failure(self) -> Failure | None:
        """What stood in the way of the whole look; None: it could be made, whatever single documents came to."""
        if self.problem is not None:
            return failure(self.source_id, "", self.problem)
        return next((each for each in self.report.failed if not each.origin), None) if self.report else None


@dataclass(frozen=True, slots=True)
class StoreDown:
    """The store does not answer. Nothing more is told of it until it does."""

    error: Unavailable


@dataclass(frozen=True, slots=True)
class StoreBack:
    """It answers again."""


@dataclass(frozen=True, slots=True)
class IndexBack:
    """What was stored while the index did not answer is in it now."""


@dataclass(frozen=True, slots=True)
class CatalogueKept:
    """The catalogue was changed and cannot be used: the one read before stays in force."""

    error: Misconfigured


@dataclass(frozen=True, slots=True)
class CatalogueRead:
    """The catalogue was changed and read again: ids of sources that came, changed and went."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]


News = Leading | StandingBy | Looked | StoreDown | StoreBack | IndexBack | CatalogueKept | CatalogueRead
Tell = Callable[[News], None]
