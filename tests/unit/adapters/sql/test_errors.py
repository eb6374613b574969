"""Every error of a driver in one of the three words."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from adapters.sql.database.engine import open_engine
from adapters.sql.database.errors import _translate, passes_by_itself, translated
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable


class ServerError(Exception):
    """As PostgreSQL's driver raises it."""

    def __init__(self, sqlstate: str, constraint_name: str | None = None) -> None:
        super().__init__("what the server said")
        self.sqlstate = sqlstate
        self.constraint_name = constraint_name
        self.detail: str | None = None

    def __str__(self) -> str:
        return f"what the server said {self.detail or ''}"


@pytest.mark.parametrize(
    ("sqlstate", "kind", "code"),
    [
        ("40001", Unavailable, "store_busy"),
        ("40P01", Unavailable, "store_busy"),
        ("53300", Unavailable, "store_busy"),
        ("57014", Unavailable, "store_busy"),
        ("53100", Unavailable, "store_full"),
        ("57P01", Unavailable, "store_down"),
        ("08006", Unavailable, "store_down"),
        ("42P01", Misconfigured, "store_not_migrated"),
        ("42703", Misconfigured, "store_not_migrated"),
        ("28P01", Misconfigured, "database_refused"),
        ("3D000", Misconfigured, "database_refused"),
        ("42501", Misconfigured, "database_refused"),
    ],
)
def test_what_a_server_says(sqlstate: str, kind: type[PolicyBotError], code: str) -> None:
    found = _translate(DBAPIError("SELECT", {}, ServerError(sqlstate)), "adpolicy")
    assert isinstance(found, kind)
    assert found.code == code


def test_a_broken_constraint_is_named() -> None:
    found = _translate(IntegrityError("INSERT", {}, ServerError("23505", "pk_versions")), "adpolicy")
    assert isinstance(found, Rejected)
    assert found.details == {"constraint": "pk_versions"}
    sqlite_says = sqlite3.IntegrityError("UNIQUE constraint failed: chunks.doc_id, chunks.chunk_index")
    found = _translate(IntegrityError("INSERT", {}, sqlite_says), "adpolicy")
    assert found.details == {"constraint": "chunks.doc_id, chunks.chunk_index"}
    found = _translate(IntegrityError("INSERT", {}, sqlite3.IntegrityError("FOREIGN KEY constraint failed")), "")
    assert found.details == {"constraint": "foreign key"}


@pytest.mark.parametrize(
    ("exc", "kind", "code"),
    [
        (DataError("INSERT", {}, ServerError("22003")), Rejected, "value_not_storable"),
        (PoolTimeout(), Unavailable, "store_busy"),
        (ConnectionRefusedError(), Unavailable, "store_down"),
        (OperationalError("SELECT", {}, sqlite3.OperationalError("unheard of")), Unavailable, "store_down"),
    ],
)
def test_what_has_no_code(exc: Exception, kind: type[PolicyBotError], code: str) -> None:
    found = _translate(exc, "adpolicy")
    assert isinstance(found, kind)
    assert found.code == code


def raised(exc: Exception) -> Unavailable:
    """Unavailable, as `translated` raises it for `exc`."""
    found = Unavailable("store_down")
    found.__cause__ = exc
    return found


@pytest.mark.parametrize(
    ("exc", "passes"),
    [
        (raised(DBAPIError("SELECT", {}, ServerError("40001"))), True),
        (raised(DBAPIError("SELECT", {}, ServerError("40P01"))), True),
        (raised(DBAPIError("SELECT", {}, ServerError("57P01"))), True),
        (raised(DBAPIError("SELECT", {}, ServerError("57P03"))), True),
        (raised(DBAPIError("SELECT", {}, ServerError("08006"))), True),
        (raised(DBAPIError("SELECT", {}, ServerError("0A000"))), True),
        (raised(DBAPIError("SELECT", {}, ServerError(""), connection_invalidated=True)), True),
        (raised(ConnectionRefusedError()), True),
        (raised(OSError("Multiple exceptions: ...")), True),
        (raised(DBAPIError("SELECT", {}, ServerError("57014"))), False),
        (raised(DBAPIError("SELECT", {}, ServerError("55P03"))), False),
        (raised(DBAPIError("SELECT", {}, ServerError("53100"))), False),
        (raised(DBAPIError("SELECT", {}, ServerError(""))), False),
        (raised(TimeoutError()), False),
        (raised(PoolTimeout()), False),
        (Unavailable("circuit_open"), False),
        (Rejected("constraint_broken"), False),
    ],
)
def test_what_is_worth_another_try_at_once(exc: Exception, passes: bool) -> None:
    assert passes_by_itself(exc) is passes


@pytest.mark.parametrize("name", ["InterfaceError", "ConnectionDoesNotExistError", "InternalClientError"])
def test_what_the_driver_raises_past_sqlalchemy(name: str) -> None:
    engine = open_engine("postgresql://nobody@localhost/nothing")
    with pytest.raises(Unavailable, match="store_down"), translated(engine):
        raise getattr(engine.dialect.loaded_dbapi.asyncpg.exceptions, name)("while setting up")


def test_a_row_that_a_server_quotes_does_not_get_into_logs(tmp_path: Path) -> None:
    said = ServerError("23514", "ck_answers")
    said.detail = "Failing row contains (somebody's words)."
    engine = open_engine(f"sqlite:///{tmp_path / 'store.sqlite3'}")
    with pytest.raises(Rejected, match="ck_answers"), translated(engine):
        raise IntegrityError("INSERT", {}, said)
    assert "somebody" not in str(said)
