"""What the home tab reads: one's own questions, and how it is with the sources of what everybody may see."""

from datetime import UTC, datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.chat.home_reading import SqlHomeReading
from adapters.sql.policies.sources import SqlSourceRuns
from adapters.sql.policies.versions import SqlVersionStore
from bot.commands.home import RecentQuestion, SourceStatus
from ingest.ports import SourceRun
from rag_core.documents import PolicySource, VersionStatus
from tests.fakes.documents import make_version, make_write
from tests.fakes.feedback import make_answer
from tests.fakes.kites import HIDDEN

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


async def asked(engine: AsyncEngine, number: int, text: str, **changes: str) -> None:
    at = NOON + timedelta(minutes=number)
    fields = {"answered_from": "slack", "question_text": text, "answered_at": at} | changes
    await SqlAnswerRecords(engine).save(make_answer(f"a{number}", **fields))


async def test_only_ones_own_questions_newest_first_each_once(engine: AsyncEngine) -> None:
    await asked(engine, 1, "wine?")
    await asked(engine, 2, "beer?")
    await asked(engine, 3, "wine?")
    await asked(engine, 4, "another's", person="U2")
    await asked(engine, 5, "another workspace's", workspace="T2")
    await asked(engine, 6, "over the API", answered_from="rest")
    reading = SqlHomeReading(engine)
    wine = RecentQuestion("a3", "wine?", NOON + timedelta(minutes=3))
    assert await reading.recent("slack", "T1", "U1", 5) == (
        wine,
        RecentQuestion("a2", "beer?", NOON + timedelta(minutes=2)),
    )
    assert await reading.recent("slack", "T1", "U1", 1) == (wine,)
    assert await reading.recent("slack", "T1", "U9", 5) == ()


async def test_sources_are_told_of_only_where_everybody_may_see_a_document_of_theirs(engine: AsyncEngine) -> None:
    writer, runs = SqlVersionStore(engine), SqlSourceRuns(engine)
    for slug in ("acme", "brim", "vault", "gone"):
        await writer.declare(PolicySource(slug, slug.title()))
    await writer.save(
        [
            make_write(make_version("acme_wine"), source_id="one"),
            make_write(make_version("acme_beer"), source_id="two"),
            make_write(make_version("brim_wine"), source_id="three"),
            make_write(make_version("vault_wine", **HIDDEN), source_id="four"),
            make_write(make_version("gone_wine", status=VersionStatus.HELD), source_id="five"),
        ],
        [],
    )
    later = NOON + timedelta(hours=1)
    await runs.keep(SourceRun("one", NOON, NOON))
    await runs.keep(SourceRun("two", later, later, "source_unreachable", 2))
    await runs.keep(SourceRun("four", NOON, NOON, "source_unreachable", 3))
    assert await SqlHomeReading(engine).statuses() == (
        SourceStatus("Acme", later, failing=True),
        SourceStatus("Brim", None, failing=False),
    )
