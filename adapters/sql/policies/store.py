"""The source of truth as answering reads it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NoReturn

from sqlalchemy import ColumnElement, Table, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.dialect import among, batches, shares_any
from adapters.sql.database.transactions import fetch
from adapters.sql.policies.rows import (
    SHOWN,
    VERSION_COLUMNS,
    VERSION_ORDER,
    passages_from,
    select_passages,
    version_from,
)
from adapters.sql.tables.policies import LABELLED, chunks, policy_sources, version_texts, versions
from rag_core.documents import (
    Classification,
    DocumentVersion,
    Passage,
    PolicySource,
    VersionStatus,
    text_checksum,
    unlinked,
)
from rag_core.errors import STORED_TEXT_CHANGED, Unavailable
from rag_core.ports import VersionText
from rag_core.revealing import names_document


class SqlPolicyStore:
    """Reads only. Audience and status are checked in every statement, and the audience again on what it returns.

    Raises Unavailable("stored_text_changed") for texts that do not fit their checksums; `changed` is told the ids of
    these chunks, or of the version.
    """

    def __init__(self, engine: AsyncEngine, changed: Callable[[Sequence[str]], None] | None = None) -> None:
        self._engine = engine
        self._changed = changed

    async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None) -> list[Passage]:
        wanted = list(dict.fromkeys(chunk_ids))
        found: dict[str, Passage] = {}
        for batch in batches(wanted):
            conditions: list[ColumnElement[bool]] = [among(self._engine.dialect, chunks.c.chunk_id, batch)]
            if day is not None:
                conditions += [_holds_on(chunks, day), _holds_on(versions, day)]
            for passage in await self._passages(groups, *conditions):
                found[passage.chunk.chunk_id] = passage
        return [found[each] for each in wanted if each in found]

    async def section(self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]) -> list[Passage]:
        place = (chunks.c.doc_id == doc_id, chunks.c.chunk_index.between(first_index, last_index))
        return await self._passages(groups, *place)

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]:
        visible = (
            select(versions.c.policy_source, func.count(versions.c.document_id.distinct()).label("documents"))
            .where(self._visible(groups))
            .group_by(versions.c.policy_source)
            .subquery()
        )
        columns = (policy_sources.c.slug, policy_sources.c.display_name, policy_sources.c.aliases)
        statement = (
            select(*columns, visible.c.documents)
            .join_from(policy_sources, visible, visible.c.policy_source == policy_sources.c.slug)
            .order_by(policy_sources.c.slug)
        )
        rows = await fetch(self._engine, statement)
        labels = await self._labels(groups) if rows else {}
        return [
            PolicySource(slug, name, tuple(aliases), documents, frozenset(labels.get(slug, ())))
            for slug, name, aliases, documents in rows
        ]

    async def _labels(self, groups: frozenset[str]) -> dict[str, set[str]]:
        """The names of labels by policy source."""
        columns = (versions.c.policy_source, versions.c.labels)
        found: dict[str, set[str]] = {}
        labelled = select(*columns).where(self._visible(groups), LABELLED).distinct()
        for slug, labels in await fetch(self._engine, labelled):
            found.setdefault(slug, set()).update(labels)
        return found

    async def versions(self, groups: frozenset[str], document_id: str | None = None) -> list[DocumentVersion]:
        statement = select(*VERSION_COLUMNS).where(self._visible(groups)).order_by(*VERSION_ORDER)
        if document_id is not None:
            statement = statement.where(versions.c.document_id == document_id)
        rows = await fetch(self._engine, statement)
        found = [version for row in rows if (version := version_from(row)).may_see(groups)]
        return await self._linked(found, groups)

    async def version_text(self, doc_id: str, groups: frozenset[str]) -> VersionText | None:
        statement = (
            select(version_texts.c.text, version_texts.c.checksum, *VERSION_COLUMNS)
            .join_from(versions, version_texts, version_texts.c.doc_id == versions.c.doc_id)
            .where(versions.c.doc_id == doc_id, self._visible(groups))
        )
        rows = await fetch(self._engine, statement)
        for text, checksum, *row in rows:
            if (version := version_from(row)).may_see(groups):
                if text_checksum(text) != checksum:
                    self._refuse([doc_id])
                return VersionText((await self._linked([version], groups))[0], text)
        return None

    async def _linked(self, found: Sequence[DocumentVersion], groups: frozenset[str]) -> list[DocumentVersion]:
        """`found`, each with those of the versions that it supersedes that may be seen."""
        named = {doc_id for each in found for doc_id in (each.supersedes or "").split()}
        seen: set[str] = {each.doc_id for each in found}
        for batch in batches(sorted(named - seen)):
            mine = among(self._engine.dialect, versions.c.doc_id, batch)
            rows = await fetch(self._engine, select(*VERSION_COLUMNS).where(mine, self._may_see(groups)))
            seen |= {version.doc_id for row in rows if (version := version_from(row)).may_see(groups)}
        return [
            replace(each, supersedes=" ".join(name for name in each.supersedes.split() if name in seen) or None)
            if each.supersedes
            else each
            for each in found
        ]

    async def _passages(self, groups: frozenset[str], *conditions: ColumnElement[bool]) -> list[Passage]:
        order = (chunks.c.doc_id, chunks.c.chunk_index)
        statement = select_passages().where(self._visible(groups), *conditions).order_by(*order)
        found = passages_from(await fetch(self._engine, statement))
        found = [unlinked(passage) for passage in found if passage.version.may_see(groups)]
        if changed := [each.chunk.chunk_id for each in found if not each.is_intact]:
            self._refuse(changed)
        return found

    def _refuse(self, changed: Sequence[str]) -> NoReturn:
        if self._changed is not None:
            self._changed(changed)
        raise Unavailable(STORED_TEXT_CHANGED, ids=list(changed))

    def _visible(self, groups: frozenset[str]) -> ColumnElement[bool]:
        return and_(SHOWN, self._may_see(groups))

    def _may_see(self, groups: frozenset[str]) -> ColumnElement[bool]:
        public = versions.c.classification == Classification.PUBLIC
        if not groups:
            return public
        allowed: ColumnElement[Any] = versions.c.allowed_groups
        member = shares_any(self._engine.dialect, allowed, groups)
        return or_(public, and_(versions.c.classification == Classification.RESTRICTED, member))


def _holds_on(table: Table, day: date) -> ColumnElement[bool]:
    """Of chunks and of versions; what was replaced outright is left out by SHOWN, also where its start is open."""
    return and_(
        or_(table.c.effective_from <= day, versions.c.open_start),
        or_(table.c.effective_to.is_(None), table.c.effective_to > day),
    )


_COLUMNS = (versions.c.document_id, versions.c.title, versions.c.classification, versions.c.allowed_groups)


class SqlHiddenDocuments:
    """`rag_core.ports.HiddenDocuments`, and which groups documents name."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def any_named(self, text: str, groups: frozenset[str]) -> bool:
        rows = await self._shown()
        seen = {row.document_id for row in rows if _may_see(row, groups)}
        return any(names_document(text, row.document_id, row.title) for row in rows if row.document_id not in seen)

    async def groups(self) -> frozenset[str]:
        """Those that any document is restricted to."""
        rows = await self._shown()
        return frozenset(
            group for row in rows if row.classification == Classification.RESTRICTED for group in row.allowed_groups
        )

    async def _shown(self) -> Sequence[Any]:
        return await fetch(self._engine, select(*_COLUMNS).where(SHOWN).distinct())


def _may_see(row: Any, groups: frozenset[str]) -> bool:
    return row.classification == Classification.PUBLIC or bool(groups & set(row.allowed_groups))


_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class ChangedTexts:
    """What does not fit its checksum: chunks (chunk_id -> doc_id), and the versions whose text does not."""

    chunks: Mapping[str, str]
    versions: Sequence[str]

    @property
    def doc_ids(self) -> list[str]:
        """Every version concerned, in order."""
        return sorted({*self.chunks.values(), *self.versions})


class SqlKeptPassages:
    """Chunks of every version, of whatever status, day and audience."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def passages(self, chunk_ids: Sequence[str]) -> dict[str, Passage]:
        """By their ids; those that are not there are left out."""
        found: dict[str, Passage] = {}
        for batch in batches(chunk_ids):
            statement = select_passages().where(among(self._engine.dialect, chunks.c.chunk_id, batch))
            found.update({each.chunk.chunk_id: each for each in passages_from(await fetch(self._engine, statement))})
        return found

    async def live_on(self, document_id: str, day: date) -> list[Passage]:
        """The version of a document that is live and holds on `day`, in the order of its text."""
        live = (versions.c.document_id == document_id, versions.c.status == VersionStatus.LIVE.value)
        statement = select_passages().where(*live).order_by(chunks.c.doc_id, chunks.c.chunk_index)
        found = passages_from(await fetch(self._engine, statement))
        return [each for each in found if each.version.holds_on(day)]

    async def changed(self) -> ChangedTexts:
        """Every chunk and every version's text held against its checksum, batch by batch. Raises Unavailable."""
        found: dict[str, str] = {}
        following = select_passages().order_by(chunks.c.chunk_id).limit(_AT_A_TIME)
        last = ""
        while batch := passages_from(await fetch(self._engine, following.where(chunks.c.chunk_id > last))):
            found |= {each.chunk.chunk_id: each.chunk.doc_id for each in batch if not each.is_intact}
            last = batch[-1].chunk.chunk_id
        return ChangedTexts(found, await self._changed_versions())

    async def _changed_versions(self) -> list[str]:
        found: list[str] = []
        following = select(version_texts).order_by(version_texts.c.doc_id).limit(_AT_A_TIME)
        last = ""
        while rows := await fetch(self._engine, following.where(version_texts.c.doc_id > last)):
            found += [row.doc_id for row in rows if text_checksum(row.text) != row.checksum]
            last = rows[-1].doc_id
        return found
