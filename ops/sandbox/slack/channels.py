"""Channels, groups and direct messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ops.sandbox.slack.people import BOT


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
        if self.is_im:
            return "im"
        if self.is_mpim:
            return "mpim"
        return "group" if self.is_private else "channel"

    @property
    def scopes(self) -> str:
        """What scopes for it begin with: `channels:read`, `im:history` ..."""
        return {"channel": "channels", "group": "groups"}.get(self.kind, self.kind)

    def found_by(self, user: str) -> bool:
        """Whether it exists at all for `user`: private ones do not, for people outside."""
        return self.kind == "channel" or user in self.members


DEFAULT_CHANNELS = (
    Channel("C1", "ads-policy", frozenset({BOT, "U1", "U2", "U3"})),
    Channel("C2", "launches", frozenset({"U1", "U2"})),
    Channel("C3", "archive", frozenset({BOT, "U1"}), is_archived=True),
    Channel("C4", "with-agency", frozenset({BOT, "U1", "U4", "U6"}), is_ext_shared=True),
    Channel("G1", "legal-only", frozenset({"U2"}), is_private=True),
)


def channel_json(channel: Channel, team: str) -> dict[str, object]:
    """A conversation as the API shows it to the bot."""
    shared: dict[str, object] = {
        "id": channel.channel_id,
        "is_im": channel.is_im,
        "is_archived": channel.is_archived,
        "context_team_id": team,
    }
    if channel.is_im:
        return {**shared, "user": next(iter(channel.members - {BOT}), BOT), "is_user_deleted": False, **channel.sharing}
    return {
        **shared,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_mpim": channel.is_mpim,
        "is_private": channel.is_private or channel.is_mpim,
        "is_general": False,
        "is_member": BOT in channel.members,
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_org_shared": False,
        "is_pending_ext_shared": False,
        **(
            {"shared_team_ids": [team, "TELSEWHERE"], "connected_team_ids": ["TELSEWHERE"]}
            if channel.is_ext_shared
            else {}
        ),
        "creator": channel.creator,
        "num_members": len(channel.members),
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        **channel.sharing,
    }
