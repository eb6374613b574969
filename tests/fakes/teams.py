"""Teams without Teams: activities as it sends them, and ports that remember what was written."""

import asyncio
import itertools
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adapters.teams.addresses import TeamsReference
from adapters.teams.messages import TeamsActivity, activity_of, read_activity
from adapters.teams.ports import Activity, TeamsMember
from adapters.teams.settings import TeamsSettings
from ops.sandbox.teams import stand_in, world
from rag_core.errors import PolicyBotError, Rejected

TENANT, OTHER_TENANT, TEAM = world.TENANT, world.OTHER_TENANT, world.TEAM
APP_ID, APP_SECRET = stand_in.APP_ID, stand_in.APP_SECRET
BOT = f"28:{APP_ID}"
TEAM_THREAD, CHANNEL, GROUP_CHAT = world.TEAM_THREAD, world.CHANNEL, world.GROUP_CHAT
SERVICE_URL = "https://smba.trafficmanager.net/emea/"
TOKEN = "Bearer a-token"  # pragma: allowlist secret


def settings(**changes: object) -> TeamsSettings:
    known: dict[str, object] = {"app_id": APP_ID, "tenants": frozenset({TENANT}), "app_secret": APP_SECRET}
    return TeamsSettings(**{**known, **changes})  # type: ignore[arg-type]


def person_id(number: int) -> str:
    """An object id in Entra."""
    return world.object_id(number)


def user_id(number: int) -> str:
    return f"29:user-{number}"


def personal_chat(number: int) -> str:
    return f"a:chat-{number}"


_IDS = itertools.count(1_700_000_000_000)


def raw_activity(
    text: str = "",
    *,
    by: int = 1,
    where: str = "",
    thread: str = "",
    kind: str = "message",
    mentions_bot: bool = False,
    id_: str = "",
    **more: object,
) -> dict[str, object]:
    """As Teams posts it. `where`: CHANNEL, GROUP_CHAT, or "" for the person's own chat with the bot. `thread` "" in a
    channel: a new post, which begins one."""
    id_ = id_ or str(next(_IDS))
    in_channel = "@thread.tacv2" in where
    conversation = f"{where};messageid={thread or id_}" if in_channel else where or personal_chat(by)
    place = "channel" if in_channel else "groupChat" if where else "personal"
    data: dict[str, object] = {"tenant": {"id": TENANT}}
    if in_channel:
        data |= {"team": {"id": TEAM_THREAD, "aadGroupId": TEAM}, "channel": {"id": where}}
    named = "<at>AdPolicy</at>"
    entities = [{"type": "mention", "mentioned": {"id": BOT, "name": "AdPolicy"}, "text": named}]
    return {
        "type": kind,
        "id": id_,
        "channelId": "msteams",
        "serviceUrl": SERVICE_URL,
        "timestamp": "2026-01-05T10:00:00.000Z",
        "from": {"id": user_id(by), "name": f"Person {by}", "aadObjectId": person_id(by)},
        "recipient": {"id": BOT, "name": "AdPolicy"},
        "conversation": {"id": conversation, "conversationType": place, "tenantId": TENANT, "isGroup": bool(where)},
        "channelData": data,
        "text": f"{named} {text}" if mentions_bot else text,
        "textFormat": "plain",
        "entities": entities if mentions_bot else [],
        **more,
    }


def activity(text: str = "", **more: object) -> TeamsActivity:
    return activity_of(raw_activity(text, **more))  # type: ignore[arg-type]


def invoke(name: str, value: Mapping[str, object], **more: object) -> TeamsActivity:
    return activity_of(raw_activity("", kind="invoke", name=name, value=dict(value), **more))  # type: ignore[arg-type]


class FakeInbound:
    """A `TeamsInbound` that believes TOKEN."""

    async def receive(self, authorization: str, body: bytes) -> TeamsActivity:
        if authorization != TOKEN:
            raise Rejected("teams_unauthenticated")
        return activity_of(read_activity(body))


@dataclass(frozen=True, slots=True)
class Written:
    """What was sent; `id` of the activity; `is_update`: it replaced what had that id."""

    id: str
    to: TeamsReference
    activity: Activity
    is_update: bool = False


@dataclass
class FakeOutbound:
    """A `TeamsOutbound` that takes everything. `troubles` are raised first, one a call; `shown`: what stands there."""

    written: list[Written] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    typed: list[TeamsReference] = field(default_factory=list)
    troubles: deque[PolicyBotError] = field(default_factory=deque)
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def shown(self) -> dict[str, Activity]:
        found = {each.id: each.activity for each in self.written}
        return {id_: each for id_, each in found.items() if id_ not in self.deleted}

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        await self._trouble()
        id_ = f"sent-{next(self._ids)}"
        self.written.append(Written(id_, to, _as_json(activity)))
        return id_

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity) -> None:
        await self._trouble()
        self.written.append(Written(activity_id, to, _as_json(activity), is_update=True))

    async def delete(self, to: TeamsReference, activity_id: str) -> None:
        await self._trouble()
        self.deleted.append(activity_id)

    async def typing(self, to: TeamsReference) -> None:
        await self._trouble()
        self.typed.append(to)

    async def resume(self, to: TeamsReference, person: str) -> TeamsReference:
        await self._trouble()
        return TeamsReference(to.service_url, to.tenant, f"a:chat-of-{person}", to.bot)

    async def _trouble(self) -> None:
        await asyncio.sleep(0)
        if self.troubles:
            raise self.troubles.popleft()


def _as_json(activity: Activity) -> Activity:
    """What is no plain JSON fails here."""
    found: Activity = json.loads(json.dumps(activity))
    return found


@dataclass
class FakeDirectory:
    """A `TeamsDirectory`: `people` by conversation id without thread; where none are given, full members."""

    people: dict[str, list[TeamsMember]] = field(default_factory=dict)

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        where = to.conversation.partition(";")[0]
        if where not in self.people:
            number = user.rpartition("-")[2]
            person = person_id(int(number)) if user.startswith("29:user-") else user
            return TeamsMember(user, person, f"Person {number}", to.tenant, "user")
        return next((each for each in self.people[where] if user in (each.user, each.person)), None)

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        found = self.people.get(to.conversation.partition(";")[0], [])
        return found if len(found) <= most else None
