"""Who is in a workspace: people, bots, guests, and groups of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

BOT = "UBOT"
BOT_ID = "BBOT"
SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class User:
    """`team` is the home workspace, "" for the one they are in; another one makes a stranger of a shared channel.

    `facts` are further fields as `users.info` shows them; they win.
    """

    user_id: str
    facts: Mapping[str, object] = field(default_factory=dict)
    name: str = ""
    is_admin: bool = False
    is_owner: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_bot: bool = False
    deleted: bool = False
    team: str = ""

    @property
    def shown(self) -> str:
        return self.name or self.user_id

    @property
    def handle(self) -> str:
        """What follows the @ in a mention."""
        return self.shown.lower().replace(" ", "-")


DEFAULT_USERS = (
    User("U1", name="Ad operations"),
    User("U2", name="Legal counsel"),
    User("U3", name="Admin", is_admin=True),
    User("U4", name="Guest", is_restricted=True),
    User("U5", name="Gone", deleted=True),
    User("U6", name="Agency", team="TELSEWHERE"),
    User(BOT, name="adpolicy", is_bot=True),
    User(SLACKBOT, name="Slackbot"),
)
DEFAULT_GROUPS = {"S1": frozenset({"U2"})}


def user_json(user: User, team: str) -> dict[str, object]:
    """A user as the API shows it: the flags are left out for the deleted."""
    flags: dict[str, object] = {}
    if not user.deleted:
        flags = {
            "is_admin": user.is_admin or user.is_owner,
            "is_owner": user.is_owner,
            "is_primary_owner": False,
            "is_restricted": user.is_restricted or user.is_ultra_restricted,
            "is_ultra_restricted": user.is_ultra_restricted,
            "tz": "Etc/UTC",
            "tz_offset": 0,
        }
    home = user.team or team
    return {
        "id": user.user_id,
        "team_id": home,
        "name": user.handle,
        "real_name": user.shown,
        "deleted": user.deleted,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "is_stranger": home != team,
        "profile": {"real_name": user.shown, "display_name": user.shown, "team": home},
        **flags,
        **user.facts,
    }


def group_json(
    group_id: str, users: frozenset[str], team: str, *, is_disabled: bool, with_users: bool
) -> dict[str, object]:
    listed: dict[str, object] = {"users": sorted(users)} if with_users else {}
    return {
        "id": group_id,
        "team_id": team,
        "is_usergroup": True,
        "name": group_id.lower(),
        "handle": group_id.lower(),
        "date_delete": 1 if is_disabled else 0,
        "user_count": len(users),
        **listed,
    }


LOOKUP_SCOPES = frozenset(
    {"commands", "usergroups:read", "users:read", "channels:read", "groups:read", "im:read", "mpim:read"}
)
LARGEST_PAGE = 1_000


@dataclass(slots=True)
class Lookups:
    """How Slack tells who is who: `page` entries come at most at once, whatever is asked for; what is discarded from
    `scopes` no token has any more."""

    workspace: object = None
    scopes: set[str] = field(default_factory=lambda: set(LOOKUP_SCOPES))
    page: int = LARGEST_PAGE

    @property
    def withheld(self) -> frozenset[str]:
        return LOOKUP_SCOPES - self.scopes
