"""Now, as all processes on one database tell it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, DateTime, Dialect, Interval, func, literal

from adapters.sql.database.types import UtcDateTime, utc_now

Moment = ColumnElement[datetime]


class Moments:
    """A database server's clock is everybody's. SQLite has none: there it is the process's, on one machine anyway.

    `now`: another clock, for tests.
    """

    def __init__(self, dialect: Dialect, now: Callable[[], datetime] | None = None) -> None:
        self._of_server = now is None and dialect.name == "postgresql"
        self._now = now

    def now(self) -> Moment:
        """The same moment throughout one statement."""
        return self.after(0.0)

    def after(self, seconds: float) -> Moment:
        """`seconds` from now."""
        later = timedelta(seconds=seconds)
        if self._of_server:
            server = func.statement_timestamp(type_=DateTime(timezone=True))
            return server + literal(later, Interval())
        return literal((self._now or utc_now)() + later, UtcDateTime())
