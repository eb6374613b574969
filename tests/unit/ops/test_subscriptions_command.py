"""`python -m ops subscriptions`."""

import json
from pathlib import Path

import pytest

from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.subscriptions import SqlSubscriptions
from bot.model.subscriptions import Rhythm, Subscription
from ops.cli import parse
from ops.commands.subscriptions import subscriptions
from ops.config import Config
from ops.wiring import open_engine
from rag_core.questions import Filters
from tests.fakes.notices import make_notice
from tests.fakes.questions import NOON


async def run(config: Config, *given: str) -> int:
    return await subscriptions(parse(["subscriptions", *given]), config)


async def test_it_lists_who_hears_of_what_and_what_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = Config(data_dir=tmp_path)
    assert await run(config) == 0
    assert capsys.readouterr().out == "No channel has subscribed to policy changes.\nNo message waits to be sent.\n"
    wanted = Filters(policy_sources=("acme",), regions=("uk",))
    async with open_engine(config) as engine:
        await SqlSubscriptions(engine).begin(
            Subscription("s1", "slack", "T1", "C1", Rhythm.DAILY, "U1", NOON, 0, wanted)
        )
        await SqlNoticeQueue(engine).queue([make_notice()])
    assert await run(config) == 0
    told = capsys.readouterr().out
    for words in (
        "slack:T1/C1",
        "policy changes of Acme for the United Kingdom",
        "daily",
        "Messages that wait: 1",
        "alert",
    ):
        assert words in told, words
    assert await run(config, "--format", "json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["subscriptions"][0]["filters"]["regions"] == ["uk"]
    assert shown["notices"]["waiting"] == 1
    assert "U1" not in json.dumps(shown)
