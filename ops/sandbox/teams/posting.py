"""What a bot posts, changes and takes back."""

from collections.abc import Mapping
from dataclasses import replace

from ops.sandbox.teams.checks.activities import check_message, check_size
from ops.sandbox.teams.messages import Message, objects
from ops.sandbox.teams.places import Place, PlaceKind, base_of, thread_of, threaded
from ops.sandbox.teams.refusals import (
    TeamsRefusal,
    activity_not_found,
    bad_argument,
    blocked_by_person,
    conversation_not_found,
    not_in_roster,
    not_installed_for_person,
    stream_not_allowed,
)
from ops.sandbox.teams.streams import CANCELLED, NOT_ALLOWED, Chunk, chunk_of
from ops.sandbox.teams.world import World

Json = Mapping[str, object]
Answer = tuple[int, object]


class Posting:
    """Everything raises TeamsRefusal; answers are status and body."""

    def __init__(self, world: World) -> None:
        self._world = world

    def create(self, tenant: str, body: Json) -> Answer:
        """A chat with one person, or a new post in a channel, whose activity is its first message."""
        data = body.get("channelData")
        channel = data.get("channel") if isinstance(data, dict) else None
        if isinstance(channel, dict):
            place = self._place(tenant, str(channel.get("id") or ""))
            activity = body.get("activity")
            if not isinstance(activity, dict):
                raise bad_argument("A new conversation in a channel needs an activity")
            made = self._posted(place, "", activity, None)
            return 201, {"id": threaded(place.id, made.id), "activityId": made.id}
        return 201, {"id": self._chat(tenant, body).id}

    def _chat(self, tenant: str, body: Json) -> Place:
        members = objects(body.get("members"))
        said = body.get("tenantId") or body.get("tenantID")  # the Python SDK writes it so; Teams reads either
        data = body.get("channelData")
        inner = data.get("tenant") if isinstance(data, dict) else None
        named = said or (inner.get("id") if isinstance(inner, dict) else None)
        if len(members) != 1 or body.get("isGroup"):
            raise bad_argument("Incorrect conversation creation parameters")
        if not isinstance(named, str) or named.lower() != tenant:
            raise bad_argument("A conversation with one person needs the tenantId")
        person = self._world.account(str(members[0].get("id") or ""))
        if person is None or person.tenant != tenant:
            raise TeamsRefusal(403, "Forbidden", "Failed to decrypt pairwise id")
        place = self._world.personal_chat(person.number)
        if not place.is_installed and not self._meets(person.number):
            raise not_installed_for_person()
        place.is_opened = True
        return place

    def post(self, tenant: str, conversation: str, activity: Json, raw: bytes, replied: str) -> Answer:
        place = self._place(tenant, conversation)
        root = self._root(place, conversation, replied)
        chunk = chunk_of(activity)
        if chunk is not None:
            return self._streamed(place, activity, raw, chunk)
        if activity.get("type") == "typing":
            return 202, {}
        made = self._posted(place, root, activity, raw)
        if self._world.splits_messages and made.text and made.attachments:
            self._split(made)
            return 201, {}
        return 201, {"id": made.id}

    def put(self, tenant: str, conversation: str, id_: str, activity: Json, raw: bytes) -> Answer:
        place = self._place(tenant, conversation)
        found = self._own(place, id_)
        if self._world.streams.is_stopped(place.id, id_):
            raise stream_not_allowed(CANCELLED)
        check_size(raw, activity)
        self._check_type(activity)
        check_message(activity, place.kind)
        self._world.messages.change(found, activity)
        return 200, {"id": id_}

    def delete(self, tenant: str, conversation: str, id_: str) -> Answer:
        found = self._own(self._place(tenant, conversation), id_)
        self._world.messages.put(replace(found, is_deleted=True))
        return 200, {}

    def _posted(self, place: Place, root: str, activity: Json, raw: bytes | None) -> Message:
        check_size(raw, activity)
        self._check_type(activity)
        check_message(activity, place.kind)
        return self._world.messages.post(place.id, self._world.bot, activity, thread=root)

    def _split(self, message: Message) -> None:
        """The text alone, and what was attached in a message below it."""
        messages, said = self._world.messages, message.activity
        messages.put(replace(message, activity={name: each for name, each in said.items() if name != "attachments"}))
        rest = {name: each for name, each in said.items() if name in ("type", "attachments")}
        messages.post(message.conversation, message.author, rest, thread=message.thread)

    def _streamed(self, place: Place, activity: Json, raw: bytes, chunk: Chunk) -> Answer:
        streams, messages = self._world.streams, self._world.messages
        try:
            check_size(raw, activity)
        except TeamsRefusal as exc:
            raise stream_not_allowed("Message size too large") from exc
        if not chunk.stream:
            id_ = messages.new_id()
            streams.begin(place.id, place.kind, chunk, id_)
            messages.post(place.id, self._world.bot, activity, id_=id_, is_streaming=True)
            return 201, {"id": id_}
        if chunk.is_final:
            check_message(activity, place.kind)
        if not streams.go_on(place.id, chunk):
            return 202, _out_of_order()
        found = messages.find(place.id, chunk.stream)
        if found is not None:
            messages.change(found, activity, is_streaming=not chunk.is_final)
        return 202, {}

    def _place(self, tenant: str, conversation: str) -> Place:
        """Where the bot may write."""
        place = self._world.places.get(base_of(conversation))
        if place is None or place.is_deleted or place.tenant != tenant:
            raise conversation_not_found()
        if place.is_blocked:
            raise blocked_by_person()
        if not place.is_installed and not place.is_opened:
            raise not_in_roster()
        return place

    def _root(self, place: Place, conversation: str, replied: str) -> str:
        """The thread that is written to; only channels have any."""
        if place.kind is not PlaceKind.CHANNEL:
            return ""
        named = thread_of(conversation)
        if named:
            if self._world.messages.find(place.id, named) is None:
                raise conversation_not_found()
            return named
        found = self._world.messages.find(place.id, replied) if replied else None
        if replied and found is None:
            raise activity_not_found()
        return found.root if found else ""

    def _own(self, place: Place, id_: str) -> Message:
        found = self._world.messages.find(place.id, id_)
        if found is None or found.is_deleted:
            raise activity_not_found()
        if not found.is_by_bot:
            raise TeamsRefusal(403, "Forbidden", "The bot did not write this message")
        if self._world.streams.is_unfinished(place.id, id_):
            raise stream_not_allowed(NOT_ALLOWED)
        return found

    def _check_type(self, activity: Json) -> None:
        if activity.get("type") != "message":
            raise bad_argument(f"Unknown activity type {activity.get('type')}")

    def _meets(self, number: int) -> bool:
        """Whether the app is where this person is."""
        return any(
            number in each.members and each.is_installed
            for each in self._world.places.values()
            if each.kind is not PlaceKind.PERSONAL
        )


def _out_of_order() -> dict[str, object]:
    message = "PreCondition failed exception when processing streaming activity."
    return {"error": {"code": "ContentStreamSequenceOrderPreConditionFailed", "message": message}}
