"""The sample policies ingested as they are at a start, and the web's parts over what really answers."""

from datetime import UTC, datetime

from adapters.sql.changes import SqlChangeFeed
from adapters.sql.feedback import SqlFeedback
from adapters.sql.given_answers import SqlGivenAnswers
from adapters.web.parts import WebParts
from bot.feedback import GivingFeedback
from bot.own_answers import OwnAnswers
from ingest.cli import ingest_catalogue
from ops.config import Config
from ops.parts import Answering, new_id, utc_now
from ops.wiring import open_ingest
from tests.fakes.web import FakeReady, no_figures


async def ingest_all(config: Config) -> None:
    """The documents of the catalogue that `config` names, by default the sample, with none failing."""
    async with open_ingest(config) as parts:
        report = await ingest_catalogue(config.catalogue, parts)
    assert not report.failed


def web_parts(answering: Answering) -> WebParts:
    given = SqlGivenAnswers(answering.engine)
    return WebParts(
        ask=answering.asking.ask,
        search=answering.search.search,
        store=answering.store,
        changes=SqlChangeFeed(answering.engine),
        read_answer=OwnAnswers(given, answering.store, answering.pseudonyms.of).read,
        give_feedback=GivingFeedback(
            given, SqlFeedback(answering.engine), now=utc_now, new_id=new_id, known_as=answering.pseudonyms.of
        ).give,
        links=answering.links,
        today=lambda: datetime.now(UTC).date(),
        ready=FakeReady(),
        metrics=no_figures,
    )
