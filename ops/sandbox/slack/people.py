"""Who is in a workspace: people, bots, guests, and groups of them."""

from dataclasses import dataclass, field

BOT = "UBOT"
BOT_ID = "BBOT"
SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class User:
    """`team` is the home workspace, "" for the one they are in; another one makes a stranger of a shared channel."""

    user_id: str
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


@dataclass(frozen=True, slots=True)
class UserGroup:
    group_id: str
    handle: str
    users: frozenset[str] = field(default_factory=frozenset)
    is_disabled: bool = False


DEFAULT_USERS = (
    User("U1", "Ad operations"),
    User("U2", "Legal counsel"),
    User("U3", "Admin", is_admin=True),
    User("U4", "Guest", is_restricted=True),
    User("U5", "Gone", deleted=True),
    User("U6", "Agency", team="TELSEWHERE"),
    User(BOT, "adpolicy", is_bot=True),
    User(SLACKBOT, "Slackbot"),
)
DEFAULT_GROUPS = (UserGroup("S1", "legal", frozenset({"U2"})),)


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
    }


def group_json(group: UserGroup, team: str, *, with_users: bool) -> dict[str, object]:
    listed: dict[str, object] = {"users": sorted(group.users)} if with_users else {}
    return {
        "id": group.group_id,
        "team_id": team,
        "is_usergroup": True,
        "name": group.handle,
        "handle": group.handle,
        "date_delete": 1 if group.is_disabled else 0,
        "user_count": len(group.users),
        **listed,
    }
