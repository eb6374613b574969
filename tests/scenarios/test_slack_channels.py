"""A server beside a pretended Slack: settings of a channel, who is answered in it, and the home tab."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, SlackStandIn
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.slack.views import View
from tests.fakes.program import SIGNING_SECRET, Ports, Server, environment, free_ports, run, running_server

QUESTION = "can I advertise alcohol"


@dataclass(frozen=True, slots=True)
class House:
    server: Server
    slack: SlackStandIn

    async def shown(self, question: str, channel: str = "C1", user: str = "U1") -> tuple[str, str | None]:
        """What a command is answered, and who alone sees it."""
        before = len(self.slack.messages)
        await self.slack.send_command(question, channel=channel, user=user)
        await self.slack.received(before + 1)
        message = self.slack.messages[-1]
        return str(message.payload), message.visible_to

    async def home(self, user: str) -> View:
        person, seen = self.slack.person(user), len(self.slack.calls_of("views.publish"))
        await person.opens_home()
        await self._called("views.publish", seen + 1)
        assert person.home is not None
        return person.home

    async def settings(self, user: str, channel: str) -> View:
        person, seen = self.slack.person(user), len(self.slack.calls_of("views.update"))
        await person.chooses(await self.home(user), "adpolicy_open_settings", channel)
        await self._called("views.update", seen + 1)
        assert person.modal is not None
        return person.modal

    async def audit(self, *arguments: str) -> str:
        """What it prints, beside the server."""
        folder = self.server.data_dir
        ended = await asyncio.to_thread(run, "ops", "audit", *arguments, env=environment(folder), cwd=folder.parent)
        return ended.stdout + ended.stderr

    async def _called(self, method: str, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.slack.calls_of(method)) < count:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.01)


@pytest.fixture(scope="module")
def running(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("channels")
    data = Path(shutil.copytree(sample_store, folder / "data"))
    settings = {"GROUPS_MINUTES": "0", "LIMIT_PERSON": "4/minute"}
    with running_server(data, Ports(*free_ports(3)), settings) as server:
        yield server


@pytest.fixture
async def house(running: Server) -> AsyncIterator[House]:
    slack = SlackStandIn(running.chat_url, SIGNING_SECRET, app=App(events=EVERY_EVENT), limits=NO_LIMITS)
    slack.workspace.people |= {user: User(user) for user in ("U7", "U8")}
    slack.workspace.channels["C7"] = Channel("C7", "c7", frozenset({"U1", BOT}), sharing={"is_ext_shared": True})
    await slack.start(running.slack_port)
    try:
        yield House(running, slack)
    finally:
        await slack.stop()


async def test_what_an_admin_sets_is_what_questions_in_the_channel_mean_and_is_on_record(house: House) -> None:
    assert "Place: none named" in (await house.shown(QUESTION))[0]
    view = await house.settings("U3", "C1")
    await house.slack.person("U3").submits(view, {"places": ["in"], "platforms": ["quillmoor"]})
    shown, visible_to = await house.shown(QUESTION, user="U2")
    assert "Place: India (assumed: the default of this channel)" in shown
    assert "Platform: Quillmoor Ads (assumed: the default of this channel)" in shown
    assert "Name the place and the platform and ask again" in shown
    assert visible_to is None
    assert "Place: Germany (from the question)" in (await house.shown(f"{QUESTION} in Germany"))[0]
    assert "Place: none named" in (await house.shown(f"{QUESTION} anywhere", user="U2"))[0]
    assert "Place: none named" in (await house.shown(QUESTION, "C2", "U2"))[0]
    replayed = await house.audit("show", _answer_id(shown))
    assert "defaults:   policy sources quillmoor; regions in" in replayed
    assert "scope:      as of" in replayed
    assert "Today the same would be answered, from the same versions" in replayed


async def test_guests_and_shared_channels_hear_why_and_only_they_see_it(house: House) -> None:
    shown, visible_to = await house.shown(QUESTION, user="U4")
    assert ("Not answered for guests" in shown, visible_to) == (True, "U4")
    shown, visible_to = await house.shown(QUESTION, "C7", "U7")
    assert ("Not answered in shared channels" in shown, visible_to) == (True, "U7")
    assert "alcoholic" not in shown


async def test_who_asks_too_much_is_told_when_to_ask_again_and_nobody_else_sees_it(house: House) -> None:
    for _ in range(4):
        assert (await house.shown("is <!channel> alcohol allowed", user="U8"))[1] is None
    shown, visible_to = await house.shown("is <!channel> alcohol allowed", user="U8")
    assert "Ask again in" in shown
    assert "<!channel>" not in shown
    assert visible_to == "U8"
    assert (await house.shown(QUESTION, user="U7"))[1] is None


async def test_the_home_tab_has_own_questions_and_some_to_begin_with(house: House) -> None:
    question = "are cigars allowed in ads?"
    await house.shown(question, user="U7")
    home = str((await house.home("U7")).blocks)
    assert question in home
    assert "What are the rules on alcohol" in home
    assert "Quillmoor Ads: last read on" in home
    assert question not in str((await house.home("U3")).blocks)
    assert "only its own members" in str((await house.home("U4")).blocks)


def _answer_id(shown: str) -> str:
    found = re.search(r"'answer_id': '([^']+)'", shown)
    assert found is not None
    return found[1]
