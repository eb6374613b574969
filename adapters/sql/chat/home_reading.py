"""What somebody sees of himself and of the sources when he looks at the bot."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.transactions import fetch
from adapters.sql.tables.policies import answers, policy_sources, source_runs, versions
from bot.commands.home import RecentQuestion, SourceStatus
from rag_core.documents import SHOWN_STATUSES, Classification

_MOST_READ = 50
"""Rows from which the newest different questions are taken."""


class SqlHomeReading:
    """`bot.commands.home.HomeReading` on the tables of answers and of runs of sources."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def recent(self, platform: str, workspace: str, person: str, most: int) -> tuple[RecentQuestion, ...]:
        statement = (
            select(answers.c.answer_id, answers.c.question_text, answers.c.answered_at)
            .where(answers.c.workspace == workspace, answers.c.person == person, answers.c.answered_from == platform)
            .order_by(answers.c.answered_at.desc(), answers.c.answer_id)
            .limit(_MOST_READ)
        )
        found: dict[str, RecentQuestion] = {}
        for row in await fetch(self._engine, statement):
            found.setdefault(row.question_text, RecentQuestion(row.answer_id, row.question_text, row.answered_at))
        return tuple(found.values())[:most]

    async def statuses(self) -> tuple[SourceStatus, ...]:
        public = (
            select(versions.c.source_id, versions.c.policy_source)
            .where(
                versions.c.classification == Classification.PUBLIC.value,
                versions.c.status.in_([each.value for each in SHOWN_STATUSES]),
            )
            .distinct()
            .subquery()
        )
        statement = (
            select(
                policy_sources.c.display_name,
                func.max(source_runs.c.finished_at).label("read_at"),
                func.max(source_runs.c.failures).label("failures"),
            )
            .join_from(public, policy_sources, policy_sources.c.slug == public.c.policy_source)
            .outerjoin(source_runs, source_runs.c.source_id == public.c.source_id)
            .group_by(policy_sources.c.slug, policy_sources.c.display_name)
            .order_by(policy_sources.c.slug)
        )
        rows = await fetch(self._engine, statement)
        return tuple(SourceStatus(row.display_name, row.read_at, failing=bool(row.failures)) for row in rows)
