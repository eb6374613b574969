"""The manifest of the Teams app: what Teams is told that the bot is and takes."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from adapters.teams.settings import GUID
from bot.render.teams.view import ExtensionCommand
from ops.wording import teams_package as wording
from rag_core.errors import Misconfigured

MANIFEST_VERSION = "1.30"
SCHEMA = f"https://developer.microsoft.com/json-schemas/teams/v{MANIFEST_VERSION}/MicrosoftTeams.schema.json"
COLOR_ICON, OUTLINE_ICON = "color.png", "outline.png"
ACCENT = "#1F4E8C"
"""The ground of the colour icon, which Teams draws on beside it."""

READ_ALL = ("ChannelMessage.Read.Group",)
READ_CHATS = ("ChatMessage.Read.Chat",)
READ_MEMBERS = ("ChannelMember.Read.Group", "TeamSettings.Read.Group", "ChatMember.Read.Chat")
SCOPES = ("personal", "team", "groupChat")


@dataclass(frozen=True, slots=True)
class Wanted:
    """`app_id`: of the bot's registration. `website`, `privacy`, `terms`: https addresses that Teams shows of who runs
    the bot. `hosts`: from which what it links comes, as `host_of` names them. `version`: three numbers, higher for each
    upload.

    `reads_all`: all messages of a team's channels reach the bot, not only those that mention it, and it may look for
    its own there. `reads_chats`: the same of group chats. `reads_members`: teams and chats let it read who is in them,
    instead of an administrator for all of them.

    Raises Misconfigured("teams_app_id_invalid"), ("teams_website_insecure").
    """

    app_id: str
    website: str
    privacy: str = ""
    terms: str = ""
    hosts: tuple[str, ...] = ()
    version: str = "1.0.0"
    reads_all: bool = False
    reads_chats: bool = False
    reads_members: bool = False

    def __post_init__(self) -> None:
        if GUID.fullmatch(self.app_id) is None:
            raise Misconfigured("teams_app_id_invalid", setting="ADPOLICY_TEAMS_APP_ID")
        given = {"ADPOLICY_PUBLIC_URL": self.website, "--privacy": self.privacy, "--terms": self.terms}
        for name, address in given.items():
            if (address or name == "ADPOLICY_PUBLIC_URL") and not host_of(address):
                raise Misconfigured("teams_website_insecure", setting=name, value=address)


def manifest(wanted: Wanted) -> dict[str, Any]:
    """As the published schema has it."""
    asked = (
        *(READ_ALL if wanted.reads_all else ()),
        *(READ_CHATS if wanted.reads_chats else ()),
        *(READ_MEMBERS if wanted.reads_members else ()),
    )
    made: dict[str, Any] = {
        "$schema": SCHEMA,
        "manifestVersion": MANIFEST_VERSION,
        "version": wanted.version,
        "id": wanted.app_id.lower(),
        "developer": {
            "name": wording.DEVELOPER,
            "websiteUrl": wanted.website,
            "privacyUrl": wanted.privacy or wanted.website,
            "termsOfUseUrl": wanted.terms or wanted.website,
        },
        "name": {"short": wording.NAME, "full": wording.FULL_NAME},
        "description": {"short": wording.IN_SHORT, "full": wording.IN_FULL},
        "icons": {"color": COLOR_ICON, "outline": OUTLINE_ICON},
        "accentColor": ACCENT,
        "defaultInstallScope": "personal",
        "defaultGroupCapability": {"team": "bot", "groupchat": "bot"},
        "bots": [_bot(wanted)],
        "composeExtensions": [_extension(wanted)],
        "validDomains": sorted({*wanted.hosts, *host_of(wanted.website)}),
        # Of an app that asks teams for permissions Teams wants a resource; nobody reads it.
        "webApplicationInfo": {"id": wanted.app_id.lower(), "resource": wanted.website},
    }
    if asked:
        listed = [{"name": name, "type": "Application"} for name in asked]
        made["authorization"] = {"permissions": {"resourceSpecific": listed}}
    return made


def _bot(wanted: Wanted) -> dict[str, Any]:
    return {
        "botId": wanted.app_id.lower(),
        "scopes": list(SCOPES),
        "isNotificationOnly": False,
        "supportsCalling": False,
        "supportsVideo": False,
        "supportsFiles": False,  # what is attached is answered with what can be read
        "commandLists": [{"scopes": [scope], "commands": _commands()} for scope in SCOPES],
    }


def _commands() -> list[dict[str, str]]:
    return [{"title": each.title, "description": each.description} for each in wording.commands()]


def _extension(wanted: Wanted) -> dict[str, Any]:
    search, check = wording.search_command(), wording.check_command()
    return {
        "botId": wanted.app_id.lower(),
        "canUpdateConfiguration": False,
        "commands": [
            {
                "id": ExtensionCommand.SEARCH.value,
                "type": "query",
                "context": ["compose", "commandBox"],
                "title": search.title,
                "description": search.description,
                "initialRun": False,
                "parameters": [
                    {"name": "query", "inputType": "text", "title": search.field, "description": search.field_about}
                ],
            },
            {
                "id": ExtensionCommand.CHECK_MESSAGE.value,
                "type": "action",
                "context": ["message"],
                "fetchTask": True,
                "title": check.title,
                "description": check.description,
            },
        ],
    }


def host_of(address: str) -> tuple[str, ...]:
    """The host, with its port where it has one, of an https address; nothing for any other, and for one that carries a
    name or a password."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ()
    is_plain = parts.username is None and parts.password is None
    return (f"{parts.hostname}{port}",) if parts.scheme == "https" and parts.hostname and is_plain else ()
