"""The sample policies ingested as they are at a start, and the web's parts over what really answers."""

from datetime import UTC, datetime

from adapters.sql.policies.changes import SqlChangeFeed
from adapters.web.parts import WebParts
from ingest.cli import ingest_catalogue
from ops.chat.people import giving_feedback, own_answers
from ops.config import Config
from ops.parts import Answering
from ops.wiring import open_ingest
from tests.fakes.web import FakeReady, no_figures


async def ingest_all(config: Config) -> None:
    """The documents of the catalogue that `config` names, by default the sample, with none failing."""
    async with open_ingest(config) as parts:
        report = await ingest_catalogue(config.catalogue, parts)
    assert not report.failed


def web_parts(answering: Answering) -> WebParts:
    return WebParts(
        ask=answering.asking.ask,
        search=answering.search.search,
        store=answering.store,
        changes=SqlChangeFeed(answering.engine),
        read_answer=own_answers(answering).read,
        give_feedback=giving_feedback(answering).give,
        links=answering.links,
        today=lambda: datetime.now(UTC).date(),
        ready=FakeReady(),
        metrics=no_figures,
    )
