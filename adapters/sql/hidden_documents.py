"""What the store holds for some only. Nothing of it but a yes or a no, or names of groups, leaves this module."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.rows import SHOWN
from adapters.sql.tables import versions
from adapters.sql.transactions import fetch
from rag_core.documents import Classification
from rag_core.revealing import names_document

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
