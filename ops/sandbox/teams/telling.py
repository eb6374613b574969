"""Activities as Teams makes them of what people do."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.people import Account
from ops.sandbox.teams.places import Place, PlaceKind, threaded
from ops.sandbox.teams.world import World

Json = dict[str, object]


class Telling:
    """Everything that goes to the bot is made here, in the shapes of the documentation's examples."""

    def __init__(self, world: World) -> None:
        self._world = world

    def activity(self, kind: str, place: Place, person: Account, *, root: str = "", id_: str = "") -> Json:
        """What all have in common. `root`: of the thread, in a channel."""
        world, now = self._world, self._world.clock()
        conversation: Json = {
            "id": threaded(place.id, root),
            "conversationType": str(place.kind),
            "tenantId": place.tenant,
        }
        if place.kind is not PlaceKind.PERSONAL:
            conversation["isGroup"] = True
        return {
            "type": kind,
            "id": id_ or world.numbers.event(),
            "timestamp": stamp(now),
            "localTimestamp": stamp(now),
            "channelId": "msteams",
            "serviceUrl": world.service_url(place.tenant),
            "from": person.sender(),
            "conversation": conversation,
            "recipient": {"id": world.bot, "name": world.bot_name},
            "entities": [{"type": "clientInfo", "locale": "en-GB", "country": "GB", "platform": "Web"}],
            "channelData": self.channel_data(place),
            "locale": "en-GB",
        }

    def channel_data(self, place: Place) -> Json:
        found: Json = {"tenant": {"id": place.tenant}}
        if place.team is not None:
            team: Json = {"id": place.team.thread, "aadGroupId": place.team.group}
            found |= {"channel": {"id": place.id}, "team": team}
            found |= {"teamsChannelId": place.id, "teamsTeamId": place.team.thread}
        return found

    def message(self, place: Place, person: Account, message: Message, kind: str = "message", event: str = "") -> Json:
        """A message of a person's, new or changed (`event`)."""
        root = message.root if place.kind is PlaceKind.CHANNEL else ""
        made = self.activity(kind, place, person, root=root, id_=message.id)
        entities = [*_list(made["entities"]), *_list(message.activity.get("entities"))]
        said = {name: each for name, each in message.activity.items() if name != "entities"}
        made |= {**said, "entities": entities}
        if event:
            made["channelData"] = {**self.channel_data(place), "eventType": event}
        return made

    def invoke(
        self, name: str, value: Mapping[str, object], place: Place, person: Account, message: Message | None
    ) -> Json:
        """`message`: what was clicked on."""
        root = message.root if message and place.kind is PlaceKind.CHANNEL else ""
        made = self.activity("invoke", place, person, root=root)
        made |= {"name": name, "value": dict(value)}
        if message is not None:
            made["replyToId"] = message.id
            made["channelData"] = {**self.channel_data(place), "source": {"name": "message"}}
        return made

    def installed(self, place: Place, person: Account, action: str) -> Json:
        """`action`: "add" or "remove"."""
        made = self.activity("installationUpdate", place, person)
        made["action"] = action
        data = self.channel_data(place)
        if place.team is not None:
            data["team"] = {"id": place.team.thread, "aadGroupId": place.team.group, "name": place.team.name}
            data["settings"] = {"selectedChannel": {"id": place.id}}
        made["channelData"] = {**data, "source": {"name": "message"}}
        return made

    def members(self, place: Place, person: Account, who: Sequence[Mapping[str, object]], added: bool) -> Json:
        made = self.activity("conversationUpdate", place, person)
        made["membersAdded" if added else "membersRemoved"] = list(who)
        if place.team is not None:
            event = "teamMemberAdded" if added else "teamMemberRemoved"
            made["channelData"] = {**self.channel_data(place), "eventType": event}
        return made

    def changed(self, place: Place, person: Account, event: str, **facts: object) -> Json:
        """Of a team or channel: "teamRenamed", "channelCreated", "channelDeleted" ... It is told in the team's own
        conversation; `facts` join channelData."""
        made = self.activity("conversationUpdate", place, person)
        made["channelData"] = {**self.channel_data(place), "eventType": event, **facts}
        return made


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []
