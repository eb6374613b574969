"""People, user groups and channels of each workspace, as Slack's Web API returns them; cached."""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.client import SlackClients
from bot.model.cache import Expiring
from bot.model.messages import Actor, Conversation
from rag_core.errors import Rejected, Unavailable

MOST_MEMBERS = 10_000
"""Of a channel or user group with more than these, nobody counts as a member: it would be read for minutes."""

LONGEST_PAUSE = 2.0
"""Seconds that Slack may ask to wait for; what takes longer has not answered."""

_PAGE = 200  # Slack recommends no more
_MOST_PAGES = 50
_AT_ONCE = 6
_ATTEMPTS = 2
_UNKNOWN = frozenset(
    {"channel_not_found", "user_not_found", "user_not_visible", "no_such_subteam", "subteam_not_found"}
)
"""Codes that say: there is no such thing, or none that this app may see."""
_NOT_IN = "not_in_channel"

_SHARED_FLAGS = ("is_shared", "is_ext_shared", "is_org_shared", "is_global_shared", "is_pending_ext_shared")
_OUTSIDE_FLAGS = ("is_ext_shared", "is_pending_ext_shared")
_SHARING_LISTS = ("pending_shared", "pending_connected_team_ids")
_TEAM_LISTS = ("shared_team_ids", "connected_team_ids", "internal_team_ids")


NOT_INSTALLED = "app_not_installed"
"""`error` of a refusal: there is no token for the workspace (any more)."""

ClientOf = Callable[[], Awaitable[AsyncWebClient]]
"""A client with the workspace's token of now: tokens are renewed. Raises as `adapters.slack.client.BotTokens`."""


@dataclass(frozen=True, slots=True)
class Person:
    """`is_full`: a member of this workspace, no guest, nobody of another company. `reads`: no bot, and not gone."""

    is_full: bool
    reads: bool


class SlackLookups:
    """Reads in one workspace with its bot token (scopes: usergroups:read, users:read, channels:read, groups:read,
    im:read, mpim:read). Uses the clients, does not close them. What was found is kept for `keep_seconds`, of each
    workspace by itself.

    Raises Unavailable: "directory_slow_down" (`retry_after`), "directory_refused" (`error`: Slack's own code, such as
    missing_scope), "directory_unreachable".
    """

    def __init__(
        self,
        client_of: ClientOf,
        workspace: str = "",
        *,
        keep_seconds: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client_of = client_of
        self._workspace = workspace
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._clock = clock
        self._not_before: dict[str, float] = {}
        self._team: Expiring[str, tuple[str, bool]] = Expiring(keep_seconds, clock=clock)
        self._outside: Expiring[str, bool | None] = Expiring(keep_seconds, clock=clock)
        self._people: Expiring[str, Person | None] = Expiring(keep_seconds, most=50_000, clock=clock)
        self._lists: Expiring[tuple[str, str], frozenset[str]] = Expiring(keep_seconds, most=1_000, clock=clock)

    async def team(self) -> str:
        """The workspace of the token; of an organisation's token ours, if it belongs to the organisation."""
        return (await self._team.get("", self._own_team))[0]

    async def read_from_outside(self, channel: str) -> bool | None:
        """Whether people of another company read the channel, or are invited to it. None: Slack does not show it to
        the bot."""
        return await self._outside.get(channel, lambda: self._is_outside(channel))

    async def person(self, user: str) -> Person | None:
        """None: Slack does not know him."""
        return await self._people.get(user, lambda: self._person(user))

    async def usergroup(self, usergroup: str) -> frozenset[str]:
        """The people of a user group; nobody where it does not exist or is disabled."""
        return await self._lists.get(("usergroup", usergroup), lambda: self._usergroup(usergroup))

    async def channel(self, channel: str) -> frozenset[str]:
        """The people of a channel; nobody where it does not exist, is closed to the bot or too large to read."""
        return await self._lists.get(("channel", channel), lambda: self._channel(channel))

    async def readers(self, channel: str, most: int) -> frozenset[str] | None:
        """Who reads a private channel or a direct message; None where everybody in the workspace can, where another
        company can or soon could, where the bot does not see it, and of more than `most`."""
        try:
            answer = await self._call("conversations.info", {"channel": channel}, missing=(_NOT_IN,))
            if answer is None or not _is_closed(answer.get("channel"), await self.team()):
                return None
            return await self._members(channel, most, missing=(_NOT_IN,))
        except _TooMany:
            return None

    async def aclose(self) -> None:
        """Gives up what is being asked for."""
        for each in (self._team, self._people, self._lists, self._outside):
            await each.aclose()

    async def _own_team(self) -> tuple[str, bool]:
        """And whether the token is an organisation's."""
        answer = await self._call("auth.test", {}) or {}
        team = answer.get("team_id")
        if not isinstance(team, str) or not team:
            raise _refused("no_team")
        if not answer.get("is_enterprise_install"):
            return team, False
        return (self._workspace if await self._covers(self._workspace) else team), True

    async def _covers(self, workspace: str) -> bool:
        """Whether the organisation's token is for this workspace, too."""
        cursor = ""
        for _ in range(_MOST_PAGES):
            answer = await self._call(
                "auth.teams.list", {"limit": str(_PAGE), **({"cursor": cursor} if cursor else {})}
            )
            teams = (answer or {}).get("teams")
            if not isinstance(teams, list):
                raise _refused("unreadable")
            if any(isinstance(each, dict) and each.get("id") == workspace for each in teams):
                return True
            cursor = _next_cursor(answer or {})
            if not cursor:
                return False
        return False

    async def _is_outside(self, channel: str) -> bool | None:
        answer = await self._call("conversations.info", {"channel": channel}, missing=(_NOT_IN,))
        return None if answer is None else is_shared_outside(answer.get("channel"))

    async def _person(self, user: str) -> Person | None:
        answer = await self._call("users.info", {"user": user})
        found = answer.get("user") if answer is not None else None
        return person_of(found, await self.team()) if isinstance(found, dict) else None

    async def _usergroup(self, usergroup: str) -> frozenset[str]:
        team, is_org = await self._team.get("", self._own_team)
        of_team = {"team_id": team} if is_org else {}
        answer = await self._call("usergroups.users.list", {"usergroup": usergroup, **of_team})
        people = frozenset[str]() if answer is None else _ids(answer.get("users"))
        return people if len(people) <= MOST_MEMBERS else frozenset()

    async def _channel(self, channel: str) -> frozenset[str]:
        try:
            return await self._members(channel, MOST_MEMBERS) or frozenset()
        except _TooMany:
            return frozenset()

    async def _members(self, channel: str, most: int, missing: tuple[str, ...] = ()) -> frozenset[str] | None:
        found: set[str] = set()
        cursor, seen = "", set[str]()
        while cursor not in seen:
            seen.add(cursor)
            asked = {"channel": channel, "limit": str(_PAGE), **({"cursor": cursor} if cursor else {})}
            answer = await self._call("conversations.members", asked, missing=missing)
            if answer is None:
                return None
            found |= _ids(answer.get("members"))
            if len(found) > most:
                raise _TooMany
            cursor = _next_cursor(answer)
            if not cursor:
                return frozenset(found)
        raise _refused("cursor_repeated")

    async def _call(
        self, method: str, arguments: Mapping[str, str], missing: tuple[str, ...] = ()
    ) -> Mapping[str, Any] | None:
        """The answer; None where there is no such thing, which `missing` codes say as well. Who is told to wait waits a
        little; whoever else asks meanwhile does not, since that would hold up other people's questions."""
        self._raise_while_asked_to_wait(method)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                client = await self._client_of()
                async with self._slots:
                    answer = await client.api_call(method, http_verb="GET", params=dict(arguments))
                if not isinstance(answer.data, dict):
                    raise _refused("unreadable")
                return answer.data
            except Rejected as exc:
                raise _refused(NOT_INSTALLED) from exc
            except SlackApiError as exc:
                error = _translate(exc)
                if isinstance(error, str):
                    if error in _UNKNOWN or error in missing:
                        return None
                    raise _refused(error) from exc
                self._note(method, error)
                if attempt == _ATTEMPTS or not await _paused(error):
                    raise error from exc
            # AttributeError: the SDK takes a text or a list, from a proxy say, for an answer of Slack's
            except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError, AttributeError) as exc:
                raise Unavailable("directory_unreachable", directory="slack") from exc
        raise Unavailable("directory_unreachable", directory="slack")

    def _note(self, method: str, error: Unavailable) -> None:
        asked = error.details.get("retry_after")
        if isinstance(asked, float):
            self._not_before[method] = self._clock() + asked

    def _raise_while_asked_to_wait(self, method: str) -> None:
        wait = self._not_before.get(method, 0.0) - self._clock()
        if wait > 0:
            raise Unavailable("directory_slow_down", directory="slack", retry_after=wait)


class _TooMany(Exception):
    """More members than are read."""


def _translate(exc: SlackApiError) -> str | Unavailable:
    """Slack's code; or that it did not answer now."""
    status = getattr(exc.response, "status_code", None) or getattr(exc.response, "status", None) or 0
    data = getattr(exc.response, "data", None)
    error = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == HTTPStatus.TOO_MANY_REQUESTS or error in ("ratelimited", "rate_limited"):
        return Unavailable("directory_slow_down", directory="slack", retry_after=_retry_after(exc.response.headers))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not error:
        return Unavailable("directory_unreachable", directory="slack", status=status)
    return error


def _retry_after(headers: Mapping[str, str]) -> float:
    asked = str(headers.get("Retry-After", ""))
    return float(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else LONGEST_PAUSE


async def _paused(error: Unavailable) -> bool:
    """Waits as long as was asked; False where that is too long, or nothing was."""
    seconds = error.details.get("retry_after")
    if not isinstance(seconds, float) or seconds > LONGEST_PAUSE:
        return False
    await asyncio.sleep(seconds)
    return True


def _refused(error: str) -> Unavailable:
    return Unavailable("directory_refused", directory="slack", error=error)


def _ids(value: object) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _refused("unreadable")
    return frozenset(value)


def _next_cursor(answer: Mapping[str, Any]) -> str:
    metadata = answer.get("response_metadata")
    return str(metadata.get("next_cursor") or "") if isinstance(metadata, dict) else ""


def person_of(user: Mapping[str, Any], team: str) -> Person:
    """On an Enterprise Grid a person belongs to several workspaces."""
    enterprise = user.get("enterprise_user")
    teams = enterprise.get("teams") if isinstance(enterprise, dict) else None
    is_ours = user.get("team_id") == team or (isinstance(teams, list) and team in teams)
    is_guest = any(user.get(each) for each in ("is_restricted", "is_ultra_restricted", "is_stranger"))
    is_bot = bool(user.get("is_bot")) or user.get("id") == "USLACKBOT"
    is_gone = bool(user.get("deleted"))
    return Person(is_full=is_ours and not is_guest and not is_bot and not is_gone, reads=not is_bot and not is_gone)


def _is_closed(channel: object, team: str) -> bool:
    """Whether only those who were invited read it, all of them of this workspace."""
    if not isinstance(channel, dict) or any(channel.get(each) for each in (*_SHARED_FLAGS, *_SHARING_LISTS)):
        return False
    teams = {each for name in _TEAM_LISTS for each in channel.get(name) or ()}
    is_invited = any(channel.get(each) is True for each in ("is_private", "is_im", "is_mpim"))
    return is_invited and teams <= {team}


def is_shared_outside(channel: object) -> bool:
    """Whether another company reads the channel, or is about to; sharing within one's own organisation is none."""
    if not isinstance(channel, dict) or any(channel.get(each) for each in (*_OUTSIDE_FLAGS, *_SHARING_LISTS)):
        return True
    return bool(channel.get("is_shared") or channel.get("is_global_shared")) and not channel.get("is_org_shared")


MOST_READERS = 200
"""Of a channel with more readers it is not known who they are: each would have to be looked at."""

MOST_BOTS = 20
"""Readers in none of the groups who may turn out to be bots; where there are more, one of them is a person."""

_MEMBER = re.compile(r"slack:([A-Z0-9]+)/(usergroup|channel|user)/([A-Z0-9]+)")


class SlackDirectory:
    """A `bot.ports.Directory` of the workspaces that there are tokens for; `lookups_of` each one by its own.

    Members are `slack:TEAM/usergroup/ID`, `slack:TEAM/channel/ID` and `slack:TEAM/user/ID`. Nobody outside a
    workspace and no guest belongs to any, whatever channel he is in. A public channel is read by all the workspace, so
    it is not known who; a private channel and a direct message (that the bot is in) by their members, of whom bots are
    left out; one that is shared with another company, or about to be, not at all.
    """

    def __init__(self, lookups_of: Callable[[str], SlackLookups]) -> None:
        self._lookups_of = lookups_of

    @property
    def kind(self) -> str:
        return "slack"

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        lookups = self._lookups_of(actor.workspace)
        mine = await _of_own_team(lookups, actor.workspace, members)
        people = await _people(lookups, mine)
        held = frozenset(each for each in mine if actor.person in people[each])
        person = await lookups.person(actor.person) if held else None
        return held if person is not None and person.is_full else frozenset()

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        lookups = self._lookups_of(conversation.workspace)
        mine = await _of_own_team(lookups, conversation.workspace, members)
        readers = await lookups.readers(conversation.channel, MOST_READERS) if mine else None
        if readers is None:
            return None
        people = await _people(lookups, mine)
        held = {reader: frozenset(each for each in mine if reader in people[each]) for reader in readers}
        strangers = [reader for reader, ids in held.items() if not ids]
        if len(strangers) > MOST_BOTS:
            return frozenset({frozenset()})
        return await _of_those_who_read(lookups, held)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        teams = sorted({_parts(each)[0] for each in members} - {""})
        found = await asyncio.gather(*(self._empty_in(team, members) for team in teams))
        return frozenset(each for each in members if not _parts(each)[0]).union(*found)

    async def _empty_in(self, team: str, members: frozenset[str]) -> frozenset[str]:
        """Those of one workspace; all of them where the app is not installed."""
        lookups, of_team = self._lookups_of(team), frozenset(each for each in members if _parts(each)[0] == team)
        try:
            mine = await _of_own_team(lookups, team, of_team)
        except Unavailable as exc:
            if exc.details.get("error") == NOT_INSTALLED:
                return of_team
            raise
        people = await _people(lookups, mine)
        persons = [each for each in mine if _parts(each)[1] == "user"]
        known = await asyncio.gather(*(lookups.person(_parts(each)[2]) for each in persons))
        gone = {each for each, person in zip(persons, known, strict=True) if person is None or not person.is_full}
        return (of_team - mine) | gone | {each for each in mine if not people[each]}


async def _of_own_team(lookups: SlackLookups, workspace: str, members: Iterable[str]) -> frozenset[str]:
    """The members that the workspace's own people can be; none where the token is another workspace's."""
    mine = frozenset(each for each in members if _parts(each)[0] == workspace)
    return mine if mine and workspace == await lookups.team() else frozenset()


async def _people(lookups: SlackLookups, members: frozenset[str]) -> dict[str, frozenset[str]]:
    """Who each of them is."""
    listed = sorted(members)
    found = await asyncio.gather(*(_listed(lookups, each) for each in listed))
    return dict(zip(listed, found, strict=True))


async def _listed(lookups: SlackLookups, member: str) -> frozenset[str]:
    _, what, id_ = _parts(member)
    match what:
        case "usergroup":
            return await lookups.usergroup(id_)
        case "channel":
            return await lookups.channel(id_)
        case _:
            return frozenset({id_})


async def _of_those_who_read(lookups: SlackLookups, held: dict[str, frozenset[str]]) -> frozenset[frozenset[str]]:
    """What each reader belongs to; a guest and somebody Slack does not know belong to nothing."""
    readers = sorted(held)
    found = await asyncio.gather(*(lookups.person(each) for each in readers))
    each_reader: set[frozenset[str]] = set()
    for reader, person in zip(readers, found, strict=True):
        if person is None or person.reads:
            each_reader.add(held[reader] if person is not None and person.is_full else frozenset())
    return frozenset(each_reader)


def _parts(member: str) -> tuple[str, str, str]:
    """Team, kind and id; nothing of any team for what is no member of Slack's."""
    match = _MEMBER.fullmatch(member)
    return (match[1], match[2], match[3]) if match else ("", "", "")


MOST_WORKSPACES = 1_000
"""At hand at once; of more, those that were quiet longest are looked up again."""


class SlackWorkspaces:
    """SlackLookups by workspace. Uses the clients, does not close them; `aclose` gives up what is being asked for."""

    def __init__(
        self, clients: SlackClients, *, keep_seconds: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clients = clients
        self._keep_seconds = keep_seconds
        self._clock = clock
        self._lookups: OrderedDict[str, SlackLookups] = OrderedDict()
        self._enterprises: dict[str, str] = {}

    def of(self, team: str, enterprise: str = "") -> SlackLookups:
        """`enterprise` finds an organisation's token, now and whenever `team` is asked for afterwards."""
        if enterprise:
            self._enterprises[team] = enterprise
        found = self._lookups.get(team)
        if found is None:
            found = self._lookups[team] = self._made(team)
        self._lookups.move_to_end(team)
        while len(self._lookups) > MOST_WORKSPACES:
            gone, _ = self._lookups.popitem(last=False)
            self._enterprises.pop(gone, None)
        return found

    async def aclose(self) -> None:
        for each in tuple(self._lookups.values()):
            await each.aclose()

    def _made(self, team: str) -> SlackLookups:
        async def client() -> AsyncWebClient:
            return await self._clients.of(team, self._enterprises.get(team, ""))

        return SlackLookups(client, team, keep_seconds=self._keep_seconds, clock=self._clock)
