"""The register of what is kept of people, compared with what there is."""

import re
from collections import Counter
from pathlib import Path

import pytest

from adapters.sql.people.privacy import PEOPLE_ROWS
from adapters.sql.people.retention import SWEPT
from ops.config import Config
from ops.privacy.register import NOT_REACHED, REGISTER, WITHOUT_PEOPLE
from tests.fakes.every_table import metadata

PAGE = (Path(__file__).resolve().parents[4] / "ops" / "docs" / "privacy.md").read_text(encoding="utf-8")
PERSONAL = re.compile(
    r"person|actor|user|asker|owner|account|author|member|email|asked|question|understood|comment|note|remark|history"
    r"|undone_by|(created|changed|approved|asked|given|made)_by|^text$|^fields$|^reply|^trace$|conversation|channel"
)
"""How columns are called that hold somebody, or what somebody wrote."""

LISTED = Counter(table for kept in REGISTER for table in kept.tables)


def test_every_table_is_in_the_register_or_known_to_hold_nobody() -> None:
    unknown = set(metadata.tables) - set(LISTED) - set(WITHOUT_PEOPLE)
    assert unknown == set(), "say in ops/privacy/register.py what of people is kept in these tables"
    assert [table for table, times in LISTED.items() if times > 1 or table in WITHOUT_PEOPLE] == []


@pytest.mark.parametrize("table", sorted(set(WITHOUT_PEOPLE) & set(metadata.tables)))
def test_a_table_that_is_said_to_hold_nobody_has_no_column_for_it(table: str) -> None:
    assert [column.name for column in metadata.tables[table].columns if PERSONAL.search(column.name)] == []


def test_the_pattern_knows_the_columns_there_are() -> None:
    """Each table of people has a column that the test above would have found, so that a new one like it is found."""
    known = {"answers", "messages", "inbox", "audit_personal", "removals", "forgettings", "versions", "conversations"}
    assert {name for name in known if any(PERSONAL.search(c.name) for c in metadata.tables[name].columns)} == known


@pytest.mark.parametrize("table", [name for name in metadata.tables if "person" in metadata.tables[name].columns])
def test_a_table_with_a_person_is_reached_by_forgetting(table: str) -> None:
    by_hand = {"messages", "audit_personal", "removals", "forgettings", "curated_answers", "known_conversations"}
    by_hand.add("rule_corrections")
    assert table in by_hand | {rows.table.name for rows in PEOPLE_ROWS}


def test_every_kind_says_how_long_and_every_setting_is_one() -> None:
    for kept in REGISTER:
        assert bool(kept.days) != bool(kept.until), kept.kind
        assert kept.holds
        assert kept.forgotten
        assert kept.tables or kept.elsewhere, kept.kind
        assert not kept.days or kept.days in Config.model_fields


def test_every_kind_that_the_sweep_removes_has_a_setting() -> None:
    swept = {kept.kind: kept.days for kept in REGISTER if kept.days.startswith("keep_")}
    assert set(SWEPT) == set(swept)
    assert set(swept.values()) == {name for name in Config.model_fields if name.startswith("keep_")}


def test_the_page_tells_of_every_kind_and_every_limit() -> None:
    for kept in REGISTER:
        assert f"| {kept.kind} |" in PAGE, kept.kind
        if kept.days:
            assert f"`ADPOLICY_{kept.days.upper()}`" in PAGE
    for each in NOT_REACHED:
        assert each.partition(" (")[0] in PAGE.replace("\n", " "), each
