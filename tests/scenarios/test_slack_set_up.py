"""The steps of `ops/docs/slack.md`, taken with the real program: the manifest that is printed makes the app."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from bot.wording.slack import NOT_INSTALLED_HERE
from ops.deploy.slack_manifest import manifest
from ops.sandbox.slack import NO_LIMITS, App, SlackStandIn, app_of_manifest
from tests.fakes.program import SIGNING_SECRET, Ports, Server, environment, free_ports, run, running_server

QUESTION = "can I advertise alcohol in the UK"
SECRET = App().client_secret


@dataclass(frozen=True, slots=True)
class House:
    server: Server
    slack: SlackStandIn

    async def opens(self, session: aiohttp.ClientSession, address: str) -> tuple[int, str, str]:
        async with session.get(URL(address, encoded=True), allow_redirects=False) as answer:
            return answer.status, await answer.text(), answer.headers.get("Location", "")

    async def install(self, team: str, *, organisation: bool = False) -> tuple[int, str]:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            _, _, to = await self.opens(browser, f"{self.server.chat_url}/slack/install?start=1")
            back = self.slack.authorize(to, team=team, organisation=organisation)
            status, html, _ = await self.opens(browser, back)
        return status, html

    async def asks(self, team: str, channel: str = "C1", question: str = QUESTION) -> str:
        """What somebody in the workspace is shown."""
        world = self.slack.world.workspaces[team]
        before = len(world.messages)
        seen = await self.slack.person("U1", team).commands("/adpolicy", question, channel)
        assert seen.status == 200
        if seen.json.get("text"):
            return str(seen.json["text"])
        await world.until(lambda: any(question in str(each.payload) for each in world.messages[before:]), 20.0)
        return str(world.messages[-1].payload)


@pytest.fixture
def ports() -> Ports:
    return Ports(*free_ports(3))


@pytest.fixture
def settings(ports: Ports) -> dict[str, str]:
    """One workspace by its token, the others by OAuth."""
    return {
        **ports.settings,
        "SLACK_CLIENT_ID": "1.1",
        "SLACK_CLIENT_SECRET": SECRET,
        "SLACK_WORKSPACES": "T2, E1",
        "CHAT_URL": f"http://127.0.0.1:{ports.chat}",
        "LIMIT_PERSON": "4/hour",
    }


@pytest.fixture
def server(sample_copy: Path, ports: Ports, settings: dict[str, str]) -> Iterator[Server]:
    with running_server(sample_copy, ports, settings) as made:
        yield made


@pytest.fixture
async def house(server: Server) -> AsyncIterator[House]:
    app = app_of_manifest(manifest(server.chat_url, many=True), SIGNING_SECRET)
    slack = SlackStandIn(server.chat_url, SIGNING_SECRET, app=app, limits=NO_LIMITS)
    await slack.start(server.slack_port)
    for team, enterprise in (("T2", ""), ("T3", ""), ("T7", "E1"), ("T8", "E1")):
        slack.add_workspace(team, enterprise=enterprise)
    try:
        yield House(server, slack)
    finally:
        await slack.stop()


async def test_from_an_empty_workspace_to_the_first_answer_and_out_again(house: House) -> None:
    slack = house.slack
    assert await slack.verify_url()
    assert await house.asks("T2") == NOT_INSTALLED_HERE
    assert (await house.install("T2"))[0] == 200
    assert (await house.install("T7", organisation=True))[0] == 200
    refused = await house.install("T3")
    assert refused[0] == 403
    assert "T3" in refused[1]
    for team, channel in (("T1", "C1"), ("T2", "C1"), ("T8", "C1T8")):
        assert "Quillmoor" in await house.asks(team, channel)
    shown_in = [
        len(slack.bot_messages(f"C1{team}" if team > "T3" else "C1", team)) for team in ("T1", "T2", "T7", "T8")
    ]
    assert shown_in == [1, 1, 0, 1]
    await nothing_of_one_reaches_another(house)
    await slack.uninstall("T2")
    assert await house.asks("T2") == NOT_INSTALLED_HERE
    shown = (house.server.data_dir.parent / "server.log").read_text(encoding="utf-8")
    assert "slack uninstalled: place=T2" in shown
    assert "xox" not in shown
    assert SECRET not in shown


async def nothing_of_one_reaches_another(house: House) -> None:
    """The same person and channel in two workspaces: too many questions in one are none in the other."""
    for _ in range(3):
        await house.asks("T1")
    assert "Too many questions" in await house.asks("T1")
    assert "Quillmoor" in await house.asks("T2")


def test_without_a_list_of_who_may_install_it_does_not_start(sample_store: Path, settings: dict[str, str]) -> None:
    env = environment(sample_store, **{**settings, "SLACK_WORKSPACES": ""})
    ended = run("bot", "serve", env=env, cwd=sample_store.parent)
    assert ended.returncode == 2
    assert "ADPOLICY_SLACK_WORKSPACES is missing or empty" in ended.stderr
