"""The app as Slack knows it: what its manifest says, and its secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """`is_socket`: Socket Mode, else HTTP. `is_distributed`: outside the Marketplace, with its tighter limits.

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
    is_distributed: bool = False
    takes_orgs: bool = False
    is_interactive: bool = True
    has_home: bool = True
    has_messages_tab: bool = True


def app_of_manifest(manifest: Mapping[str, object], signing_secret: str) -> App:
    """The app that Slack would make of this manifest: what it does not ask for, it does not get."""
    features, oauth = _part(manifest, "features"), _part(manifest, "oauth_config")
    settings, home = _part(manifest, "settings"), _part(_part(manifest, "features"), "app_home")
    shortcuts = _objects(features.get("shortcuts"))
    return App(
        signing_secret,
        scopes=frozenset(_strings(_part(oauth, "scopes").get("bot"))),
        events=frozenset(_strings(_part(settings, "event_subscriptions").get("bot_events"))),
        commands=tuple(str(each["command"]) for each in _objects(features.get("slash_commands"))),
        shortcuts={str(each["callback_id"]): str(each["name"]) for each in shortcuts if each.get("type") == "global"},
        message_shortcuts={
            str(each["callback_id"]): str(each["name"]) for each in shortcuts if each.get("type") == "message"
        },
        redirect_urls=tuple(_strings(oauth.get("redirect_urls"))),
        is_socket=settings.get("socket_mode_enabled") is True,
        is_rotating=settings.get("token_rotation_enabled") is True,
        takes_orgs=settings.get("org_deploy_enabled") is True,
        is_interactive=_part(settings, "interactivity").get("is_enabled") is True,
        has_home=home.get("home_tab_enabled") is True,
        has_messages_tab=home.get("messages_tab_enabled") is True,
    )


def _part(whole: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = whole.get(name)
    return found if isinstance(found, dict) else {}


def _objects(value: object) -> list[Mapping[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _strings(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
