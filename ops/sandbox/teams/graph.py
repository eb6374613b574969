"""Microsoft Graph as far as the bot asks it: people, groups, chats, channels, teams, messages; in pages, with its own
codes.

https://learn.microsoft.com/graph/api/resources/chatmessage, https://learn.microsoft.com/graph/api/chat-list-messages
"""

import html
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from aiohttp import web

from ops.sandbox.teams.activities import stamp
from ops.sandbox.teams.cards import ADAPTIVE_CARD
from ops.sandbox.teams.limits import TeamsRefusal
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.world import Account, PersonKind, Place, PlaceKind, World
from ops.sandbox.wording import OTHER_APP

Entries = list[dict[str, object]]
Known = TypeVar("Known")
MOST_GROUPS = 20
"""`checkMemberGroups` takes no more."""
USUAL, MOST = 20, 50
"""Messages in a page."""

CREATED, MODIFIED = "createdDateTime", "lastModifiedDateTime"
_FILTER = re.compile(rf"({CREATED}|{MODIFIED}) (gt|lt) (\S+)")
_CAN = {(MODIFIED, "gt"), (MODIFIED, "lt"), (CREATED, "lt")}
_ORDERS = {"": MODIFIED, f"{MODIFIED} desc": MODIFIED, f"{CREATED} desc": CREATED}
_OF_CHATS = frozenset({"$top", "$orderby", "$filter", "$skiptoken"})
_OF_CHANNELS = frozenset({"$top", "$skiptoken"})


class GraphFacts(Protocol):
    """What Graph knows; None, and nobody, for what it does not. Messages raise TeamsRefusal where the app may not read
    them."""

    def user(self, id_: str) -> dict[str, object] | None: ...

    def group(self, id_: str) -> set[str] | None:
        """Ids of direct members, people and groups."""
        ...

    def members(self, id_: str, team: str = "") -> Entries | None:
        """Of a channel of this team's; of a chat where it is ""."""
        ...

    def team(self, id_: str) -> tuple[str, list[str]] | None:
        """Visibility, and ids of owners."""
        ...

    def replies(self, team: str, channel: str, thread: str) -> Entries | None:
        """Messages below the one that a thread begins with."""
        ...

    def posts(self, team: str, channel: str) -> Entries | None:
        """Messages that threads begin with."""
        ...

    def chat_messages(self, chat: str) -> Entries | None: ...


class Missing(Exception):
    """Graph has nothing there."""


@dataclass
class GraphApi:
    """`page` entries come at once. `troubles` are answered first: (status, Retry-After or None). `calls`: method and
    path of each. `check`: whether an Authorization header is taken. `next_host`: where further pages are, "" for
    here."""

    facts: GraphFacts
    check: Callable[[str], bool]
    base_url: str = ""
    page: int = 100
    next_host: str = ""
    troubles: deque[tuple[int, int | None]] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)

    def routes(self) -> list[web.RouteDef]:
        channel = "/v1.0/teams/{team}/channels/{id}"
        return [
            web.get("/v1.0/users/{id}", self._answering(self._user, "Request_ResourceNotFound")),
            web.post("/v1.0/users/{id}/checkMemberGroups", self._answering(self._checked_groups)),
            web.get("/v1.0/groups/{id}/transitiveMembers", self._answering(self._inside, "Request_ResourceNotFound")),
            web.get("/v1.0/groups/{id}/owners", self._answering(self._owners, "Request_ResourceNotFound")),
            web.get("/v1.0/chats/{id}/members", self._answering(self._members)),
            web.get("/v1.0/teams/{id}", self._answering(self._team)),
            web.get(channel + "/allMembers", self._answering(self._members)),
            web.get("/v1.0/chats/{id}/messages", self._answering(self._chat_messages)),
            web.get(channel + "/messages", self._answering(self._posts)),
            web.get(channel + "/messages/{thread}/replies", self._answering(self._replies)),
        ]

    def inside(self, name: str) -> set[str]:
        """People and groups in a group, however deep."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for each in (self.facts.group(waiting.pop()) or set()) - found:
                found.add(each)
                waiting.append(each)
        return found

    def trouble(self, request: web.Request) -> web.Response | None:
        """Notes the call; what is answered in place of everything else."""
        self.calls.append(f"{request.method} {request.path}")
        if not self.troubles:
            return None
        status, retry_after = self.troubles.popleft()
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return web.json_response({"error": {"code": "trouble"}}, status=status, headers=headers)

    def _answering(
        self, act: Callable[[web.Request, object], object], missing: str = "NotFound"
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        """`act` gets the request and its body."""

        async def answered(request: web.Request) -> web.Response:
            trouble = self.trouble(request)
            if trouble is not None:
                return trouble
            if not self.check(request.headers.get("Authorization", "")):
                return _refused(401, "InvalidAuthenticationToken")
            try:
                return web.json_response(act(request, await request.json() if request.can_read_body else None))
            except Missing:
                return _refused(404, missing)
            except TeamsRefusal as refusal:
                return _refused(refusal.status, refusal.code)

        return answered

    def _user(self, request: web.Request, _: object) -> object:
        user = _known(self.facts.user(_id(request)))
        wanted = request.query.get("$select", ",".join(user)).split(",")
        return {name: user[name] for name in wanted}

    def _checked_groups(self, request: web.Request, body: object) -> object:
        ids = body["groupIds"] if isinstance(body, dict) else []
        if len(ids) > MOST_GROUPS:
            raise TeamsRefusal("Request_BadRequest")
        return {"value": [each for each in ids if _id(request) in self.inside(each)]}

    def _inside(self, request: web.Request, _: object) -> object:
        _known(self.facts.group(request.match_info["id"]))
        return self._paged(request, [{"id": each} for each in sorted(self.inside(request.match_info["id"]))])

    def _owners(self, request: web.Request, _: object) -> object:
        return self._paged(request, [{"id": each} for each in _known(self.facts.team(_id(request)))[1]])

    def _team(self, request: web.Request, _: object) -> object:
        return {"id": request.match_info["id"], "visibility": _known(self.facts.team(_id(request)))[0]}

    def _members(self, request: web.Request, _: object) -> object:
        """Of a chat or a channel."""
        found = self.facts.members(request.match_info["id"], _id(request, "team"))
        return self._paged(request, _known(found))

    def _replies(self, request: web.Request, _: object) -> object:
        where, thread = request.match_info["id"], request.match_info["thread"]
        return self._messages(request, self.facts.replies(_id(request, "team"), where, thread), _OF_CHANNELS)

    def _posts(self, request: web.Request, _: object) -> object:
        return self._messages(request, self.facts.posts(_id(request, "team"), request.match_info["id"]), _OF_CHANNELS)

    def _chat_messages(self, request: web.Request, _: object) -> object:
        return self._messages(request, self.facts.chat_messages(request.match_info["id"]), _OF_CHATS)

    def _messages(self, request: web.Request, found: Entries | None, takes: frozenset[str]) -> object:
        return self._paged(request, asked(_known(found), request.query, takes), USUAL)

    def _paged(self, request: web.Request, entries: Entries, usual: int = 100) -> object:
        start = int(request.query.get("$skiptoken", "0"))
        end = start + min(self.page, int(request.query.get("$top", usual)))
        answer: dict[str, object] = {"value": entries[start:end]}
        if end < len(entries):
            following = request.rel_url.update_query({"$skiptoken": str(end)})
            answer["@odata.nextLink"] = f"{self.next_host or self.base_url}{following}"
        return answer


def asked(entries: Entries, query: Mapping[str, str], takes: frozenset[str]) -> Entries:
    """The newest first; of a chat what was asked for. Raises TeamsRefusal for what Graph cannot be asked."""
    by = _ORDERS.get(query.get("$orderby", ""))
    found = _FILTER.fullmatch(query.get("$filter", f"{MODIFIED} lt 9999-01-01T00:00:00Z"))
    is_within = 0 < int(query.get("$top", USUAL)) <= MOST
    if not takes.issuperset(query) or by is None or not is_within or found is None or found.groups()[:2] not in _CAN:
        raise TeamsRefusal("BadRequest", "Not supported")
    kept = entries
    if found[1] == by and "$orderby" in query:  # a filter on something else, or without an order, is passed over
        bound, sign = datetime.fromisoformat(found[3]), 1 if found[2] == "gt" else -1
        ages = [(each, datetime.fromisoformat(str(each[by])) - bound) for each in entries]
        kept = [each for each, age in ages if sign * age.total_seconds() > 0]
    return sorted(kept, key=lambda each: (str(each.get(by)), str(each.get("id"))), reverse=True)


def _known(found: Known | None) -> Known:
    if found is None:
        raise Missing
    return found


def _id(request: web.Request, name: str = "id") -> str:
    return request.match_info.get(name, "").lower()


def _refused(status: int, code: str) -> web.Response:
    return web.json_response({"error": {"code": code, "message": "no"}}, status=status)


Json = dict[str, object]
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
            raise TeamsRefusal("Forbidden", "ChatMessage.Read.Chat is not consented to")
        return self._written(place)

    def _channel(self, team: str, channel: str) -> Place | None:
        """One whose messages may be read."""
        place = self.world.places.get(channel)
        if place is None or place.team is None or place.team.group != team:
            return None
        if not place.team.hears_all and not self.reads_channels:
            raise TeamsRefusal("Forbidden", "ChannelMessage.Read.Group is not consented to")
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


def entry(message: Message, place: Place, author: Account | None, app_id: str, name: str) -> Json:
    """`author`: None for an app, which has `app_id` where its id says no other. Of what was deleted nothing is left but
    that it was there. Entities and channel data of a bot's message are not among it."""
    shown = {} if message.is_deleted else message.activity
    attachments = [] if message.is_deleted else _attachments(message)
    return {
        "id": message.id,
        "replyToId": message.thread or None,
        "messageType": "message",
        CREATED: stamp(message.at),
        MODIFIED: stamp(message.changed_at or message.at),
        "lastEditedDateTime": stamp(message.changed_at) if message.changed_at else None,
        "deletedDateTime": stamp(message.changed_at or message.at) if message.is_deleted else None,
        "subject": None,
        "summary": shown.get("summary") or None,
        "chatId": None if place.team else place.id,
        "channelIdentity": {"teamId": place.team.group, "channelId": place.id} if place.team else None,
        "from": _sender(message, author, app_id, name),
        "body": {"contentType": "html", "content": _body(message, attachments)},
        "attachments": attachments,
        "mentions": [],
        "reactions": [],
    }


def _sender(message: Message, author: Account | None, app_id: str, name: str) -> Json:
    if author is not None:
        user = {"id": author.object_id, "displayName": author.name, "userIdentityType": "aadUser"}
        return {"application": None, "device": None, "user": user}
    other = message.author.removeprefix("28:")
    app = {"id": other, "displayName": name if other == app_id else OTHER_APP, "applicationIdentityType": "bot"}
    return {"application": app, "device": None, "user": None}


def _attachments(message: Message) -> list[Json]:
    """A card as JSON in a string, laid out anew."""
    empty: Json = dict.fromkeys(("contentUrl", "name", "thumbnailUrl"))
    laid_out = [json.dumps(card, indent=2).replace("\n", "\r\n") for card in message.cards]
    return [
        {"id": f"{message.id}-{number}", "contentType": ADAPTIVE_CARD, "content": card, **empty}
        for number, card in enumerate(laid_out)
    ]


def _body(message: Message, attachments: list[Json]) -> str:
    if message.is_deleted:
        return ""
    said = [f"<p>{html.escape(each)}</p>" for each in message.text.splitlines()]
    return "\n".join([*said, *(f'<attachment id="{each["id"]}"></attachment>' for each in attachments)])
