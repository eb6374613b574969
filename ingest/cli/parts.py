"""What the commands work with."""

from datetime import UTC, datetime
from typing import Protocol

from ingest.change_report import ChangeFeed
from ingest.rules.ports import RuleBook
from ingest.run.held import HeldStore
from ingest.watch.service import WatchParts


class CommandParts(WatchParts, Protocol):
    """`ops.parts.IngestParts`: everything that is read with and written to, open."""

    @property
    def versions(self) -> HeldStore: ...
    @property
    def changes(self) -> ChangeFeed: ...
    @property
    def rules(self) -> RuleBook: ...


def utc_now() -> datetime:
    """The clock of the commands."""
    return datetime.now(UTC)
