"""A signed command in a channel: what only a group may see comes where everybody in the channel is in it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.sql.chat.installations import SqlInstallations
from bot.access.installations import Installation
from bot.audit.entries import administration
from ops.backends import build_vault, open_engine
from ops.config import Config
from ops.deploy.slack_manifest import bot_scopes
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.troubles import Trouble
from tests.fakes.program import SIGNING_SECRET, Ports, Server, environment, free_ports, run, running_server

QUESTION = "can I advertise zeppelins in the UK"
SECRET = "Ads for zeppelins are not allowed before the launch."  # pragma: allowlist secret
CATALOGUE = """
groups:
  legal: [slack:T1/usergroup/S1, slack:T1/user/U9, slack:T2/usergroup/S2]
  board: []
sources:
  - {id: open, type: folder, path: open, policy_source: acme, display_name: Acme}
  - {id: closed, type: folder, path: closed, policy_source: acme, display_name: Acme, classification: restricted,
     allowed_groups: [legal]}
"""


@dataclass(frozen=True, slots=True)
class House:
    """A server with a document for everybody and one for the group, and the pretended Slack that it asks."""

    server: Server
    slack: SlackStandIn
    settings: dict[str, str]

    async def shown(self, channel: str, user: str = "U1", question: str = QUESTION, team: str = "T1") -> str:
        """What a command there is answered."""
        before = len(self.slack.bot_messages(channel, team))
        await self.slack.send_command(question, channel=channel, user=user, team=team)
        space = self.slack.world.workspaces[team]
        await space.until(lambda: len(self.slack.bot_messages(channel, team)) > before, 10.0)
        return str(self.slack.bot_messages(channel, team)[-1].blocks)

    async def sources(self, channel: str, user: str) -> str:
        """What "Show sources" shows this person, of the last answer in a channel."""
        before = len(self.slack.calls_of("views.update"))
        message = self.slack.bot_messages(channel)[-1]
        await self.slack.person(user).clicks(message, "Show sources")
        for _ in range(500):
            if len(self.slack.calls_of("views.update")) > before:
                break
            await asyncio.sleep(0.02)
        view = self.slack.person(user).modal
        return str(view.blocks if view else "")

    async def doctor(self) -> tuple[int, str]:
        """Exit code and what it prints, beside the server."""
        env = environment(self.server.data_dir, **self.settings)
        ended = await asyncio.to_thread(run, "ops", "doctor", env=env, cwd=self.server.data_dir.parent)
        return ended.returncode, ended.stdout + ended.stderr


def _channel(id_: str, *members: str, is_private: bool = True) -> Channel:
    return Channel(id_, id_.lower(), frozenset({*members, BOT}), is_private=is_private)


async def _install(folder: Path, team: str, token: str) -> None:
    """As if the workspace had installed the app by OAuth."""
    config, now = Config(data_dir=folder), datetime.now(UTC)
    async with open_engine(config) as engine:
        made = Installation(f"i{team}", team, "", team, BOT, bot_scopes(), now, token)
        entry = administration(f"r{team}", "slack_installed", now, target=team)
        await SqlInstallations(engine, build_vault(config)).save(made, entry)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("groups")
    (folder / "catalogue.yaml").write_text(CATALOGUE)
    for name, text in (("open", "# Kites\n\nAds for kites are allowed.\n"), ("closed", f"# Zeppelins\n\n{SECRET}\n")):
        (folder / name).mkdir()
        (folder / name / f"{name}.2026-01-01.md").write_text(text)
    ports = Ports(*free_ports(3))
    settings = {"CATALOGUE": str(folder / "catalogue.yaml"), "GROUPS_MINUTES": "0"}
    ended = run("ingest", "run", "--quiet", env=environment(folder / "data", **settings), cwd=folder)
    assert ended.returncode == 0, ended.stderr
    asyncio.run(_install(folder / "data", "T2", "xoxb-two"))
    settings |= {
        "SLACK_CLIENT_ID": "1.1",
        "SLACK_CLIENT_SECRET": "secret",  # pragma: allowlist secret
        "SLACK_WORKSPACES": "T2",
        "CHAT_URL": f"http://127.0.0.1:{ports.chat}",
    }
    with running_server(folder / "data", ports, settings) as server:
        yield server, {**ports.settings, **settings}


@pytest.fixture
async def house(started: tuple[Server, dict[str, str]]) -> AsyncIterator[House]:
    server, settings = started
    slack = SlackStandIn(server.chat_url, SIGNING_SECRET)
    space = slack.workspace
    space.people |= {user: User(user) for user in ("U3", "U9")}
    space.usergroups["S1"] = frozenset({"U1", "U3"})
    made = [_channel("G1", "U1", "U3", "U9"), _channel("G2", "U1", "U2"), _channel("C5", "U1", "U3", is_private=False)]
    made.append(Channel("D1", "directmessage", frozenset({"U1", BOT}), is_im=True))
    made.append(Channel("D2", "directmessage", frozenset({"U1", "U3"}), is_im=True))
    space.channels |= {each.channel_id: each for each in made}
    await slack.start(server.slack_port)
    other = slack.add_workspace("T2", token="xoxb-two")
    other.usergroups["S2"] = frozenset({"U2"})
    other.channels |= {each.channel_id: each for each in (_channel("G5", "U2"), _channel("G6", "U1", "U2"))}
    try:
        yield House(server, slack, settings)
    finally:
        await slack.stop()


@pytest.mark.parametrize(("channel", "user"), [("G1", "U1"), ("G1", "U9"), ("D1", "U1")])
async def test_where_everybody_is_in_the_group_the_rule_is_shown(house: House, channel: str, user: str) -> None:
    assert SECRET in await house.shown(channel, user)


@pytest.mark.parametrize(
    ("channel", "user"), [("G2", "U1"), ("G2", "U2"), ("C5", "U1"), ("D2", "U1"), ("G1", "U2"), ("C1", "U1")]
)
async def test_elsewhere_there_is_no_sign_of_it(house: House, channel: str, user: str) -> None:
    shown = (await house.shown(channel, user)).replace("accessibility_label", "")  # a field of Slack's
    assert "do not" in shown or "policies" in shown
    for word in ("launch", "closed", "legal", "Your groups", "permission to", "access"):
        assert word not in shown


@pytest.mark.parametrize(
    ("channel", "user", "is_shown"), [("G5", "U2", True), ("G6", "U2", False), ("G6", "U1", False)]
)
async def test_of_a_workspace_that_installed_the_app_it_is_asked_with_the_token_it_gave(
    house: House, channel: str, user: str, is_shown: bool
) -> None:
    assert (SECRET in await house.shown(channel, user, team="T2")) is is_shown


async def test_the_sources_are_those_of_who_clicks(house: House) -> None:
    assert SECRET in await house.shown("G1")
    assert SECRET in await house.sources("G1", "U3")
    house.slack.workspace.usergroups["S1"] = frozenset({"U1"})  # not in the group any more
    after = await house.sources("G1", "U3")
    for word in (SECRET, "launch", "Zeppelin", "closed", "legal", "not on file"):
        assert word not in after
    assert "There is nothing to show here" in after


async def test_a_guest_in_the_channel_closes_it(house: House) -> None:
    house.slack.workspace.people["U3"] = User("U3", {"is_restricted": True})
    assert SECRET not in await house.shown("G1")


async def test_slack_not_telling_leaves_what_is_open_and_says_that_groups_were_not_read(house: House) -> None:
    house.slack.trouble("usergroups.users.list", Trouble(500), times=1)
    shown = await house.shown("G1")
    assert SECRET not in shown
    assert "Your groups could not be read" in shown
    assert SECRET in await house.shown("G1")


async def test_doctor_says_who_answers_and_which_group_is_empty(house: House) -> None:
    house.slack.workspace.channels.clear()  # it asks for user groups and people only
    code, said = await house.doctor()
    assert code == 0
    assert "ok    directory Slack: answers for 3 ids of the catalogue" in said
    assert "note  groups: nobody belongs to board" in said
    assert "legal" not in said
    house.slack.lookups.scopes.discard("usergroups:read")
    code, said = await house.doctor()
    assert code == 1
    assert "missing_scope" in said
