"""Approved answers, put together: in front of the asker, and looked after beside the server."""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.store import SqlKeptPassages
from bot.answers.curated import CitationChecks, Curating
from bot.model.notices import NoticeQueue
from ops.monitoring.logs import ServiceEvents
from ops.parts import new_id, utc_now
from ops.platforms import known_platforms
from rag_core.curated.asking import CuratedAsker
from rag_core.errors import Unavailable
from rag_core.ports import Embedder, PolicyStore
from rag_core.questions import DeclaredLabel
from rag_core.revealing import AsksPolicies

CHECK_SECONDS = 60.0
"""How long an answer may go on being approved after one of its rules changed. It is not shown meanwhile: its citations
are looked up whenever it would be."""


def with_curated(
    asker: AsksPolicies, engine: AsyncEngine, embedder: Embedder, store: PolicyStore, labels: Sequence[DeclaredLabel]
) -> CuratedAsker:
    answers, vectors = SqlCuratedAnswers(engine), SqlEmbeddingStore(engine)
    return CuratedAsker(asker, answers, vectors, embedder, store, labels, known_platforms())


def build_curating(engine: AsyncEngine) -> Curating:
    return Curating(SqlCuratedAnswers(engine), SqlKeptPassages(engine), now=utc_now, new_id=new_id)


def build_checks(engine: AsyncEngine, queue: NoticeQueue) -> CitationChecks:
    shelf = SqlCuratedAnswers(engine)
    return CitationChecks(shelf, build_curating(engine), shelf, queue, lambda: utc_now().date())


async def keep_checking(checks: CitationChecks, events: ServiceEvents) -> None:
    """Until cancelled; what is down is tried again the next time."""
    while True:
        try:
            await checks.once()
        except Unavailable as exc:
            events.unavailable("-", exc, 0)
        await asyncio.sleep(CHECK_SECONDS)
