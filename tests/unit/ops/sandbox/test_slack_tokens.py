"""Tokens, scopes, workspaces, organisations, OAuth."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from ops.sandbox.slack import EVERY_SCOPE, App, app_of_manifest
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.limits import SlackRefusal
from tests.fakes.slack_app import ALL, Met, code_of, met

# The SDK sends client id and secret by a class that aiohttp gives up.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")

BACK = "https://bot.example/slack/oauth_redirect"
ROTATING = replace(ALL, is_rotating=True, redirect_urls=(BACK,))
SECRET = App().client_secret


async def refused(client: AsyncWebClient, method: str, **arguments: object) -> str:
    with pytest.raises(SlackApiError) as found:
        await client.api_call(method, json=arguments)
    return code_of(found.value)


def authorize_url(**more: str) -> str:
    fields = {"client_id": "1.1", "scope": "chat:write,commands", "state": "a-state", "redirect_uri": BACK, **more}
    return "https://slack.example/oauth/v2/authorize?" + "&".join(f"{name}={value}" for name, value in fields.items())


def code_in(address: str) -> str:
    return parse_qs(urlsplit(address).query)["code"][0]


async def test_why_a_token_does_not_work() -> None:
    async with met() as slack:
        assert await refused(slack.client_of(""), "auth.test") == "not_authed"
        assert await refused(slack.client_of("xoxb-other"), "auth.test") == "invalid_auth"
        for token, reason in (("xoxb-a", "account_inactive"), ("xoxb-r", "token_revoked")):
            slack.slack.world.grants.add(Grant(token, "T1", EVERY_SCOPE))
            slack.slack.world.grants.end(token, reason)
            assert await refused(slack.client_of(token), "auth.test") == reason


@pytest.mark.parametrize(
    ("method", "arguments", "needed"),
    [
        ("chat.postMessage", {"channel": "C1", "text": "x"}, "chat:write"),
        (
            "conversations.replies",
            {"channel": "C1", "ts": "1"},
            "channels:history,groups:history,im:history,mpim:history",
        ),
        ("conversations.info", {"channel": "C1"}, "channels:read,groups:read,im:read,mpim:read"),
        ("users.info", {"user": "U1"}, "users:read"),
        ("usergroups.users.list", {"usergroup": "S1"}, "usergroups:read"),
    ],
)
async def test_a_method_needs_its_scope(method: str, arguments: dict[str, str], needed: str) -> None:
    async with met() as slack:
        slack.slack.world.grants.add(Grant("xoxb-few", "T1", frozenset({"commands"})))
        with pytest.raises(SlackApiError) as found:
            await slack.client_of("xoxb-few").api_call(method, json=arguments)
        answer = found.value.response
    assert (answer["error"], answer["needed"], answer["provided"]) == (
        "missing_scope",
        ",".join(needed.split(",")),
        "commands",
    )


async def test_a_scope_counts_for_its_kind_of_channel() -> None:
    async with met() as slack:
        slack.slack.world.grants.add(Grant("xoxb-im", "T1", frozenset({"im:read"})))
        direct = slack.slack.person("U1").direct.channel_id
        await slack.client_of("xoxb-im").conversations_info(channel=direct)
        assert await refused(slack.client_of("xoxb-im"), "conversations.info", channel="C1") == "missing_scope"


async def test_a_manifest_grants_what_it_asks_for() -> None:
    manifest: dict[str, object] = {
        "features": {
            "app_home": {"home_tab_enabled": True},
            "slash_commands": [{"command": "/ask"}],
            "shortcuts": [
                {"type": "message", "callback_id": "check", "name": "Check"},
                {"type": "global", "callback_id": "scope", "name": "Scope"},
            ],
        },
        "oauth_config": {"scopes": {"bot": ["commands"]}, "redirect_urls": [BACK]},
        "settings": {
            "event_subscriptions": {"bot_events": ["app_mention"]},
            "interactivity": {"is_enabled": True},
            "socket_mode_enabled": True,
            "token_rotation_enabled": True,
            "org_deploy_enabled": True,
        },
    }
    made = app_of_manifest(manifest, "secret")
    assert made == App(
        "secret", scopes=frozenset({"commands"}), events=frozenset({"app_mention"}), commands=("/ask",),
        shortcuts={"scope": "Scope"}, message_shortcuts={"check": "Check"}, redirect_urls=(BACK,), is_socket=True,
        is_rotating=True, takes_orgs=True, is_interactive=True, has_home=True, has_messages_tab=False,
    )  # fmt: skip
    nothing = app_of_manifest({}, "secret")
    assert (nothing.scopes, nothing.is_interactive, nothing.has_home) == (frozenset(), False, False)
    async with met(replace(made, is_socket=False)) as slack:
        assert await refused(slack.api, "chat.postMessage", channel="C1", text="x") == "missing_scope"


async def test_workspaces_do_not_see_each_other() -> None:
    async with met() as slack:
        other = slack.slack.add_workspace("T2", token="xoxb-two")
        posted = await slack.client_of("xoxb-two").chat_postMessage(channel="C1", text="for T2")
        assert [each.text for each in other.messages] == ["for T2"]
        assert slack.slack.messages == []
        update = {"channel": "C1", "ts": posted["ts"], "text": "x"}
        assert await refused(slack.api, "chat.update", **update) == "message_not_found"
        tested = await slack.client_of("xoxb-two").auth_test()
        assert tested["team_id"] == "T2"
        assert tested.headers["X-OAuth-Scopes"] == ",".join(sorted(EVERY_SCOPE))


async def test_an_organisation_is_one_token_for_all_its_workspaces() -> None:
    async with met() as slack:
        one, two = (slack.slack.add_workspace(team, enterprise="E1") for team in ("T7", "T8"))
        slack.slack.install_organisation("E1", "xoxb-org")
        org = slack.client_of("xoxb-org")
        assert (await org.auth_test())["is_enterprise_install"] is True
        await org.chat_postMessage(channel="C1T8", text="found by its channel")
        assert [len(each.messages) for each in (one, two)] == [0, 1]
        assert await refused(org, "usergroups.list") == "missing_argument"
        assert (await org.usergroups_list(team_id="T8"))["usergroups"][0]["team_id"] == "T8"
        assert await refused(org, "usergroups.list", team_id="T1") == "team_access_not_granted"
        assert [each["id"] for each in (await org.auth_teams_list())["teams"]] == ["T7", "T8"]
        await slack.slack.person("U1", "T8").mentions("hello", "C1T8")
        said = slack.app.last("app_mention").payload
        assert (said["enterprise_id"], said["team_id"]) == ("E1", "T8")
        assert said["authorizations"] == [
            {"enterprise_id": "E1", "team_id": "T8", "user_id": "UBOT", "is_bot": True, "is_enterprise_install": True}
        ]
        command = await slack.slack.person("U1", "T8").commands("/adpolicy", "x", "C1T8")
        assert command.delivery.payload["enterprise_id"] == "E1"
        assert command.delivery.payload["is_enterprise_install"] == "true"


async def install(slack: Met, **more: str) -> str:
    return code_in(slack.slack.authorize(authorize_url(**more)))


async def access(slack: Met, code: str, **more: object) -> AsyncSlackResponse:
    given = {"client_id": "1.1", "client_secret": SECRET, "code": code, "redirect_uri": BACK, **more}
    return await slack.client_of("").oauth_v2_access(**given)  # type: ignore[arg-type]


async def test_an_installation_by_oauth() -> None:
    async with met(replace(ALL, redirect_urls=(BACK,))) as slack:
        away = slack.slack.authorize(authorize_url(), user="U3")
        assert away.startswith(BACK)
        assert parse_qs(urlsplit(away).query)["state"] == ["a-state"]
        answer = await slack.client_of("").oauth_v2_access(
            client_id="1.1", client_secret=SECRET, code=code_in(away), redirect_uri=BACK
        )
        assert (answer["scope"], answer["team"]["id"], answer["bot_user_id"]) == ("chat:write,commands", "T1", "UBOT")
        assert answer["authed_user"] == {"id": "U3"}
        assert "refresh_token" not in answer.data
        await slack.client_of(answer["access_token"]).chat_postMessage(channel="C1", text="hi")
        with pytest.raises(SlackApiError, match="invalid_code"):
            await access(slack, code_in(away))


async def test_what_oauth_refuses() -> None:
    async with met(replace(ALL, redirect_urls=(BACK,))) as slack:
        for more, code in (
            ({"client_secret": "other"}, "bad_client_secret"),  # pragma: allowlist secret
            ({"client_id": "9"}, "invalid_client_id"),
            ({"redirect_uri": "https://other.example"}, "bad_redirect_uri"),
            ({"code": "unheard-of"}, "invalid_code"),
            ({"grant_type": "password"}, "invalid_grant_type"),
            ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant_type"),
        ):
            with pytest.raises(SlackApiError, match=code):
                await access(slack, **{"code": await install(slack), **more})
        late = await install(slack)
        slack.clock.move(minutes=11)
        with pytest.raises(SlackApiError, match="invalid_code"):
            await access(slack, late)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"client_id": "9"}, "invalid_client_id"),
        ({"scope": ""}, "no_scopes"),
        ({"scope": "chat:write,everything:write"}, "invalid_scope"),
        ({"redirect_uri": "https://evil.example/"}, "bad_redirect_uri"),
    ],
)
async def test_a_wrong_link_offers_nothing(more: dict[str, str], code: str) -> None:
    async with met(replace(ALL, redirect_urls=(BACK,))) as slack:
        with pytest.raises(SlackRefusal, match=code):
            slack.slack.authorize(authorize_url(**more))
        away = slack.slack.authorize(authorize_url(redirect_uri=""), allowed=False)
        assert away.startswith(BACK)
    async with met() as slack:
        for nowhere in ("", "javascript:alert(1)"):
            with pytest.raises(SlackRefusal, match="bad_redirect_uri"):
                slack.slack.authorize(authorize_url(redirect_uri=nowhere))
        away = slack.slack.authorize(authorize_url(), allowed=False)
        assert parse_qs(urlsplit(away).query) == {"error": ["access_denied"], "state": ["a-state"]}


async def test_tokens_rotate() -> None:
    async with met(ROTATING) as slack:
        first = await access(slack, await install(slack))
        assert isinstance(first["refresh_token"], str)
        old, refresh = first["access_token"], first["refresh_token"]
        assert len(old) > 150
        assert first["expires_in"] == 43_200
        again = {"grant_type": "refresh_token", "refresh_token": refresh}
        second = await access(slack, "", **again)
        await slack.client_of(old).auth_test()
        with pytest.raises(SlackApiError, match="invalid_refresh_token"):
            await access(slack, "", **again)
        slack.clock.move(hours=12)
        assert await refused(slack.client_of(old), "auth.test") == "token_expired"
        third = await access(slack, "", grant_type="refresh_token", refresh_token=second["refresh_token"])
        await slack.client_of(third["access_token"]).auth_test()


async def test_an_organisation_installs_only_an_app_that_takes_organisations() -> None:
    async with met(replace(ALL, redirect_urls=(BACK,))) as slack:
        slack.slack.add_workspace("T7", enterprise="E1")
        with pytest.raises(SlackRefusal, match="org_install_not_supported"):
            slack.slack.authorize(authorize_url(), team="T7", organisation=True)
    async with met(replace(ALL, redirect_urls=(BACK,), takes_orgs=True)) as slack:
        slack.slack.add_workspace("T7", enterprise="E1")
        away = slack.slack.authorize(authorize_url(), team="T7", organisation=True)
        answer = await access(slack, code_in(away))
        assert (answer["is_enterprise_install"], answer["team"]) == (True, None)
        assert answer["enterprise"]["id"] == "E1"


async def test_the_app_hears_of_its_end() -> None:
    async with met() as slack:
        await slack.slack.uninstall()
        assert slack.app.called == ["tokens_revoked", "app_uninstalled"]
        assert slack.app.events[0]["tokens"] == {"oauth": [], "bot": ["UBOT"]}
        assert await refused(slack.api, "auth.test") == "account_inactive"
        slack.app.forget()
        await slack.slack.person("U1").mentions("anybody there")
        assert slack.app.heard == []


async def test_an_app_may_give_its_token_back() -> None:
    async with met() as slack:
        assert (await slack.api.auth_revoke(test=True))["revoked"] is False
        await slack.api.auth_revoke()
        await slack.heard()
        assert slack.app.called == ["tokens_revoked"]
        assert await refused(slack.api, "auth.test") == "token_revoked"
