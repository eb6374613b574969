"""Who is in a workspace, people, bots, guests and groups of them, and where: channels, groups, direct messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

BOT = "UBOT"
BOT_ID = "BBOT"
SLACKBOT = "USLACKBOT"
ELSEWHERE = "TELSEWHERE"


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

    def json(self, team: str) -> dict[str, object]:
        """As the API shows it: the flags are left out for the deleted."""
        home = self.team or team
        flags = {
            "is_admin": self.is_admin or self.is_owner, "is_owner": self.is_owner, "is_primary_owner": False,
            "is_restricted": self.is_restricted or self.is_ultra_restricted,
            "is_ultra_restricted": self.is_ultra_restricted, "tz": "Etc/UTC", "tz_offset": 0,
        }  # fmt: skip
        return {
            "id": self.user_id, "team_id": home, "name": self.handle, "real_name": self.shown,
            "deleted": self.deleted, "is_bot": self.is_bot, "is_app_user": False, "is_stranger": home != team,
            "profile": {"real_name": self.shown, "display_name": self.shown, "team": home},
            **({} if self.deleted else flags), **self.facts,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Channel:
    """`members` are user ids; the bot may post only where it is one of them."""

    channel_id: str
    name: str
    members: frozenset[str]
    is_private: bool = False
    is_archived: bool = False
    is_im: bool = False
    is_mpim: bool = False
    is_ext_shared: bool = False
    sharing: Mapping[str, object] = field(default_factory=dict)
    """What Slack says of a channel that other companies read (`is_org_shared` ...); it wins."""
    creator: str = "U3"

    @property
    def kind(self) -> str:
        """`channel_type` of its messages."""
        if self.is_im or self.is_mpim:
            return "im" if self.is_im else "mpim"
        return "group" if self.is_private else "channel"

    @property
    def scopes(self) -> str:
        """What scopes for it begin with: `channels:read`, `im:history` ..."""
        return {"channel": "channels", "group": "groups"}.get(self.kind, self.kind)

    def found_by(self, user: str) -> bool:
        """Whether it exists at all for `user`: private ones do not, for people outside."""
        return self.kind == "channel" or user in self.members

    def json(self, team: str) -> dict[str, object]:
        """As the API shows it to the bot."""
        shared: dict[str, object] = {
            "id": self.channel_id, "is_im": self.is_im, "is_archived": self.is_archived, "context_team_id": team,
        }  # fmt: skip
        if self.is_im:
            other = next(iter(self.members - {BOT}), BOT)
            return {**shared, "user": other, "is_user_deleted": False, **self.sharing}
        nothing = {"value": "", "creator": "", "last_set": 0}
        teams = {"shared_team_ids": [team, ELSEWHERE], "connected_team_ids": [ELSEWHERE]}
        return {
            **shared, "name": self.name, "name_normalized": self.name,
            "is_channel": self.kind == "channel", "is_group": self.kind == "group", "is_mpim": self.is_mpim,
            "is_private": self.is_private or self.is_mpim, "is_general": False, "is_member": BOT in self.members,
            "is_shared": self.is_ext_shared, "is_ext_shared": self.is_ext_shared, "is_org_shared": False,
            "is_pending_ext_shared": False, **(teams if self.is_ext_shared else {}), "creator": self.creator,
            "num_members": len(self.members), "topic": nothing, "purpose": nothing, **self.sharing,
        }  # fmt: skip


DEFAULT_USERS = (
    User("U1", name="Ad operations"),
    User("U2", name="Legal counsel"),
    User("U3", name="Admin", is_admin=True),
    User("U4", name="Guest", is_restricted=True),
    User("U5", name="Gone", deleted=True),
    User("U6", name="Agency", team=ELSEWHERE),
    User(BOT, name="adpolicy", is_bot=True),
    User(SLACKBOT, name="Slackbot"),
)
DEFAULT_GROUPS = {"S1": frozenset({"U2"})}
DEFAULT_CHANNELS = (
    Channel("C1", "ads-policy", frozenset({BOT, "U1", "U2", "U3"})),
    Channel("C2", "launches", frozenset({"U1", "U2"})),
    Channel("C3", "archive", frozenset({BOT, "U1"}), is_archived=True),
    Channel("C4", "with-agency", frozenset({BOT, "U1", "U4", "U6"}), is_ext_shared=True),
    Channel("G1", "legal-only", frozenset({"U2"}), is_private=True),
)
