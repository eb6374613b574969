"""The manifest asks for what the code uses, and for nothing else.

What the app listens to is taken from its listeners, what it calls from its modules; scopes are those that Slack's
documentation names for each.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from adapters.slack.app import EVENTS_PATH
from adapters.slack.commands import COMMAND
from adapters.slack.settings import REDIRECT_PATH
from bot.render.slack.view import SlackAction, SlackModal, SlackShortcut
from bot.wording.slack import scope_reasons
from ops.deploy.slack_manifest import MANIFEST, PLACEHOLDER, bot_scopes, manifest, printed
from ops.sandbox.slack import EVERY_EVENT, EVERY_SCOPE, app_of_manifest
from ops.sandbox.slack.web_api import METHODS
from tests.fakes.listening import ListeningRecord, listened, methods_called

KINDS = ("channels", "groups", "im", "mpim")
SUBSCRIPTIONS: Mapping[str, frozenset[str]] = {"message": frozenset(f"message.{kind}" for kind in KINDS)}
"""Type of an event -> what to subscribe to; the others are called as they are."""

READ, HISTORY = (frozenset(f"{kind}:{what}" for kind in KINDS) for what in ("read", "history"))
WRITE, NONE = frozenset({"chat:write"}), frozenset[str]()
OF_EVENT: Mapping[str, frozenset[str]] = {
    "app_home_opened": NONE,
    "app_mention": frozenset({"app_mentions:read"}),
    "app_uninstalled": NONE,
    "member_joined_channel": frozenset({"channels:read", "groups:read"}),
    "tokens_revoked": NONE,
    **{f"message.{kind}": frozenset({f"{kind}:history"}) for kind in KINDS},
}
OF_METHOD: Mapping[str, frozenset[str]] = {
    "apps.connections.open": NONE,  # by the app-level token
    "assistant.threads.setStatus": WRITE,
    "assistant.threads.setSuggestedPrompts": frozenset({"assistant:write"}),
    "assistant.threads.setTitle": frozenset({"assistant:write"}),
    "auth.revoke": NONE,
    "auth.teams.list": NONE,
    "auth.test": NONE,
    "chat.appendStream": WRITE,
    "chat.delete": WRITE,
    "chat.getPermalink": NONE,
    "chat.postEphemeral": WRITE,
    "chat.postMessage": WRITE,
    "chat.startStream": WRITE,
    "chat.stopStream": WRITE,
    "chat.update": WRITE,
    "conversations.history": HISTORY,
    "conversations.info": READ,
    "conversations.join": frozenset({"channels:join"}),
    "conversations.list": READ,
    "conversations.members": READ,
    "conversations.open": frozenset({"im:write"}),  # with one person
    "conversations.replies": HISTORY,
    "oauth.v2.access": NONE,
    "team.info": frozenset({"team:read"}),
    "usergroups.list": frozenset({"usergroups:read"}),
    "usergroups.users.list": frozenset({"usergroups:read"}),
    "users.conversations": READ,
    "users.info": frozenset({"users:read"}),
    "users.list": frozenset({"users:read"}),
    "views.open": NONE,
    "views.publish": NONE,
    "views.push": NONE,
    "views.update": NONE,
}


@pytest.fixture
async def listening() -> ListeningRecord:
    return await listened()


@pytest.fixture
def asked() -> Any:
    return yaml.safe_load(MANIFEST.read_text("utf-8"))


def subscriptions(listening: ListeningRecord) -> set[str]:
    return {each for event in listening.of("event") for each in SUBSCRIPTIONS.get(event, {event})}


async def test_events(asked: Any, listening: ListeningRecord) -> None:
    assert subscriptions(listening) == set(asked["settings"]["event_subscriptions"]["bot_events"])


async def test_scopes(asked: Any, listening: ListeningRecord) -> None:
    called = methods_called()
    assert called <= set(OF_METHOD), "look up in Slack's documentation which scopes they need"
    assert called <= {*METHODS, "oauth.v2.access", "apps.connections.open"}, "the stand-in has to know them"
    used = {scope for method in called for scope in OF_METHOD[method]}
    used |= {scope for event in subscriptions(listening) for scope in OF_EVENT[event]}
    used |= {"commands"} if listening.of("command", "shortcut", "global_shortcut", "message_shortcut") else set()
    scopes = asked["oauth_config"]["scopes"]
    assert list(scopes) == ["bot"]  # nobody's own token
    assert used == set(scopes["bot"])
    assert len(scopes["bot"]) == len(set(scopes["bot"]))


def test_the_table_agrees_with_the_stand_in() -> None:
    for name, scopes in OF_METHOD.items():
        known = set(METHODS[name].scopes) if name in METHODS else set()
        assert not known or known & scopes, name
    assert set(bot_scopes()) <= EVERY_SCOPE
    assert set(OF_EVENT) == EVERY_EVENT


async def test_the_command_is_the_one_that_is_listened_to(asked: Any, listening: ListeningRecord) -> None:
    [command] = asked["features"]["slash_commands"]
    assert {command["command"]} == listening.of("command") == {COMMAND}
    assert command["url"] == f"{PLACEHOLDER}{EVENTS_PATH}"
    assert command["should_escape"] is False  # else "@somebody" would arrive as "<@U1|somebody>"


async def test_shortcuts_and_what_can_be_clicked(asked: Any, listening: ListeningRecord) -> None:
    offered = {(each["type"], each["callback_id"]) for each in asked["features"]["shortcuts"]}
    assert offered == {("global", SlackShortcut.ASK), ("message", SlackShortcut.CHECK_MESSAGE)}
    heard = listening.of("shortcut", "global_shortcut", "message_shortcut")
    assert heard == {callback for _, callback in offered}
    # several choices stand in one block, which takes each id once: a number follows theirs
    named = {each: f"{each.value}:0" if each is SlackAction.CHOOSE else each.value for each in SlackAction}
    answered = {each for each, name in named.items() if listening.takes("action", name)}
    assert answered == set(SlackAction)
    submitted = {
        each for each in SlackModal if listening.takes("view", each) or listening.takes("view_submission", each)
    }
    assert submitted | {SlackModal.SOURCES, SlackModal.MORE} == set(SlackModal)  # those are only read
    assert asked["settings"]["interactivity"]["is_enabled"] is True


def test_every_address_is_ours(asked: Any) -> None:
    settings = asked["settings"]
    for part in (settings["event_subscriptions"], settings["interactivity"]):
        assert part["request_url"] == f"{PLACEHOLDER}{EVENTS_PATH}"
    assert asked["oauth_config"]["redirect_urls"] == [f"{PLACEHOLDER}{REDIRECT_PATH}"]


def test_limits_of_slack(asked: Any) -> None:
    shown, features = asked["display_information"], asked["features"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert len(features["bot_user"]["display_name"]) <= 80
    assert len(features["agent_view"]["agent_description"]) <= 300
    for each in features["shortcuts"]:
        assert len(each["name"]) <= 24
        assert len(each["description"]) <= 150


def test_people_can_write_to_it(asked: Any) -> None:
    home = asked["features"]["app_home"]
    assert (home["home_tab_enabled"], home["messages_tab_enabled"]) == (True, True)
    assert home["messages_tab_read_only_enabled"] is False


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("socket", [False, True])
def test_the_manifest_that_is_printed(socket: bool, many: bool) -> None:
    made = manifest("https://bot.example/", socket=socket, many=many)
    text = printed(made, "yaml")
    assert yaml.safe_load(text) == yaml.safe_load(printed(made, "json")) == made
    assert PLACEHOLDER not in text
    assert (f"https://bot.example{EVENTS_PATH}" in text) is not socket
    assert (f"https://bot.example{REDIRECT_PATH}" in text) is many
    app = app_of_manifest(made, "secret")
    assert (app.is_socket, app.is_rotating, app.takes_orgs) == (socket, many, many)
    assert app.scopes == set(bot_scopes())
    assert app.commands == (COMMAND,)
    assert app.is_interactive


def test_the_file_is_for_one_workspace(asked: Any) -> None:
    """A token that is copied into the settings must not expire: nobody could renew it."""
    assert app_of_manifest(asked, "s").is_rotating is False
    assert {**manifest(), "oauth_config": asked["oauth_config"]} == asked


def test_the_install_page_says_why_for_each_scope() -> None:
    assert set(scope_reasons()) == set(bot_scopes())


def test_addresses_are_https(asked: Any) -> None:
    assert urlsplit(asked["features"]["slash_commands"][0]["url"]).scheme == "https"
