"""What databases raise, in the project's words."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine

from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

DATABASE_SETTING = "ADPOLICY_DATABASE_URL"
FOLDER_SETTING = "ADPOLICY_DATA_DIR"

# sqlite_errorname (of Python's sqlite3) and SQLSTATE (of PostgreSQL), by their beginnings
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "40001", "40P01", "55P03", "53300", "57014")
_FULL = ("SQLITE_FULL", "53100")
_UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")
_UNREADABLE = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
_REFUSED = ("28", "3D000", "42501", "42704")
# over by itself: conflicts of transactions, a server that was just stopped or is just starting, and (0A000) a
# statement prepared before somebody migrated, which the driver forgets at this
_PASSING = ("40001", "40P01", "08", "57P01", "57P02", "57P03", "0A000")
_NO_SCHEMA = ("42P01", "42703", "3F000")
_SQLITE_NO_SCHEMA = re.compile(r"no such (table|column)|has no column named")


@contextmanager
def translated(engine: AsyncEngine) -> Iterator[None]:
    """Raises what the database raised inside as Unavailable, Rejected or Misconfigured.

    A mistake in a statement or a value of the wrong type is a mistake in this package and stays as it is.
    """
    try:
        yield
    except _foreign(engine) as exc:
        _forget_values(exc)
        raise _translate(exc, engine.url.database or "") from exc


def passes_by_itself(exc: Exception) -> bool:
    """Whether it is worth while to do the same again at once: another transaction won, or a connection was lost.

    Not for what took too long: that would take as long again.
    """
    if not isinstance(exc, Unavailable) or exc.__cause__ is None:
        return False
    if any(isinstance(cause, TimeoutError) for cause in _causes(exc.__cause__)):
        return False
    if code := _code(exc.__cause__):
        return code.startswith(_PASSING)
    lost = getattr(exc.__cause__, "connection_invalidated", False)
    return lost or any(isinstance(cause, OSError) for cause in _causes(exc.__cause__))


def _foreign(engine: AsyncEngine) -> tuple[type[Exception], ...]:
    common = (DBAPIError, PoolTimeout, OSError)
    driver: Any = getattr(engine.dialect.loaded_dbapi, "asyncpg", None)
    if driver is None:
        return common
    # raised past SQLAlchemy while a connection is being set up
    return (*common, driver.PostgresError, driver.InterfaceError, driver.InternalClientError)


def _translate(exc: Exception, database: str) -> PolicyBotError:
    if isinstance(exc, IntegrityError):
        return Rejected("constraint_broken", constraint=_constraint(exc))
    if isinstance(exc, DataError):
        return Rejected("value_not_storable")
    if isinstance(exc, PoolTimeout):
        return Unavailable("store_busy")
    code = _code(exc)
    return _misconfigured(exc, code, database) or _unavailable(code)


def _misconfigured(exc: Exception, code: str, database: str) -> Misconfigured | None:
    if code.startswith(_UNWRITABLE):
        return Misconfigured("data_dir_unwritable", path=database, setting=FOLDER_SETTING)
    if code.startswith(_UNREADABLE):
        return Misconfigured("store_unreadable", path=database, setting=FOLDER_SETTING)
    if code.startswith(_NO_SCHEMA) or (code == "SQLITE_ERROR" and _SQLITE_NO_SCHEMA.search(str(exc))):
        return Misconfigured("store_not_migrated")
    return Misconfigured("database_refused", setting=DATABASE_SETTING) if code.startswith(_REFUSED) else None


def _unavailable(code: str) -> Unavailable:
    if code.startswith(_FULL):
        return Unavailable("store_full")
    return Unavailable("store_busy" if code.startswith(_BUSY) else "store_down")


def _forget_values(exc: Exception) -> None:
    """PostgreSQL quotes the whole row in its details, and with it what people asked: not for the logs."""
    for cause in _causes(exc):
        if isinstance(getattr(cause, "detail", None), str):
            vars(cause)["detail"] = None


def _causes(exc: BaseException) -> Iterator[BaseException]:
    """The driver's own error behind SQLAlchemy's and its adapter's."""
    seen: BaseException | None = exc
    while seen is not None:
        yield seen
        seen = getattr(seen, "orig", None) or seen.__cause__


def _code(exc: BaseException) -> str:
    for cause in _causes(exc):
        for name in ("sqlite_errorname", "sqlstate"):
            if code := getattr(cause, name, None):
                return str(code)
    return ""


def _constraint(exc: Exception) -> str:
    """The name PostgreSQL gives, or what SQLite says behind the colon; never the row's values."""
    for cause in _causes(exc):
        if name := getattr(cause, "constraint_name", None) or getattr(cause, "column_name", None):
            return str(name)
    return str(getattr(exc, "orig", "")).partition(": ")[2] or "foreign key"
