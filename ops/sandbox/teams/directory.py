"""What the pretended Graph knows: the stand-in's own people, teams and chats, and groups that are added to them."""

from dataclasses import dataclass, field
from datetime import timedelta

from ops.sandbox.teams.graph import Entries
from ops.sandbox.teams.graph_messages import entry
from ops.sandbox.teams.people import Account, PersonKind
from ops.sandbox.teams.places import Place, PlaceKind
from ops.sandbox.teams.refusals import TeamsRefusal
from ops.sandbox.teams.world import World

_PERSON = "#microsoft.graph.aadUserConversationMember"
_ANONYMOUS = "#microsoft.graph.anonymousGuestConversationMember"


@dataclass
class WorldFacts:
    """A `GraphFacts`. `groups`: id -> ids of direct members; a team is a group of its own. `disabled`: people who may
    not sign in any more. `reads_channels`, `reads_chats`: the app was allowed `ChannelMessage.Read.All`,
    `Chat.Read.All`, which is more than what teams and chats consent to. `late`: what was written after that is not
    known yet."""

    world: World
    groups: dict[str, set[str]] = field(default_factory=dict)
    disabled: set[int] = field(default_factory=set)
    reads_channels: bool = False
    reads_chats: bool = False
    late: timedelta = timedelta()

    def user(self, id_: str) -> dict[str, object] | None:
        found = self.world.account(id_)
        if found is None or found.object_id != id_:
            return None
        kind = "Guest" if found.kind is PersonKind.GUEST else "Member"
        enabled = found.number not in self.disabled
        return {"id": found.object_id, "displayName": found.name, "userType": kind, "accountEnabled": enabled}

    def group(self, id_: str) -> set[str] | None:
        team = self.world.teams.get(id_)
        if team is not None:
            return self._ids(team.members)
        return self.groups.get(id_)

    def members(self, id_: str, team: str = "") -> Entries | None:
        found = self.world.places.get(id_)
        if found is None or found.is_deleted or found.kind is PlaceKind.PERSONAL:
            return None
        return self._listed(found) if (found.team.group if found.team else "") == team else None

    def team(self, id_: str) -> tuple[str, list[str]] | None:
        found = self.world.teams.get(id_)
        return None if found is None else (found.visibility, sorted(self._ids(found.owners)))

    def replies(self, team: str, channel: str, thread: str) -> Entries | None:
        place = self._channel(team, channel)
        if place is None or self.world.messages.find(channel, thread) is None:
            return None
        return [each for each in self._written(place) if each["replyToId"] == thread]

    def posts(self, team: str, channel: str) -> Entries | None:
        place = self._channel(team, channel)
        return None if place is None else [each for each in self._written(place) if each["replyToId"] is None]

    def chat_messages(self, chat: str) -> Entries | None:
        place = self.world.places.get(chat)
        if place is None or place.kind is not PlaceKind.GROUP:  # that of a personal chat is another one in Graph
            return None
        if not place.hears_all and not self.reads_chats:
            raise TeamsRefusal(403, "Forbidden", "ChatMessage.Read.Chat is not consented to")
        return self._written(place)

    def _channel(self, team: str, channel: str) -> Place | None:
        """One whose messages may be read."""
        place = self.world.places.get(channel)
        if place is None or place.team is None or place.team.group != team:
            return None
        if not place.team.hears_all and not self.reads_channels:
            raise TeamsRefusal(403, "Forbidden", "ChannelMessage.Read.Group is not consented to")
        return place

    def _written(self, place: Place) -> Entries:
        world, until = self.world, self.world.clock() - self.late
        return [
            entry(each, place, world.account(each.author), world.app_id, world.bot_name)
            for each in world.messages.listed(place.id, deleted=True)
            if each.at <= until
        ]

    def _listed(self, place: Place) -> Entries:
        owners = place.team.owners if place.team else set[int]()
        return [_member(self.world.accounts[each], is_owner=each in owners) for each in sorted(place.members)]

    def _ids(self, numbers: set[int]) -> set[str]:
        return {found for each in numbers if (found := self.world.accounts[each].object_id)}


def _member(account: Account, *, is_owner: bool) -> dict[str, object]:
    """As Graph lists somebody in a chat or channel: who is federated has an id and a tenant of his own there."""
    if account.kind is PersonKind.ANONYMOUS:
        return {"@odata.type": _ANONYMOUS, "anonymousGuestId": account.user, "roles": []}
    is_elsewhere = account.kind is PersonKind.FEDERATED
    roles = ["guest"] if account.kind is PersonKind.GUEST else ["owner"] if is_owner else []
    return {
        "@odata.type": _PERSON,
        "userId": account.object_id or f"{account.number:08d}-ffff-0000-0000-000000000000",
        "displayName": account.name,
        "tenantId": account.home if is_elsewhere else account.tenant,
        "roles": roles,
    }
