"""What changed in policies: written with the versions, read by whoever may see them."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, FromClause, and_, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import among, lock_for_changes, shares_any
from adapters.sql.database.moments import Moment
from adapters.sql.database.transactions import fetch, read
from adapters.sql.database.types import storable
from adapters.sql.policies.rows import SHOWN, VERSION_COLUMNS, version_from
from adapters.sql.tables.policies import policy_changes, version_texts, versions
from ingest.model.names import version_number
from ingest.ports import VersionUpdate, VersionWrite
from rag_core.changes import (
    ChangeKind,
    ChangesWanted,
    PolicyChange,
    SectionChange,
    diff,
    kind_of,
    section_from,
    section_json,
)
from rag_core.documents import SHOWN_STATUSES, Classification, DocumentVersion, VersionStatus

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


def details_of(sections: Sequence[SectionChange]) -> dict[str, Any]:
    """The sections as plain JSON values."""
    return {"sections": [section_json(section) for section in sections]}


def change_from(row: Sequence[Any], version: DocumentVersion, *, hides_previous: bool) -> PolicyChange:
    """A change from (change_id, kind, previous_doc_id, changed_on, details) and the version it is about.

    With `hides_previous` the version before is none for this reader: what differs from it would tell what it said.
    """
    change_id, kind, previous_doc_id, changed_on, details = row
    kind = ChangeKind(kind)
    if hides_previous:
        kind, previous_doc_id, details = ChangeKind.ADDED, None, details_of(())
    return PolicyChange(
        kind=kind,
        document_id=version.document_id,
        policy_source=version.policy_source,
        doc_id=version.doc_id,
        previous_doc_id=previous_doc_id,
        changed_on=changed_on,
        sections=tuple(section_from(each) for each in details["sections"]),
        title=version.title,
        change_id=change_id,
    )


Pair = tuple[str, str]
Differences = dict[Pair, tuple[SectionChange, ...]]
"""What differs between two versions, by their doc_ids: texts of versions never change, so it holds for good."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A row as it has to be. `previous`: what to compare with, None for a version that came or went."""

    doc_id: str
    previous: str | None
    kind: ChangeKind
    changed_on: date


async def foresee(engine: AsyncEngine, writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate]) -> Differences:
    """What a save will have to compare, compared before its transaction: others wait for the end of that."""
    if not updates and all(each.version.supersedes is None for each in writes):
        return {}  # documents that begin: should another process have begun one meanwhile, it is compared in the end

    async def look(connection: AsyncConnection) -> tuple[list[Pair], dict[str, str]]:
        document_ids = await documents_of(connection, writes, updates)
        pairs = [
            (each.previous, each.doc_id)
            for history in _after(await _histories(connection, document_ids), writes, updates)
            for each in _wanted(history)
            if each.previous is not None
        ]
        known = await _compared(connection, document_ids)
        pairs = [pair for pair in pairs if pair not in known]
        given = {write.version.doc_id: storable(write.text) for write in writes}
        return pairs, given | await _texts(connection, {doc_id for pair in pairs for doc_id in pair} - given.keys())

    pairs, texts = await read(engine, look)
    return await asyncio.to_thread(_differences, pairs, texts)


def _differences(pairs: Iterable[Pair], texts: Mapping[str, str]) -> Differences:
    return {pair: diff(texts[pair[0]], texts[pair[1]]) for pair in pairs}


async def record_changes(
    connection: AsyncConnection, document_ids: Iterable[str], differences: Differences, now: Moment
) -> None:
    """Bring the rows of these documents in line with their versions as they are now."""
    await lock_for_changes(connection)  # ids are given in the order of commits: who reads on from one misses none
    for document_id in sorted(set(document_ids)):
        histories = await _histories(connection, [document_id])
        wanted = [each for history in histories.values() for each in _wanted(history)]
        await _record(connection, document_id, wanted, dict(differences), now)


async def _record(
    connection: AsyncConnection, document_id: str, wanted: Sequence[_Wanted], differences: Differences, now: Moment
) -> None:
    known = await _compared(connection, [document_id])
    pairs = [(each.previous, each.doc_id) for each in wanted if each.previous is not None]
    if missing := [pair for pair in pairs if pair not in differences and pair not in known]:
        texts = await _texts(connection, {doc_id for pair in missing for doc_id in pair})
        differences |= await asyncio.to_thread(_differences, missing, texts)
    fresh = {pair: (kind_of(sections), details_of(sections)) for pair, sections in differences.items()}
    rows = [_row(each, {**fresh, **known}) for each in wanted]
    await _replace(connection, document_id, rows, now)


def _row(wanted: _Wanted, compared: Mapping[Pair, tuple[ChangeKind, dict[str, Any]]]) -> dict[str, Any]:
    kind, details = wanted.kind, details_of(())
    if wanted.previous is not None:
        kind, details = compared[wanted.previous, wanted.doc_id]
    return {
        "doc_id": wanted.doc_id,
        "previous_doc_id": wanted.previous,
        "kind": kind.value,
        "changed_on": wanted.changed_on,
        "details": details,
    }


async def _replace(connection: AsyncConnection, document_id: str, rows: list[dict[str, Any]], now: Moment) -> None:
    table = policy_changes
    names = ("doc_id", "previous_doc_id", "kind", "changed_on", "details")
    statement = select(table.c.change_id, *(table.c[name] for name in names)).where(table.c.document_id == document_id)
    stored = {row[0]: dict(zip(names, row[1:], strict=True)) for row in (await connection.execute(statement)).all()}
    kept = {change_id for change_id, row in stored.items() if row in rows}
    missing = [row for row in rows if row not in [stored[change_id] for change_id in kept]]
    carried = _carried({key: row for key, row in stored.items() if key not in kept}, missing)
    gone = stored.keys() - kept - carried.keys()
    if gone:
        await connection.execute(delete(table).where(table.c.change_id.in_(sorted(gone))))
    for change_id, row in carried.items():
        await connection.execute(update(table).where(table.c.change_id == change_id).values(row))
    source = select(versions.c.policy_source).where(versions.c.document_id == document_id).limit(1)
    common = {"document_id": document_id, "policy_source": source.scalar_subquery(), "recorded_at": now}
    for row in missing:
        if row not in carried.values():
            await connection.execute(insert(table).values(**row, **common))


def _carried(old: Mapping[int, dict[str, Any]], missing: Sequence[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Rows that say what is wanted, for a version that another one of its day has replaced."""
    found: dict[int, dict[str, Any]] = {}
    for change_id, row in old.items():
        same = [each for each in missing if _says(each) == _says(row) and each not in found.values()]
        if same:
            found[change_id] = same[0]
    taken = {(row["doc_id"], row["kind"]) for row in old.values()}
    return {key: row for key, row in found.items() if (row["doc_id"], row["kind"]) not in taken}


def _says(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["kind"], row["changed_on"], row["details"]


def _wanted(history: Sequence[DocumentVersion]) -> list[_Wanted]:
    """The rows of one document: its first version came, each other changed the one before, the last may have gone."""
    held = [each for each in sorted(history, key=_order) if _holds(each)]
    rows = [_Wanted(each.doc_id, None, ChangeKind.ADDED, each.effective_from) for each in held[:1]]
    for before, after in pairwise(held):
        rows.append(_Wanted(after.doc_id, before.doc_id, ChangeKind.CHANGED, after.effective_from))
        if before.effective_to is not None and before.effective_to < after.effective_from:
            rows.append(_Wanted(before.doc_id, None, ChangeKind.REMOVED, before.effective_to))
    rows += [
        _Wanted(each.doc_id, None, ChangeKind.REMOVED, each.effective_to)
        for each in held[-1:]
        if each.effective_to is not None
    ]
    return rows


def _order(version: DocumentVersion) -> tuple[date, int]:
    return version.effective_from, version_number(version.doc_id)


def _holds(version: DocumentVersion) -> bool:
    """On some day at least."""
    ended = version.effective_to is not None and version.effective_to <= version.effective_from
    return version.status in SHOWN_STATUSES and not ended


def _after(
    histories: Mapping[str, Sequence[DocumentVersion]], writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate]
) -> list[list[DocumentVersion]]:
    """The histories as a save will leave them."""
    later = {each.doc_id: each for each in updates}
    found = {document_id: {each.doc_id: each for each in history} for document_id, history in histories.items()}
    for write in writes:
        found.setdefault(write.version.document_id, {}).setdefault(write.version.doc_id, write.version)
    return [[_updated(each, later.get(each.doc_id)) for each in history.values()] for history in found.values()]


def _updated(version: DocumentVersion, change: VersionUpdate | None) -> DocumentVersion:
    if change is None or change.status not in frozenset(VersionStatus):
        return version
    return replace(
        version,
        effective_from=change.effective_from or version.effective_from,
        effective_to=change.effective_to,
        status=VersionStatus(change.status),
        supersedes=change.supersedes,
    )


async def documents_of(
    connection: AsyncConnection, writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate]
) -> set[str]:
    """The documents that a save touches."""
    written = {write.version.document_id for write in writes}
    if not updates:
        return written
    touched = among(connection.dialect, versions.c.doc_id, [each.doc_id for each in updates])
    stored = await connection.execute(select(versions.c.document_id).where(touched))
    return written | set(stored.scalars())


async def _histories(connection: AsyncConnection, document_ids: Iterable[str]) -> dict[str, list[DocumentVersion]]:
    mine = among(connection.dialect, versions.c.document_id, list(document_ids))
    found: dict[str, list[DocumentVersion]] = {}
    for row in (await connection.execute(select(*VERSION_COLUMNS).where(mine))).all():
        version = version_from(row)
        found.setdefault(version.document_id, []).append(version)
    return found


async def _texts(connection: AsyncConnection, doc_ids: Iterable[str]) -> dict[str, str]:
    mine = among(connection.dialect, version_texts.c.doc_id, list(doc_ids))
    rows = await connection.execute(select(version_texts.c.doc_id, version_texts.c.text).where(mine))
    return {row[0]: row[1] for row in rows.all()}


async def _compared(
    connection: AsyncConnection, document_ids: Iterable[str]
) -> dict[Pair, tuple[ChangeKind, dict[str, Any]]]:
    """What is in the rows already."""
    table = policy_changes
    mine = among(connection.dialect, table.c.document_id, list(document_ids)) & table.c.previous_doc_id.is_not(None)
    statement = select(table.c.previous_doc_id, table.c.doc_id, table.c.kind, table.c.details).where(mine)
    rows = (await connection.execute(statement)).all()
    return {(previous, doc_id): (ChangeKind(kind), details) for previous, doc_id, kind, details in rows}
