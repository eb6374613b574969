"""How the server comes to its ports on Teams, and what it says where the packages are missing."""

import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

import ops.teams_sdk
from adapters.teams.botframework.opening import BotFramework
from adapters.teams.ports import TeamsDirectory, TeamsInbound, TeamsOutbound
from adapters.teams.settings import AppType, TeamsSettings
from adapters.teams.tokens import AppTokens
from ops.config import Config
from ops.teams_connection import TeamsConnection, teams_settings
from ops.teams_sdk import app_tokens, open_teams_sdk, team_owners
from ops.wording import general as wording
from rag_core.errors import Misconfigured, Rejected
from tests.fakes.graph import graph_desk, person
from tests.fakes.teams import APP_ID, APP_SECRET, OTHER_TENANT, TEAM, TENANT, settings
from tests.fakes.teams_connector import connector_desk

ROOT = Path(__file__).resolve().parents[3]


async def test_the_three_ports_are_there_and_nothing_was_asked() -> None:
    async with connector_desk() as desk:
        sdk = open_teams_sdk(TeamsConnection(desk.settings, desk.session))
        ports: tuple[TeamsInbound, TeamsOutbound, TeamsDirectory] = (sdk.inbound, sdk.outbound, sdk.directory)
        assert isinstance(sdk, BotFramework)
        assert all(ports)
        assert (desk.issuer.fetched, desk.connector.forms) == (0, [])
        with pytest.raises(Rejected, match="teams_unauthenticated"):
            await sdk.inbound.receive("", b"")


async def test_owners_of_teams_are_asked_of_graph(tmp_path: Path) -> None:
    async with graph_desk() as desk, aiohttp.ClientSession() as session:
        desk.graph.owners[TEAM] = [person(1)]
        config = Config(
            data_dir=tmp_path,
            teams_app_id=APP_ID,
            teams_app_secret=SecretStr(APP_SECRET),
            teams_tenants=TENANT,
            teams_graph_url=f"{desk.graph.url}/v1.0",
            teams_login_url=desk.graph.url,
        )
        owners = team_owners(session, config)
        assert await owners.owns(TENANT, TEAM, person(1)) is True
        assert await owners.owns(TENANT, TEAM, person(2)) is False


async def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ops.teams_sdk, "_NEEDED", "a_package_that_nobody_has")
    async with aiohttp.ClientSession() as session:
        with pytest.raises(Misconfigured, match="teams_not_installed") as raised:
            open_teams_sdk(TeamsConnection(settings(), session))
        said = wording.explain(raised.value)
        assert "ADPOLICY_TEAMS_APP_ID" in said
        assert "need chat" in said
        with pytest.raises(Misconfigured, match="teams_not_installed"):
            app_tokens(session, settings(app_secret="", app_type=AppType.MANAGED_IDENTITY))
        assert isinstance(app_tokens(session, settings()), AppTokens)


def test_asking_for_it_alone_brings_no_sdk() -> None:
    """Slack's server, and `doctor` without Teams, start without botbuilder."""
    shown = "import sys, ops.teams_sdk, adapters.teams.app, ops.directories; print('botbuilder' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", shown], cwd=ROOT, capture_output=True, encoding="utf-8", check=True, timeout=30
    )
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("app_id", ["", "  ", "not-an-id"])
def test_without_an_app_id_nothing_is_opened(app_id: str) -> None:
    """botbuilder without one takes requests of anybody."""
    with pytest.raises(Misconfigured, match=r"setting_missing|teams_app_id_invalid"):
        settings(app_id=app_id)


def test_an_app_id_is_the_same_however_it_is_written(tmp_path: Path) -> None:
    """Bot Framework's tokens have it in small letters, and are compared letter by letter."""
    written = "ABCDEF00-4444-4444-4444-444444444444"
    given = {"teams_app_id": written, "teams_app_secret": SecretStr(APP_SECRET), "teams_tenants": TENANT}
    found = teams_settings(Config(data_dir=tmp_path, **given))  # type: ignore[arg-type]
    assert found is not None
    assert found.app_id == written.lower()


@pytest.mark.parametrize("kind", [AppType.SINGLE_TENANT, AppType.MULTI_TENANT])
def test_an_app_with_a_secret_needs_it(kind: AppType) -> None:
    with pytest.raises(Misconfigured, match="APP_SECRET"):
        settings(app_secret="  ", app_type=kind)


@pytest.mark.parametrize("kind", [AppType.MANAGED_IDENTITY, AppType.SYSTEM_IDENTITY])
def test_an_identity_needs_none(kind: AppType) -> None:
    assert settings(app_secret="", app_type=kind).token_tenant == TENANT


@pytest.mark.parametrize(
    ("changes", "tenant"),
    [
        ({}, TENANT),
        ({"app_tenant": OTHER_TENANT.upper(), "tenants": frozenset({TENANT, OTHER_TENANT})}, OTHER_TENANT),
        ({"app_type": AppType.MULTI_TENANT}, "botframework.com"),
    ],
)
def test_which_tenant_is_asked_for_the_bots_tokens(changes: dict[str, object], tenant: str) -> None:
    found: TeamsSettings = settings(**changes)
    assert found.token_tenant == tenant
    assert (found.app_id, found.scope) == (APP_ID, "https://api.botframework.com/.default")


@pytest.mark.parametrize("name", ["openid_url", "login_url"])
def test_secrets_and_keys_travel_encrypted(name: str) -> None:
    with pytest.raises(Misconfigured, match="teams_url_insecure"):
        settings(**{name: "http://elsewhere.example/"})
    assert settings(**{name: "http://127.0.0.1:1/"}).app_id == APP_ID


def test_in_the_government_cloud_tokens_are_asked_of_its_own_tenant() -> None:
    for login in ("https://login.microsoftonline.us", "https://LOGIN.microsoftonline.us/"):
        found = settings(app_type=AppType.MULTI_TENANT, login_url=login)
        assert found.token_tenant == "MicrosoftServices.onmicrosoft.us"
        assert settings(login_url=login).token_tenant == TENANT
