"""What Teams is to the rest of this folder. `adapters.teams.botframework` implements it on botbuilder, and nothing
outside that folder imports botbuilder: another SDK comes as another folder of these three."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from adapters.teams.addresses import TeamsReference
from adapters.teams.messages import TeamsActivity

Activity = Mapping[str, object]
"""An activity to be sent, as plain JSON in the Bot Framework's shape: `type`, `text`, `attachments`, `entities`,
`channelData`, `suggestedActions` ... Nothing of it is dropped on the way. Conversation, sender and recipient are put in
from the reference."""


class TeamsInbound(Protocol):
    """Who speaks to us. Keys are fetched off the event loop, bounded in time, and again at once for an unknown one."""

    async def receive(self, authorization: str, body: bytes) -> TeamsActivity:
        """The activity in `body`, sent by Teams for sure: signature, expiry, issuer, audience, endorsement, address.

        `authorization`: the header as it came, "" for none. Raises Rejected: `teams_unauthenticated` (answer 401),
        `teams_unreadable` (400); Unavailable `teams_keys_unreachable` (503: nobody can be believed now).
        """
        ...


class TeamsOutbound(Protocol):
    """Writes to a conversation now or much later. One token an hour, fetched off the event loop.

    Waits and tries again where Teams asks for it (429, 412, 502, 504), for as long as the caller gives it.

    Raises Unavailable: `teams_slow_down` (`retry_after` in seconds), `teams_unreachable`, `teams_error`; `delivered`
    "no": Teams has nothing of it, else "unknown"; `again` true: Teams asks for it to be sent again. Raises Rejected:
    `teams_channel_closed` (403 and 404 of a conversation: removed, archived, blocked by the person),
    `teams_message_gone` (of an update or deletion), `teams_message_too_big` (413, and a stream's 403 that says so),
    `teams_stream_over` (of a stream that Teams ended; `why`: "completed", "time", "stopped" by the person, "" where
    Teams does not say), `teams_refused` (`error`: Teams' own code).
    """

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        """The new activity's id; "" where Teams took it and does not say (`adapters.teams.conversations`). `once`: what
        Teams may have taken (502, 504) is not tried again here."""
        ...

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity) -> None: ...

    async def delete(self, to: TeamsReference, activity_id: str) -> None: ...

    async def typing(self, to: TeamsReference) -> None: ...

    async def resume(self, to: TeamsReference, person: str) -> TeamsReference:
        """The conversation of one person (object id or `29:` id) with the bot, opened if there is none; `to` gives
        service url, tenant and bot."""
        ...


@dataclass(frozen=True, slots=True)
class TeamsMember:
    """Somebody in a conversation. `person`: the object id in Entra, "" for who has none (federated, anonymous).
    `tenant`: his own, "" where Teams does not say. `role`: Teams' own word ("user", "guest", "anonymous")."""

    user: str
    person: str
    name: str = ""
    tenant: str = ""
    role: str = ""

    def is_full(self, tenant: str) -> bool:
        """Of the tenant itself, neither guest nor anonymous nor another organisation's."""
        is_ours = self.tenant.lower() in ("", tenant.lower())
        return bool(self.person) and is_ours and self.role.lower() not in ("guest", "anonymous")


class TeamsDirectory(Protocol):
    """Who is in a conversation, by the connector. Raises Unavailable, Rejected as TeamsOutbound."""

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        """`user`: `29:` id or object id. None: not in there."""
        ...

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        """Everybody, page by page; None where they are more than `most`."""
        ...
