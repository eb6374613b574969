"""Activities as Teams makes them of what people do, in the shapes of the documentation's examples."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.world import Account, Place, PlaceKind, World, threaded

Json = dict[str, object]


class Activities:
    def __init__(self, world: World) -> None:
        self._world = world

    def made(self, kind: str, place: Place, person: Account, *, root: str = "", id_: str = "") -> Json:
        """What all have in common. `root`: of the thread, in a channel."""
        world, now = self._world, stamp(self._world.clock())
        thread = root if place.kind is PlaceKind.CHANNEL else ""
        conversation: Json = {"id": threaded(place.id, thread), "conversationType": str(place.kind)}
        conversation |= {
            "tenantId": place.tenant,
            **({"isGroup": True} if place.kind is not PlaceKind.PERSONAL else {}),
        }
        return {
            "type": kind, "id": id_ or world.event_id(), "timestamp": now, "localTimestamp": now,
            "channelId": "msteams", "serviceUrl": world.service_url(place.tenant), "from": person.sender(),
            "conversation": conversation, "recipient": {"id": world.bot, "name": world.bot_name},
            "entities": [{"type": "clientInfo", "locale": "en-GB", "country": "GB", "platform": "Web"}],
            "channelData": _channel_data(place), "locale": "en-GB",
        }  # fmt: skip

    def message(self, place: Place, person: Account, message: Message, kind: str = "message", event: str = "") -> Json:
        """A message of a person's, new or changed (`event`)."""
        made = self.made(kind, place, person, root=message.root, id_=message.id)
        entities = [*_list(made["entities"]), *_list(message.activity.get("entities"))]
        made |= {**message.activity, "entities": entities}
        return made | ({"channelData": _channel_data(place, eventType=event)} if event else {})

    def invoke(
        self, name: str, value: Mapping[str, object], place: Place, person: Account, message: Message | None
    ) -> Json:
        """`message`: what was clicked on."""
        made = self.made("invoke", place, person, root=message.root if message else "")
        made |= {"name": name, "value": dict(value)}
        if message is not None:
            made |= {"replyToId": message.id, "channelData": _channel_data(place, source={"name": "message"})}
        return made

    def installed(self, place: Place, person: Account, action: str) -> Json:
        """`action`: "add" or "remove"."""
        more: Json = {"source": {"name": "message"}}
        if place.team is not None:
            more["team"] = {"id": place.team.thread, "aadGroupId": place.team.group, "name": place.team.name}
            more["settings"] = {"selectedChannel": {"id": place.id}}
        made = self.made("installationUpdate", place, person)
        return made | {"action": action, "channelData": _channel_data(place, **more)}

    def members(self, place: Place, person: Account, who: Sequence[Mapping[str, object]], added: bool) -> Json:
        made = self.made("conversationUpdate", place, person)
        made["membersAdded" if added else "membersRemoved"] = list(who)
        event = "teamMemberAdded" if added else "teamMemberRemoved"
        return made | ({"channelData": _channel_data(place, eventType=event)} if place.team is not None else {})

    def changed(self, place: Place, person: Account, event: str, **facts: object) -> Json:
        """Of a team or channel: "teamRenamed", "channelCreated", "channelDeleted" ... It is told in the team's own
        conversation; `facts` join channelData."""
        made = self.made("conversationUpdate", place, person)
        return made | {"channelData": _channel_data(place, eventType=event, **facts)}


def _channel_data(place: Place, **more: object) -> Json:
    found: Json = {"tenant": {"id": place.tenant}}
    if place.team is not None:
        team: Json = {"id": place.team.thread, "aadGroupId": place.team.group}
        found |= {"channel": {"id": place.id}, "team": team}
        found |= {"teamsChannelId": place.id, "teamsTeamId": place.team.thread}
    return found | more


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []
