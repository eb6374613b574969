"""What changed in policies: written with the versions, read by whoever may see them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, and_, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.change_rows import change_from
from adapters.sql.dialect import among, shares_any
from adapters.sql.rows import SHOWN, VERSION_COLUMNS, version_from
from adapters.sql.tables import policy_changes, versions
from adapters.sql.transactions import fetch
from rag_core.changes import ChangesWanted, PolicyChange
from rag_core.documents import Classification

_previous = versions.alias("previous")
_CHANGE_COLUMNS = tuple(
    policy_changes.c[name] for name in ("change_id", "kind", "previous_doc_id", "changed_on", "details")
)


class SqlChangeFeed:
    """Reads `policy_changes`. The groups are checked in the statement, and again on the versions of each row."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def changes(
        self, wanted: ChangesWanted, groups: frozenset[str], limit: int | None = None
    ) -> list[PolicyChange]:
        before = [_previous.c[column.name] for column in VERSION_COLUMNS]
        statement = (
            select(*_CHANGE_COLUMNS, *VERSION_COLUMNS, *before)
            .join_from(policy_changes, versions, versions.c.doc_id == policy_changes.c.doc_id)
            .outerjoin(_previous, _previous.c.doc_id == policy_changes.c.previous_doc_id)
            .where(SHOWN, self._may_see(versions, groups), *self._wanted(wanted))
            .order_by(*self._order(wanted))
            .limit(limit)
        )
        first, second = len(_CHANGE_COLUMNS), len(_CHANGE_COLUMNS) + len(VERSION_COLUMNS)
        found = []
        for row in await fetch(self._engine, statement):
            version = version_from(row[first:second])
            previous = version_from(row[second:]) if row[second] is not None else None
            if version.may_see(groups):
                hidden = previous is not None and not previous.may_see(groups)
                found.append(change_from(row[:first], version, hides_previous=hidden))
        return found

    def _wanted(self, wanted: ChangesWanted) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if wanted.since is not None:
            conditions.append(policy_changes.c.changed_on >= wanted.since)
        if wanted.until is not None:
            conditions.append(policy_changes.c.changed_on <= wanted.until)
        if wanted.after is not None:
            conditions.append(policy_changes.c.change_id > wanted.after)
        if wanted.policy_sources:
            slugs = sorted(wanted.policy_sources)
            conditions.append(among(self._engine.dialect, policy_changes.c.policy_source, slugs))
        return conditions

    def _order(self, wanted: ChangesWanted) -> Sequence[ColumnElement[Any]]:
        by_id, by_day = policy_changes.c.change_id, policy_changes.c.changed_on
        order = (by_id,) if wanted.after is not None else (by_day, by_id)
        return tuple(each.desc() for each in order) if wanted.newest_first else order

    def _may_see(self, table: FromClause, groups: frozenset[str]) -> ColumnElement[bool]:
        public = table.c.classification == Classification.PUBLIC
        if not groups:
            return public
        member = shares_any(self._engine.dialect, table.c.allowed_groups, groups)
        return or_(public, and_(table.c.classification == Classification.RESTRICTED, member))
