"""Column types on both databases, as far as no server is needed for it."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import Dialect, make_url, select
from sqlalchemy.schema import CreateTable

from adapters.sql.database.dialect import batches, shares_any
from adapters.sql.database.types import Json, PlainText, UtcDateTime, storable, utc_now
from adapters.sql.tables.policies import metadata, versions

SQLITE, POSTGRESQL = (make_url(address).get_dialect()() for address in ("sqlite://", "postgresql+asyncpg://"))
MOMENT = datetime(2026, 6, 1, 12, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL], ids=["sqlite", "postgresql"])
def test_a_moment_is_the_same_moment_everywhere(dialect: Dialect) -> None:
    column = UtcDateTime()
    east = MOMENT.astimezone(timezone(timedelta(hours=9)))
    written = column.process_bind_param(east, dialect)
    read = column.process_result_value(written, dialect)
    assert read == MOMENT
    assert read is not None
    assert read.tzinfo is UTC
    assert column.process_bind_param(None, dialect) is column.process_result_value(None, dialect) is None
    with pytest.raises(ValueError, match="time zone"):
        column.process_bind_param(MOMENT.replace(tzinfo=None), dialect)


def test_the_clock_knows_its_zone() -> None:
    assert utc_now().tzinfo is UTC


def test_text_is_made_storable_one_for_one() -> None:
    text = "a\x00b\ud800c\n\t🍷"
    assert storable(text) == "a\ufffdb\ufffdc\n\t🍷"
    assert len(storable(text)) == len(text)
    assert PlainText().process_bind_param(None, SQLITE) is None


def test_every_text_in_json_is_made_storable() -> None:
    value = {"bad\x00key": ["\ud800", ("a\x00",), 1, None, True, 1.5, {"deep": "\udfff"}]}
    stored = Json().process_bind_param(value, POSTGRESQL)
    assert stored == {"bad\ufffdkey": ["\ufffd", ["a\ufffd"], 1, None, True, 1.5, {"deep": "\ufffd"}]}
    assert Json().process_bind_param(None, SQLITE) is None


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=str)
def test_postgresql_gets_types_of_its_own(table: Any) -> None:
    ddl = str(CreateTable(table).compile(dialect=POSTGRESQL))
    assert " JSON" not in ddl.replace(" JSONB", "")
    assert "WITHOUT TIME ZONE" not in ddl
    assert 'TEXT COLLATE "C"' in ddl


def test_lists_are_searched_in_each_databases_words() -> None:
    for dialect, words in ((SQLITE, "json_each"), (POSTGRESQL, "?|")):
        statement = select(versions.c.doc_id).where(shares_any(dialect, versions.c.allowed_groups, {"legal"}))
        compiled = str(statement.compile(dialect=dialect))
        assert words in compiled
        assert compiled.count("FROM versions") == 1


def test_batches_keep_order_and_size() -> None:
    assert list(batches(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(batches([], 2)) == []
