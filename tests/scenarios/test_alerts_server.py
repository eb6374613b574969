"""A real server with Slack beside it: what is recorded in its store is told in the channel that subscribed."""

from pathlib import Path

import pytest

from ops.config import Config
from ops.wiring import open_engine
from tests.fakes.alerts import FEBRUARY, JANUARY, KITES, NO_KITES, Newsroom
from tests.fakes.program import running_server
from tests.fakes.slack_beside import slack_beside

pytestmark = pytest.mark.timeout(120)


async def test_a_running_server_tells_what_is_recorded(sample_copy: Path) -> None:
    with running_server(sample_copy, settings={"ALERT_SETTLE_SECONDS": "0"}) as server:
        async with slack_beside(server) as slack, open_engine(Config(data_dir=sample_copy)) as engine:
            news = Newsroom(engine)
            await news.declare()
            await news.arrive(JANUARY, KITES)
            await news.subscribe("C1", policy_sources=("acme",))
            await news.arrive(FEBRUARY, NO_KITES)
            await slack.until(lambda: bool(slack.bot_messages("C1")), 30)
            [alert] = slack.bot_messages("C1")
            assert "Policy changed: Acme Kites" in alert.text
