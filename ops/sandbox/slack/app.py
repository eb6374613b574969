"""The app as Slack knows it: what its manifest says, and its secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

EVERY_SCOPE = frozenset(
    {
        "app_mentions:read", "assistant:write", "channels:history", "channels:join", "channels:read", "chat:write",
        "commands", "groups:history", "groups:read", "im:history", "im:read", "im:write", "mpim:history", "mpim:read",
        "mpim:write", "team:read", "usergroups:read", "users:read",
    }
)  # fmt: skip

EVERY_EVENT = frozenset(
    {
        "app_home_opened", "app_mention", "app_uninstalled", "member_joined_channel", "message.channels",
        "message.groups", "message.im", "message.mpim", "tokens_revoked",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class App:
    """`is_socket`: Socket Mode, else HTTP.

    `shortcuts` and `message_shortcuts`: callback id -> what people click.
    """

    signing_secret: str = ""
    app_id: str = "A1"
    client_id: str = "1.1"
    client_secret: str = "sandbox-client-secret"  # noqa: S105 - for this stand-in alone # pragma: allowlist secret
    app_token: str = "xapp-sandbox"  # noqa: S105 - for this stand-in alone
    scopes: frozenset[str] = EVERY_SCOPE
    events: frozenset[str] = frozenset()
    commands: tuple[str, ...] = ("/adpolicy",)
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    message_shortcuts: Mapping[str, str] = field(default_factory=dict)
    redirect_urls: tuple[str, ...] = ()
    is_socket: bool = False
    is_rotating: bool = False
    takes_orgs: bool = False
    is_interactive: bool = True
    has_home: bool = True
    has_messages_tab: bool = True


def app_of_manifest(manifest: Mapping[str, Any], signing_secret: str) -> App:
    """The app that Slack would make of this manifest: what it does not ask for, it does not get."""
    features, oauth, settings = (manifest.get(each, {}) for each in ("features", "oauth_config", "settings"))
    home, shortcuts = features.get("app_home", {}), features.get("shortcuts", [])
    by_type: dict[str, dict[str, str]] = {"global": {}, "message": {}}
    for each in shortcuts:
        by_type[each["type"]][each["callback_id"]] = each["name"]
    return App(
        signing_secret,
        scopes=frozenset(oauth.get("scopes", {}).get("bot", [])),
        events=frozenset(settings.get("event_subscriptions", {}).get("bot_events", [])),
        commands=tuple(each["command"] for each in features.get("slash_commands", [])),
        shortcuts=by_type["global"],
        message_shortcuts=by_type["message"],
        redirect_urls=tuple(oauth.get("redirect_urls", [])),
        is_socket=settings.get("socket_mode_enabled", False),
        is_rotating=settings.get("token_rotation_enabled", False),
        takes_orgs=settings.get("org_deploy_enabled", False),
        is_interactive=settings.get("interactivity", {}).get("is_enabled", False),
        has_home=home.get("home_tab_enabled", False),
        has_messages_tab=home.get("messages_tab_enabled", False),
    )
