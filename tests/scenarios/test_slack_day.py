"""A day in Slack with the real program, from the first command to the end of the installation: over HTTP and over
Socket Mode. What each part does in detail, and what can go wrong, stands in the tests of the parts."""

import json
import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bot.render.scope_form import PLACE
from bot.render.slack.modals import CHANNEL, COMMENT, REASONS
from bot.render.slack.settings import PERSON_CHANNEL
from bot.render.slack.view import SlackAction
from ops.config import SAMPLE_CATALOGUE
from ops.deploy.slack_manifest import manifest
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, app_of_manifest
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.person import Person
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message
from tests.fakes.program import SIGNING_SECRET, Ports, environment, free_ports, run, running_server
from tests.fakes.service import until
from tests.fakes.slack_replies import replies

pytestmark = pytest.mark.timeout(300)

HOME, DESK = "C1", "C7"
ALCOHOL = "can I advertise alcohol in the UK"
STRICTER = """
## United Kingdom: hours of the day

Ads for alcoholic drinks must not be shown in the United Kingdom before nine in the evening.
"""


@dataclass
class Day:
    """People: U1 asks, U2 is asked, U3 is an admin."""

    slack: SlackStandIn
    folder: Path
    env: Mapping[str, str]

    def person(self, user: str = "U1") -> Person:
        return self.slack.person(user)

    def replies(self, channel: str, thread: str = "") -> list[Message]:
        """Terminal messages that everybody sees there."""
        return replies(self.slack, channel, thread)

    async def reply(self, count: int, channel: str, thread: str = "") -> Message:
        """The last of so many."""
        await self.slack.until(lambda: len(self.replies(channel, thread)) >= count, 20)
        assert len(self.replies(channel, thread)) == count
        return self.replies(channel, thread)[-1]

    async def private(self, user: str = "U1", channel: str = HOME) -> Message:
        await self.slack.until(lambda: bool(self.person(user).ephemeral(channel)), 20)
        return self.person(user).ephemeral(channel)[-1]

    async def modal(self, user: str, title: str = "", holds: str = "") -> View:
        """The modal that is open now, once it is not loading any more."""

        async def is_there() -> bool:
            view = self.person(user).modal
            return view is not None and title in view.title and holds in shown(view)

        try:
            await until(is_there, 20)
        except TimeoutError:
            pytest.fail(f"no modal with {holds!r}, but {self.person(user).modal}")
        view = self.person(user).modal
        assert view is not None
        return view

    def ingest(self) -> None:
        ended = run("ingest", "run", "--quiet", env=self.env, cwd=self.folder)
        assert ended.returncode == 0, ended.stderr


@pytest.fixture(params=["http", "socket"])
async def day(request: pytest.FixtureRequest, sample_copy: Path, tmp_path: Path) -> AsyncIterator[Day]:
    samples = Path(shutil.copytree(SAMPLE_CATALOGUE.parent, tmp_path / "samples"))
    settings = {"CATALOGUE": str(samples / SAMPLE_CATALOGUE.name), "ALERT_SETTLE_SECONDS": "0"}
    env = environment(sample_copy, **settings)
    ports, is_socket = Ports(*free_ports(3)), request.param == "socket"
    settings |= {"SLACK_APP_TOKEN": "xapp-sandbox"} if is_socket else {}
    app = app_of_manifest(manifest(f"http://127.0.0.1:{ports.chat}", socket=is_socket), SIGNING_SECRET)
    slack = SlackStandIn(
        f"http://127.0.0.1:{ports.chat}", SIGNING_SECRET, app=replace(app, app_token="xapp-sandbox"), limits=NO_LIMITS
    )
    slack.workspace.channels[DESK] = Channel(DESK, "ask-legal", frozenset({BOT, "U2", "U3"}), is_private=True)
    await slack.start(ports.slack)
    try:
        with running_server(sample_copy, ports, settings):
            if is_socket:
                await slack.sockets.connected(seconds=20)
            yield Day(slack, samples, env)
    finally:
        await slack.stop()


def shown(message: Message | View) -> str:
    return json.dumps(message.payload if isinstance(message, Message) else message.body, ensure_ascii=False)


async def test_a_day(day: Day) -> None:
    first = await asks_and_goes_on(day)
    await asks_elsewhere(day)
    await keeps_to_himself_then_shares(day)
    await says_what_he_thinks(day, first)
    await looks_closer(day, first)
    await asks_a_person(day)
    await hears_of_changes(day)
    await leaves(day)


async def asks_and_goes_on(day: Day) -> Message:
    """A command, follow-ups in its thread, and talk that is none of the bot's business."""
    await day.person().commands("/adpolicy", ALCOHOL)
    answer = await day.reply(1, HOME)
    assert "Restricted in the United Kingdom" in shown(answer)
    assert "can I advertise alcohol" in shown(answer)
    await day.person().says("and what about gambling?", HOME, answer.ts)
    followed = await day.reply(2, HOME, answer.ts)
    assert "gambling" in shown(followed).lower()
    assert "United Kingdom" in shown(followed)
    await day.person("U2").says("thanks, I will tell the team", HOME, answer.ts)
    await day.person("U2").says("@Ad operations did you see this?", HOME, answer.ts)
    await day.slack.catch_up()
    assert len(day.replies(HOME, answer.ts)) == 2
    return answer


async def asks_elsewhere(day: Day) -> None:
    """A mention, and a direct message."""
    asked = await day.person("U2").mentions("what about tobacco ads?", HOME)
    reply = await day.reply(1, HOME, asked.ts)
    assert reply.thread_ts == asked.ts
    assert "obacco" in shown(reply)
    written = await day.person().writes_to_bot("can I advertise weapons in Germany?")
    assert "eapon" in shown(await day.reply(1, written.channel, written.ts))


async def keeps_to_himself_then_shares(day: Day) -> None:
    before = len(day.replies(HOME))
    await day.person().commands("/adpolicy", f"private {ALCOHOL}")
    mine = await day.private()
    assert "Restricted" in shown(mine)
    assert len(day.replies(HOME)) == before
    await day.person().clicks(mine, SlackAction.SHARE)
    await day.person().submits(await day.modal("U1"), {CHANNEL: HOME})
    assert "Restricted" in shown(await day.reply(before + 1, HOME))


async def says_what_he_thinks(day: Day, answer: Message) -> None:
    await day.person("U2").clicks(answer, "Useful")
    await day.person().clicks(answer, "Not useful")
    modal = await day.modal("U1", holds=REASONS)
    await day.person().submits(modal, {REASONS: ["unclear"], COMMENT: "Which hours?"})
    assert day.person().modal is None


async def looks_closer(day: Day, answer: Message) -> None:
    """Sources in context, then the same question for another place."""
    await day.person().clicks(answer, SlackAction.SHOW_SOURCES)
    sources = await day.modal("U1", holds="in force since")
    await day.person().closes(sources)
    await day.person().clicks(answer, SlackAction.CHANGE_SCOPE)
    before = len(day.replies(HOME, answer.ts))
    await day.person().submits(await day.modal("U1", holds=PLACE), {PLACE: "Germany"})
    assert "Germany" in shown(await day.reply(before + 1, HOME, answer.ts))


async def asks_a_person(day: Day) -> None:
    """The channel's settings name people; one of them answers, and the answer comes back."""
    await day.person("U3").commands("/adpolicy", "settings")
    await day.person("U3").submits(await day.modal("U3", holds=PERSON_CHANNEL), {PERSON_CHANNEL: DESK})
    before = len(day.replies(HOME))
    await day.person("U3").commands("/adpolicy", ALCOHOL)
    answer = await day.reply(before + 1, HOME)
    await day.person().clicks(answer, SlackAction.ASK_PERSON)
    await day.person().submits(await day.modal("U1", holds="note"), {})
    await day.slack.until(lambda: bool(day.slack.bot_messages(DESK)), 20)
    [asked] = day.slack.bot_messages(DESK)
    assert "alcohol" in shown(asked)
    await day.person("U2").clicks(asked, SlackAction.CLAIM)
    await day.person("U2").says("Yes, with the label on every picture.", DESK, asked.ts)

    def came_back() -> list[Message]:
        return [each for each in day.slack.messages_in(HOME, answer.ts) if "label on every picture" in shown(each)]

    await day.slack.until(lambda: bool(came_back()), 20)
    [back] = came_back()
    assert "person" in shown(back).lower()
    assert back.thread_ts == answer.ts


async def hears_of_changes(day: Day) -> None:
    await day.person("U2").commands("/adpolicy", "subscribe")
    await day.slack.until(lambda: any("subscribed this channel" in each.text for each in day.slack.messages), 20)
    changed = day.folder / "alcohol.2026-05-04.md"
    newer = day.folder / "alcohol.2026-11-01.md"
    text = changed.read_text("utf-8").replace("2026-05-04", "2026-11-01")
    newer.write_text(text + STRICTER, "utf-8")
    day.ingest()

    def alerts() -> list[Message]:
        return [each for each in day.slack.bot_messages(HOME) if "Policy changed" in each.text]

    await day.slack.until(lambda: bool(alerts()), 30)
    [alert] = alerts()
    assert "nine in the evening" in shown(alert)
    await day.person().opens_home()

    async def home_shows_it() -> bool:
        home = day.person().home
        return home is not None and "alcohol" in shown(home)

    await until(home_shows_it, 20)


async def leaves(day: Day) -> None:
    await day.slack.uninstall()
    before: list[Any] = list(day.slack.messages)
    await day.person().commands("/adpolicy", ALCOHOL)
    await day.slack.catch_up()
    assert [each for each in day.slack.messages if each.visible_to is None] == [
        each for each in before if each.visible_to is None
    ]
