"""`python -m ops slack-workspaces`, `slack-manifest`, and what `doctor` says of Slack, on a real store."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer
from sqlalchemy import select

from adapters.slack.app import EVENTS_PATH
from adapters.sql.chat.installations import SqlInstallations
from adapters.sql.database.transactions import fetch
from adapters.sql.tables.audit import audit_records
from bot.access.installations import Installation
from bot.audit.entries import administration
from ops import cli
from ops.backends import build_vault, open_engine
from ops.cli import parse
from ops.commands.slack import slack_manifest, slack_workspaces
from ops.commands.slack_check import check_slack
from ops.config import Config
from ops.deploy.slack_manifest import bot_scopes, manifest
from ops.parts import utc_now
from ops.sandbox.slack import NO_LIMITS, App, SlackStandIn, slack_stand_in
from ops.sandbox.slack.grants import Grant
from ops.sandbox.troubles import Trouble
from rag_core.errors import Rejected

Said = Callable[[], tuple[str, str]]
SCOPES = frozenset(bot_scopes())
HELD = Installation("i1", "T2", "", "Sandbox T2", "UBOT", bot_scopes(), utc_now(), "xoxb-two")
OAUTH = {"slack_client_id": "1.1", "slack_client_secret": "x", "slack_workspaces": "T2"}  # pragma: allowlist secret


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with slack_stand_in(app=App(scopes=SCOPES), limits=NO_LIMITS) as made:
        made.add_workspace("T2", token="xoxb-two")
        yield made


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return read


def configured(tmp_path: Path, slack: SlackStandIn, **more: str) -> Config:
    given = {"slack_signing_secret": "s", "slack_api_url": slack.api_url, **more}
    return Config(data_dir=tmp_path / "data", **given)  # type: ignore[arg-type]


async def keep(config: Config, *installations: Installation) -> None:
    async with open_engine(config) as engine:
        for number, each in enumerate(installations):
            entry = administration(f"e{number}", "slack_installed", utc_now(), target=each.place)
            await SqlInstallations(engine, build_vault(config)).save(each, entry)


async def test_without_slack_doctor_says_nothing_of_it(tmp_path: Path, said: Said) -> None:
    assert await check_slack(Config(data_dir=tmp_path)) == 0
    assert said() == ("", "")


async def test_a_token_that_works_with_all_its_scopes(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    assert await check_slack(configured(tmp_path, slack, slack_bot_token="xoxb-sandbox")) == 0
    out = said()[0]
    assert "ok    slack token: acts in Sandbox (T1)" in out
    assert "note  slack address" in out


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"slack_bot_token": ""}, "FAIL  slack: ADPOLICY_SLACK_BOT_TOKEN is missing"),
        ({"slack_bot_token": "xoxb-1", "slack_signing_secret": ""}, "FAIL  slack: ADPOLICY_SLACK_SIGNING_SECRET"),
        ({**OAUTH, "slack_workspaces": "", "chat_url": "https://b.example"}, "FAIL  slack: ADPOLICY_SLACK_WORKSPACES"),
        (OAUTH, "FAIL  slack: ADPOLICY_CHAT_URL"),
        ({**OAUTH, "chat_url": "https://b.example", "slack_bot_token": " "}, "FAIL  slack: ADPOLICY_SLACK_BOT_TOKEN"),
        ({"slack_client_id": "1.1"}, "FAIL  slack: ADPOLICY_SLACK_"),
        ({"slack_app_token": "xapp-1"}, "FAIL  slack: ADPOLICY_SLACK_BOT_TOKEN"),
        ({"slack_bot_token": "xoxb-unheard-of"}, "FAIL  slack token: Slack does not take"),
        ({"slack_bot_token": "xoxb-few"}, "FAIL  slack token: in Sandbox these scopes are missing: chat:write. "),
        ({"slack_bot_token": "xoxe.xoxb-1"}, "FAIL  slack token: ADPOLICY_SLACK_BOT_TOKEN is good for 12 hours"),
        ({"slack_bot_token": "xoxb-sandbox", "slack_app_token": "xapp-2"}, "FAIL  slack socket: Slack does not take"),
        ({"slack_bot_token": "xoxb-sandbox", "chat_url": "http://127.0.0.1:9"}, "FAIL  slack address: http://127.0.0."),
        ({"slack_bot_token": "xoxb-sandbox", "chat_url": "bot.example"}, "FAIL  slack address: bot.example"),
    ],
)
async def test_what_is_wrong_is_named(
    slack: SlackStandIn, tmp_path: Path, said: Said, given: dict[str, str], line: str
) -> None:
    slack.world.grants.add(Grant("xoxe.xoxb-1", "T1", SCOPES))
    slack.world.grants.add(Grant("xoxb-few", "T1", SCOPES - {"chat:write"}))
    assert await check_slack(configured(tmp_path, slack, **given)) == 1
    assert line in said()[0]


async def test_socket_mode_needs_no_address(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    config = configured(tmp_path, slack, slack_bot_token="xoxb-sandbox", slack_app_token="xapp-sandbox")
    assert await check_slack(config) == 0
    assert "ok    slack socket: " in said()[0]
    slack.trouble("apps.connections.open", Trouble(503))
    assert await check_slack(config) == 1


async def test_the_address_is_tried(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    async def receive(request: web.Request) -> web.Response:
        return web.Response(status=200 if request.query.get("ssl_check") == "1" else 405)

    listener = web.Application()
    listener.add_routes([web.get(EVENTS_PATH, receive)])
    async with TestServer(listener) as listening:
        url = str(listening.make_url("")).rstrip("/")
        config = configured(tmp_path, slack, slack_bot_token="xoxb-sandbox", chat_url=url)
        assert await check_slack(config) == 0
        assert f"ok    slack address: {url}" in said()[0]
        wrong = configured(tmp_path, slack, slack_bot_token="xoxb-sandbox", chat_url=f"{url}/elsewhere")
        assert await check_slack(wrong) == 1
        assert "status 404" in said()[0]


async def test_installations_that_do_not_work_are_named(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    config = configured(tmp_path, slack, **OAUTH, chat_url="https://127.0.0.1:9")
    soon = utc_now() + timedelta(hours=1)
    await keep(
        config,
        HELD,
        replace(HELD, place="T3", name="Sandbox T3"),
        replace(HELD, place="T2X", scopes=("commands",), is_refused=True, expires_at=soon),
    )
    assert await check_slack(config) == 1
    out = said()[0]
    assert "Sandbox T3 (T3) is not on ADPOLICY_SLACK_WORKSPACES" in out
    assert f"ends at {soon:%Y-%m-%d %H:%M} UTC and Slack does not renew it" in out
    assert "these scopes are missing: app_mentions:read" in out
    assert "installed in 3 places" in out


async def test_installations_are_listed_without_their_tokens(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    config = configured(tmp_path, slack)
    assert await slack_workspaces(parse(["slack-workspaces", "list"]), config) == 0
    assert "installed nowhere" in said()[0]
    await keep(config, HELD, replace(HELD, place="E1", organisation="E1", expires_at=utc_now() + timedelta(hours=9)))
    assert await slack_workspaces(parse(["slack-workspaces", "list"]), config) == 0
    text = said()[0]
    assert await slack_workspaces(parse(["slack-workspaces", "list", "--format", "json"]), config) == 0
    listed = said()[0]
    assert [each["place"] for each in json.loads(listed)] == ["E1", "T2"]
    assert "renewed by" in text
    assert "lasts" in text
    assert "xoxb" not in text + listed


async def test_removing_revokes_deletes_and_is_on_record(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    config = configured(tmp_path, slack)
    await keep(config, HELD)
    with pytest.raises(Rejected, match="unknown_slack_workspace"):
        await slack_workspaces(parse(["slack-workspaces", "remove", "T9"]), config)
    assert await slack_workspaces(parse(["slack-workspaces", "remove", "T2"]), config) == 0
    assert "revoked and deleted" in said()[0]
    assert slack.world.grants.live("T2", "") is None
    async with open_engine(config) as engine:
        assert await SqlInstallations(engine, build_vault(config)).all() == ()
        records = await fetch(engine, select(audit_records.c.canonical))
    assert sum("slack_removed" in str(each.canonical) for each in records) == 1


async def test_a_token_that_slack_could_not_revoke_is_deleted_all_the_same(
    slack: SlackStandIn, tmp_path: Path, said: Said
) -> None:
    config = configured(tmp_path, slack)
    await keep(config, HELD)
    slack.trouble("auth.revoke", Trouble(503))
    assert await slack_workspaces(parse(["slack-workspaces", "remove", "T2"]), config) == 0
    assert "Remove the app in that workspace's settings" in said()[0]
    async with open_engine(config) as engine:
        assert await SqlInstallations(engine, build_vault(config)).all() == ()


async def test_the_manifest_is_all_that_is_printed(tmp_path: Path, said: Said) -> None:
    config = Config(data_dir=tmp_path, chat_url="https://bot.example")
    assert await slack_manifest(parse(["slack-manifest"]), config) == 0
    out, err = said()
    assert (yaml.safe_load(out), err) == (manifest("https://bot.example"), "")
    arguments = ["slack-manifest", "--url", "https://other.example", "--many", "--format", "json"]
    assert await slack_manifest(parse(arguments), config) == 0
    assert json.loads(said()[0]) == manifest("https://other.example", many=True)


async def test_without_an_address_it_says_so_beside_the_manifest(tmp_path: Path, said: Said) -> None:
    assert await slack_manifest(parse(["slack-manifest"]), Config(data_dir=tmp_path)) == 0
    out, err = said()
    assert yaml.safe_load(out) == manifest()
    assert "--url" in err
    assert await slack_manifest(parse(["slack-manifest", "--socket"]), Config(data_dir=tmp_path)) == 0
    assert said()[1] == ""


async def test_the_commands_are_commands(slack: SlackStandIn, tmp_path: Path, said: Said) -> None:
    config = configured(tmp_path, slack, slack_bot_token="xoxb-unheard-of")
    assert await cli._run(parse(["slack-workspaces", "list"]), config) == 0
    assert await cli._run(parse(["slack-manifest", "--socket"]), config) == 0
    assert yaml.safe_load(said()[0].partition("\n")[2]) == manifest(socket=True)
    assert await cli._check_slack(config) == 1
    assert await cli._check_slack(Config(data_dir=tmp_path)) == 0
