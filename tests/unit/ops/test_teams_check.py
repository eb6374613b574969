"""What `doctor` says of Teams."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from adapters.teams.app import MESSAGES_PATH
from ops.commands.teams_check import GRAPH_PERMISSIONS, check_teams
from ops.config import Config
from ops.wording import general as wording
from ops.wording import teams as wording_teams
from tests.fakes.issuer import part
from tests.fakes.teams import APP_ID, APP_SECRET, OTHER_TENANT, TENANT
from tests.fakes.teams_connector import Desk, connector_desk

Said = Callable[[], str]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with connector_desk() as made:
        made.connector.graph_token = graph_token(GRAPH_PERMISSIONS)
        yield made


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    return lambda: capsys.readouterr().out


def graph_token(roles: object) -> str:
    return f"{part({'alg': 'RS256'})}.{part({'roles': roles})}.x"


def configured(folder: Path, desk: Desk, **changes: object) -> Config:
    given: dict[str, object] = {
        "teams_app_id": APP_ID,
        "teams_app_secret": SecretStr(APP_SECRET),
        "teams_tenants": TENANT,
        "teams_openid_url": desk.settings.openid_url,
        "teams_issuer": desk.settings.issuer,
        "teams_login_url": desk.settings.login_url,
    }
    return Config(data_dir=folder, **(given | changes))  # type: ignore[arg-type]


async def test_without_teams_doctor_says_nothing_of_it(tmp_path: Path, said: Said) -> None:
    assert await check_teams(Config(data_dir=tmp_path)) == 0
    assert said() == ""


async def test_all_that_works_is_said(desk: Desk, tmp_path: Path, said: Said) -> None:
    assert await check_teams(configured(tmp_path, desk)) == 0
    out = said()
    assert f"ok    teams: app {APP_ID} (single-tenant), answers in 1 tenant" in out
    assert "ok    teams token: " in out
    assert "ok    teams keys: 1 key " in out
    assert f"ok    teams graph: all 5 permissions in tenant {TENANT}" in out
    assert "note  teams address: ADPOLICY_CHAT_URL" in out
    assert APP_SECRET not in out
    assert "token-" not in out


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"teams_app_id": ""}, "FAIL  teams: ADPOLICY_TEAMS_APP_ID is missing"),
        ({"teams_app_id": "me"}, "FAIL  teams: ADPOLICY_TEAMS_APP_ID is no app id, and is not shown here"),
        ({"teams_app_secret": None}, "FAIL  teams: ADPOLICY_TEAMS_APP_SECRET is missing"),
        ({"teams_tenants": ""}, "FAIL  teams: ADPOLICY_TEAMS_TENANTS is missing"),
        ({"teams_tenants": f"{TENANT},{OTHER_TENANT}"}, "FAIL  teams: ADPOLICY_TEAMS_APP_TENANT is missing"),
        (
            {"teams_app_secret": SecretStr("old")},
            "FAIL  teams token: Microsoft Entra gives the bot's app no token (inv",
        ),
        ({"teams_login_url": "http://127.0.0.1:9"}, "FAIL  teams token: Microsoft Entra, or the managed identity of"),
        (
            {"teams_openid_url": "http://127.0.0.1:9/"},
            "FAIL  teams keys: The keys that Teams signs with cannot be read",
        ),
        (
            {"teams_issuer": "https://another.example"},
            "FAIL  teams keys: The keys that Teams signs with cannot be read",
        ),
        ({"chat_url": "http://bot.example"}, "FAIL  teams address: http://bot.example/api/messages does not answer as"),
        ({"chat_url": "http://127.0.0.1:9"}, "FAIL  teams address: http://127.0.0.1:9/api/messages does not answer"),
    ],
)
async def test_what_is_wrong_is_named(
    desk: Desk, tmp_path: Path, said: Said, given: dict[str, object], line: str
) -> None:
    assert await check_teams(configured(tmp_path, desk, **given)) == 1
    assert line in said()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"teams_app_id": "", "teams_tenants": ""}, "ADPOLICY_TEAMS_APP_ID and ADPOLICY_TEAMS_TENANTS are missing"),
        (
            {"teams_app_id": " ", "teams_app_secret": None, "teams_tenants": "", "teams_app_tenant": TENANT},
            "ADPOLICY_TEAMS_APP_ID, ADPOLICY_TEAMS_APP_SECRET and ADPOLICY_TEAMS_TENANTS are missing",
        ),
        (
            {"teams_app_secret": None, "teams_tenants": f"{TENANT},{OTHER_TENANT}"},
            "ADPOLICY_TEAMS_APP_SECRET and ADPOLICY_TEAMS_APP_TENANT are missing",
        ),
        ({"teams_app_secret": None, "teams_tenants": ""}, "ADPOLICY_TEAMS_APP_SECRET and ADPOLICY_TEAMS_TENANTS are"),
        (
            {"teams_app_type": "managed-identity", "teams_app_secret": None, "teams_tenants": ""},
            "FAIL  teams: ADPOLICY_TEAMS_TENANTS is missing",
        ),
    ],
)
async def test_all_that_is_missing_is_named_at_once(
    desk: Desk, tmp_path: Path, said: Said, given: dict[str, object], names: str
) -> None:
    assert await check_teams(configured(tmp_path, desk, **given)) == 1
    assert names in said()


@pytest.mark.parametrize("address", ["graph.microsoft.com", "http://graph.example/v1.0", "https://[half"])
async def test_an_address_of_graph_that_stops_the_start_is_named(
    desk: Desk, tmp_path: Path, said: Said, address: str
) -> None:
    assert await check_teams(configured(tmp_path, desk, teams_graph_url=address)) == 1
    assert f"ADPOLICY_TEAMS_GRAPH_URL is {address}" in said()


async def test_keys_of_which_none_speaks_for_teams(desk: Desk, tmp_path: Path, said: Said) -> None:
    desk.issuer.endorsements.clear()
    assert await check_teams(configured(tmp_path, desk)) == 1
    assert "FAIL  teams keys: none of the keys at " in said()


@pytest.mark.parametrize(
    ("token", "line"),
    [
        (graph_token(["User.Read.All", 7]), "note  teams graph: in tenant 1111"),
        (graph_token([]), "the app lacks ChannelMember.Read.All, ChatMember.Read.All, GroupMember.Read.All, "),
        (graph_token("x"), "note  teams graph: what the app may read in tenant 1111"),
        ("opaque", "note  teams graph: what the app may read in tenant 1111"),
        ("a.!.c", "note  teams graph: what the app may read in tenant 1111"),
        (f"a.{part({'a': 1})[:5]}.c", "note  teams graph: what the app may read in tenant 1111"),
    ],
)
async def test_what_graph_does_not_let_it_read_is_a_note(
    desk: Desk, tmp_path: Path, said: Said, token: str, line: str
) -> None:
    desk.connector.graph_token = token
    assert await check_teams(configured(tmp_path, desk)) == 0
    assert line in said()


async def test_a_tenant_in_which_graph_cannot_be_asked_is_named(desk: Desk, tmp_path: Path, said: Said) -> None:
    more = {"teams_tenants": f"{TENANT},{OTHER_TENANT}", "teams_app_tenant": TENANT}
    assert await check_teams(configured(tmp_path, desk, **more)) == 0
    out = said()
    assert f"Microsoft Graph gives no token for tenant {OTHER_TENANT}." in out
    assert f"ok    teams graph: all 5 permissions in tenant {TENANT}" in out


def test_the_page_shows_what_doctor_says_where_all_is_well() -> None:
    page = (Path(__file__).resolve().parents[3] / "ops" / "docs" / "teams.md").read_text("utf-8")
    address = f"https://YOUR-ADDRESS{MESSAGES_PATH}"
    good = {
        "teams": wording_teams.app_is("YOUR-APP-ID", "single-tenant", 1),
        "teams token": wording_teams.TOKEN_WORKS,
        "teams keys": wording_teams.keys_work(2),
        "teams address": wording_teams.address_works(address),
    }
    lacks = wording_teams.graph_lacks("YOUR-TENANT-ID", GRAPH_PERMISSIONS)
    shown = [wording.doctor_line(name, ok=True, facts=facts) for name, facts in good.items()]
    for line in (*shown, lacks.partition(",")[0]):
        assert f"\n   {line}" in page


@pytest.mark.parametrize(("status", "code"), [(401, 0), (200, 1), (404, 1), (302, 1)])
async def test_the_address_is_tried_as_somebody_who_is_not_teams(
    desk: Desk, tmp_path: Path, said: Said, status: int, code: int
) -> None:
    async def receive(request: web.Request) -> web.Response:
        return web.Response(status=status, headers={"Location": "/"})

    listener = web.Application()
    listener.add_routes([web.post(MESSAGES_PATH, receive)])
    async with TestServer(listener) as listening:
        url = str(listening.make_url("")).rstrip("/")
        assert await check_teams(configured(tmp_path, desk, chat_url=url)) == code
    out = said()
    assert ("ok    teams address: " if code == 0 else f"status {status}") in out
