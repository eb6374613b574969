"""The connector's REST API, at `/{region}/{tenant}/v3/...`: what a bot writes and asks."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from aiohttp import web

from ops.sandbox.teams.checks import bad_argument, check_message, check_size
from ops.sandbox.teams.limits import Operation, TeamsRefusal
from ops.sandbox.teams.messages import CANCELLED, NOT_ALLOWED, Chunk, Message, chunk_of, objects
from ops.sandbox.teams.tokens import CONNECTOR, Tokens
from ops.sandbox.teams.world import Place, PlaceKind, World, base_of, thread_of, threaded
from ops.sandbox.troubles import Trouble, Troubles

Json = dict[str, Any]
Answer = tuple[int, object]
_PREFIX = "/{region}/{tenant}/v3/conversations"
_WHERE = _PREFIX + "/{conversation}"
_ONE = _WHERE + "/activities/{activity}"
_COUNTED = {"create": Operation.CREATE, "members": Operation.MEMBERS}
MOST_IN_PAGE = 500


@dataclass(frozen=True, slots=True)
class Called:
    """One call as it was answered. `operation` as `Troubles` names it; `conversation` as it was written, with its
    thread; `error`: Teams' code, "" for none. `at` by the stand-in's clock."""

    operation: str
    conversation: str
    body: Mapping[str, object]
    status: int
    error: str
    at: datetime
    seconds: float
    activity_id: str = ""
    answer: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """One call as it came. `body`: {} for what is no JSON object, which is refused where it is looked at."""

    region: str
    tenant: str
    conversation: str
    activity: str
    member: str
    body: Json
    raw: bytes

    @property
    def operation(self) -> str:
        """Of what is posted: "stream", "typing" or "POST"."""
        try:
            is_stream = chunk_of(self.body) is not None
        except TeamsRefusal:
            is_stream = True
        return "stream" if is_stream else "typing" if self.body.get("type") == "typing" else "POST"


class Connector:
    """`calls`: every call in order, whatever came of it. What is asked is answered with status and body, or refused
    with a TeamsRefusal."""

    def __init__(self, world: World, tokens: Tokens, troubles: Troubles) -> None:
        self._world = world
        self._tokens = tokens
        self._troubles = troubles
        self.calls: list[Called] = []

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post(_PREFIX, self._taking("create", self._create)),
            web.post(_WHERE + "/activities", self._taking("", self._post)),
            web.post(_ONE, self._taking("", self._post)),
            web.put(_ONE, self._taking("PUT", self._put)),
            web.delete(_ONE, self._taking("DELETE", self._delete)),
            web.get(_WHERE + "/members", self._taking("members", self._everybody)),
            web.get(_WHERE + "/pagedmembers", self._taking("members", self._page)),
            web.get(_WHERE + "/members/{member}", self._taking("members", self._member)),
        ]

    def _taking(self, named: str, act: Callable[[Asked], Answer]) -> Callable[[web.Request], Any]:
        async def take(request: web.Request) -> web.Response:
            started, asked = time.perf_counter(), await _asked(request)
            operation = named or asked.operation

            def answered() -> web.Response:
                headers: Mapping[str, str] = {}
                error = ""
                try:
                    self._check_allowed(operation, asked, request)
                    status, answer = act(asked)
                except TeamsRefusal as refusal:
                    status, answer, error, headers = refusal.status, refusal.answer, refusal.code, refusal.headers
                self._note(operation, asked, status, error, started, answer)
                return web.json_response(answer, status=status, headers=headers)

            def passed_over(trouble: Trouble) -> None:
                self._note(operation, asked, trouble.status, trouble.error or "trouble", started, {})

            return await self._troubles.answer(operation, request, answered, passed_over)

        return take

    def _check_allowed(self, operation: str, asked: Asked, request: web.Request) -> None:
        """Raises TeamsRefusal for a token that is none, too many calls, and another tenant's address."""
        self._tokens.check(request.headers.get("Authorization", ""), CONNECTOR)
        counted = _COUNTED.get(operation, Operation.SEND)
        self._world.meter.call(counted, base_of(asked.conversation) or "new", asked.tenant)
        if self._world.tenants.get(asked.tenant) != asked.region:
            raise TeamsRefusal("ConversationNotFound")

    def _note(self, operation: str, asked: Asked, status: int, error: str, started: float, answer: object) -> None:
        said, seconds = answer if isinstance(answer, dict) else {}, time.perf_counter() - started
        where, now = asked.conversation, self._world.clock()
        self.calls.append(Called(operation, where, asked.body, status, error, now, seconds, asked.activity, said))
        self._world.messages.nudge()

    def _create(self, asked: Asked) -> Answer:
        """A chat with one person, or a new post in a channel, whose activity is its first message."""
        data = asked.body.get("channelData")
        channel = data.get("channel") if isinstance(data, dict) else None
        if not isinstance(channel, dict):
            return 201, {"id": self._chat(asked).id}
        place, activity = self._place(asked, str(channel.get("id") or "")), asked.body.get("activity")
        if not isinstance(activity, dict):
            raise bad_argument("A new conversation in a channel needs an activity")
        made = self._posted(place, "", activity, None)
        return 201, {"id": threaded(place.id, made.id), "activityId": made.id}

    def _chat(self, asked: Asked) -> Place:
        body, members = asked.body, objects(asked.body.get("members"))
        data = body.get("channelData")
        inner = data.get("tenant") if isinstance(data, dict) else None
        named = body.get("tenantId") or body.get("tenantID")  # the Python SDK writes it so; Teams reads either
        named = named or (inner.get("id") if isinstance(inner, dict) else None)
        if len(members) != 1 or body.get("isGroup"):
            raise bad_argument("Incorrect conversation creation parameters")
        if not isinstance(named, str) or named.lower() != asked.tenant:
            raise bad_argument("A conversation with one person needs the tenantId")
        person = self._world.account(str(members[0].get("id") or ""))
        if person is None or person.tenant != asked.tenant:
            raise TeamsRefusal("Forbidden", "Failed to decrypt pairwise id")
        place = self._world.personal_chat(person.number)
        others = [each for each in self._world.places.values() if each.kind is not PlaceKind.PERSONAL]
        if not place.is_installed and not any(person.number in each.members and each.is_installed for each in others):
            raise TeamsRefusal("ForbiddenOperationException")
        place.is_opened = True
        return place

    def _post(self, asked: Asked) -> Answer:
        place = self._place(asked, asked.conversation)
        root = self._root(place, asked)
        chunk = chunk_of(asked.body)
        if chunk is not None:
            return self._streamed(place, asked, chunk)
        if asked.body.get("type") == "typing":
            return 202, {}
        made = self._posted(place, root, asked.body, asked.raw)
        if self._world.splits_messages and made.text and made.attachments:
            self._split(made)
            return 201, {}
        return 201, {"id": made.id}

    def _put(self, asked: Asked) -> Answer:
        place, found = self._own(asked)
        if self._world.streams.is_stopped(place.id, found.id):
            raise TeamsRefusal("ContentStreamNotAllowed", CANCELLED)
        self._check(place, asked.body, asked.raw)
        self._world.messages.change(found, asked.body)
        return 200, {"id": found.id}

    def _delete(self, asked: Asked) -> Answer:
        _, found = self._own(asked)
        self._world.messages.put(replace(found, is_deleted=True))
        return 200, {}

    def _everybody(self, asked: Asked) -> Answer:
        """The old way: all at once."""
        return 200, self._people(asked)

    def _page(self, asked: Asked) -> Answer:
        people = self._people(asked)
        start, size = asked.body.get("continuationToken") or "0", asked.body.get("pageSize") or "200"
        if not start.isdigit() or not size.isdigit() or not 1 <= int(size) <= MOST_IN_PAGE:
            raise bad_argument("Unknown page")
        end = int(start) + min(int(size), self._world.page_size)
        rest = {"continuationToken": str(end)} if end < len(people) else {}
        return 200, {"members": people[int(start) : end], **rest}

    def _member(self, asked: Asked) -> Answer:
        place, found = self._place(asked, asked.conversation), self._world.account(asked.member)
        if found is None or found.number not in place.members:
            raise TeamsRefusal("MemberNotFoundInConversation")
        return 200, found.member()

    def _people(self, asked: Asked) -> list[Mapping[str, object]]:
        members = self._place(asked, asked.conversation).members
        return [self._world.accounts[each].member() for each in sorted(members)]

    def _check(self, place: Place, activity: Json, raw: bytes | None) -> None:
        check_size(raw, activity)
        if activity.get("type") != "message":
            raise bad_argument(f"Unknown activity type {activity.get('type')}")
        check_message(activity, place.kind)

    def _posted(self, place: Place, root: str, activity: Json, raw: bytes | None) -> Message:
        self._check(place, activity, raw)
        return self._world.messages.post(place.id, self._world.bot, activity, thread=root)

    def _split(self, message: Message) -> None:
        """The text alone, and what was attached in a message below it."""
        messages, said = self._world.messages, message.activity
        messages.put(replace(message, activity={name: each for name, each in said.items() if name != "attachments"}))
        rest = {name: each for name, each in said.items() if name in ("type", "attachments")}
        messages.post(message.conversation, message.author, rest, thread=message.thread)

    def _streamed(self, place: Place, asked: Asked, chunk: Chunk) -> Answer:
        streams, messages, activity = self._world.streams, self._world.messages, asked.body
        try:
            check_size(asked.raw, activity)
        except TeamsRefusal as exc:
            raise TeamsRefusal("ContentStreamNotAllowed", "Message size too large") from exc
        if not chunk.stream:
            if place.kind is not PlaceKind.PERSONAL:
                raise TeamsRefusal("ContentStreamNotAllowed", NOT_ALLOWED)
            id_ = messages.new_id()
            streams.begin(place.id, chunk, id_)
            messages.post(place.id, self._world.bot, activity, id_=id_, is_streaming=True)
            return 201, {"id": id_}
        if chunk.is_final:
            check_message(activity, place.kind)
        if not streams.go_on(place.id, chunk):
            said = "PreCondition failed exception when processing streaming activity."
            return 202, {"error": {"code": "ContentStreamSequenceOrderPreConditionFailed", "message": said}}
        found = messages.find(place.id, chunk.stream)
        if found is not None:
            messages.change(found, activity, is_streaming=not chunk.is_final)
        return 202, {}

    def _place(self, asked: Asked, conversation: str) -> Place:
        """Where the app is."""
        place = self._world.places.get(base_of(conversation))
        if place is None or place.is_deleted or place.tenant != asked.tenant:
            raise TeamsRefusal("ConversationNotFound")
        if place.is_blocked:
            raise TeamsRefusal("ConversationBlockedByUser")
        if not place.is_installed and not place.is_opened:
            raise TeamsRefusal("BotNotInConversationRoster")
        return place

    def _root(self, place: Place, asked: Asked) -> str:
        """The thread that is written to; only channels have any."""
        if place.kind is not PlaceKind.CHANNEL:
            return ""
        named = thread_of(asked.conversation)
        found = self._world.messages.find(place.id, named or asked.activity)
        if found is None and (named or asked.activity):
            raise TeamsRefusal("ConversationNotFound" if named else "ActivityNotFoundInConversation")
        return named or (found.root if found else "")

    def _own(self, asked: Asked) -> tuple[Place, Message]:
        place = self._place(asked, asked.conversation)
        found = self._world.messages.find(place.id, asked.activity)
        if found is None or found.is_deleted:
            raise TeamsRefusal("ActivityNotFoundInConversation")
        if not found.is_by_bot:
            raise TeamsRefusal("Forbidden", "The bot did not write this message")
        if self._world.streams.is_unfinished(place.id, found.id):
            raise TeamsRefusal("ContentStreamNotAllowed", NOT_ALLOWED)
        return place, found


async def _asked(request: web.Request) -> Asked:
    raw, found = await request.read(), dict[str, str](request.match_info)
    try:
        body = json.loads(raw) if raw else dict(request.query)
    except ValueError:
        body = {}
    region, tenant, where, activity, member = (
        found.get(each, "") for each in ("region", "tenant", "conversation", "activity", "member")
    )
    return Asked(region, tenant, where, activity, member, body if isinstance(body, dict) else {}, raw)
