"""Microsoft Graph with the app's own permissions: token, pages, waiting, messages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus

import aiohttp
from yarl import URL

from adapters.teams.addresses import PLATFORM, TeamsAddress, channel_of
from adapters.teams.client import FAILED, Answer, Json, call
from adapters.teams.settings import GraphSettings
from adapters.teams.tokens import AppTokens
from bot.model.messages import Actor
from bot.model.posted import Posted
from rag_core.errors import Unavailable

LONGEST_PAUSE = 2.0
"""Seconds that Graph may ask to wait for; what takes longer has not answered."""

_MOST_PAGES = 200
"""The longest lists that are read come in half as many, where Graph makes pages of a hundred. Empty pages are allowed,
so that what is in them ends no list."""

_ATTEMPTS = 3
_AT_ONCE = 6
_WAIT = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})


class Graph:
    """Calls to Graph for one tenant at a time. Uses the session, does not close it.

    Raises Unavailable: "directory_slow_down" (`retry_after`), "directory_refused" (`error`: Graph's own code),
    "directory_unreachable". Secret and token are in none of them.
    """

    def __init__(self, session: aiohttp.ClientSession, settings: GraphSettings, tokens: AppTokens) -> None:
        self._session = session
        self._settings = settings
        self._tokens = tokens
        self._graph = URL(settings.graph_url)
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def get(self, tenant: str, path: str, **query: str) -> Json | None:
        """One object; None where Graph knows of none."""
        return await self._call(tenant, "GET", self._address(path).with_query(query))

    async def post(self, tenant: str, path: str, body: Json) -> Json | None:
        """What Graph answers to `body`; None where it knows of no such object."""
        return await self._call(tenant, "POST", self._address(path), body)

    async def listed(self, tenant: str, path: str, most: int, **query: str) -> tuple[Json, ...] | None:
        """All entries of a list, page by page; None where there is no such list, or it has more than `most`."""
        found: list[Json] = []
        async for page in self._pages(tenant, self._address(path).with_query(query)):
            if page is None:
                return None
            found += page
            if len(found) > most:
                return None
        return tuple(found)

    async def first(
        self, tenant: str, path: str, most: int, wanted: Callable[[Json], bool], **query: str
    ) -> Json | None:
        """The first entry of a list that is wanted, of as many pages as hold `most`; None where there is none among
        them, or no such list."""
        read = 0
        async for page in self._pages(tenant, self._address(path).with_query(query)):
            found = next((each for each in page or () if wanted(each)), None)
            read += len(page or ())
            if found is not None or read >= most:
                return found
        return None

    async def _pages(self, tenant: str, address: URL) -> AsyncIterator[list[Json] | None]:
        following: URL | None = address
        seen: set[URL] = set()
        while following is not None:
            if following in seen:
                raise _refused("page_repeated")
            if len(seen) == _MOST_PAGES:
                raise _refused("pages_without_end")
            seen.add(following)
            answer = await self._call(tenant, "GET", following)
            if answer is None:
                yield None
                return
            entries = answer.get("value")
            if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
                raise _refused("unreadable")
            yield entries
            following = self._next(answer.get("@odata.nextLink"))

    def _address(self, path: str) -> URL:
        """`path` begins below the version; its ids are escaped by `segment`."""
        return URL(f"{self._settings.graph_url.rstrip('/')}/{path}", encoded=True)

    def _next(self, link: object) -> URL | None:
        """The next page, which must be Graph's: the token goes there."""
        if link is None:
            return None
        try:
            url = URL(str(link), encoded=True)
            is_ours = url.absolute and url.origin() == self._graph.origin() and url.user is None
        except ValueError as exc:  # also of an address that begins with "//"
            raise _refused("next_link") from exc
        if not is_ours:
            raise _refused("next_link")
        return url

    async def _call(self, tenant: str, method: str, address: URL, body: Json | None = None) -> Json | None:
        for attempt in range(1, _ATTEMPTS + 1):
            token = await self._token(tenant)
            answer = await self._send(method, address, body, token)
            is_last = attempt == _ATTEMPTS
            if answer.status == HTTPStatus.NOT_FOUND:
                return None
            if answer.status == HTTPStatus.OK:
                return _object_in(answer)
            if answer.status == HTTPStatus.UNAUTHORIZED and not is_last:
                self._tokens.forget(token)
                continue
            if answer.status in _WAIT:
                await _pause(answer, is_last=is_last)
                continue
            if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise Unavailable("directory_unreachable", directory="entra", status=answer.status)
            raise _refused(answer.error)
        raise Unavailable("directory_unreachable", directory="entra")

    async def _token(self, tenant: str) -> str:
        try:
            async with self._slots:
                return await self._tokens.token(tenant, f"{self._graph.origin()}/.default")
        except Unavailable as exc:
            if exc.code == "teams_token_refused":
                raise _refused(str(exc.details.get("error"))) from exc
            raise Unavailable("directory_unreachable", directory="entra", **exc.details) from exc

    async def _send(self, method: str, address: URL, body: Json | None, token: str) -> Answer:
        headers = {"Authorization": f"Bearer {token}"}
        try:
            async with self._slots:
                return await call(self._session, method, address, headers=headers, json_body=body)
        except FAILED as exc:
            raise Unavailable("directory_unreachable", directory="entra") from exc


def segment(id_: str) -> str:
    """An id as a part of a path."""
    return URL.build(path=f"/{id_.replace('/', '')}").raw_path.removeprefix("/").replace(":", "%3A").replace(";", "%3B")


def _object_in(answer: Answer) -> Json:
    """Raises Unavailable for what is none, or empty: the 200 of somebody on the way, or an answer that was cut."""
    if not answer.json:
        raise _refused("unreadable")
    return answer.json


async def _pause(answer: Answer, *, is_last: bool) -> None:
    """Waits as long as was asked. Raises Unavailable where that is too long."""
    seconds = answer.retry_after
    if is_last or (seconds is not None and seconds > LONGEST_PAUSE):
        raise Unavailable("directory_slow_down", directory="entra", retry_after=seconds)
    await asyncio.sleep(LONGEST_PAUSE / 4 if seconds is None else seconds)


def _refused(error: str) -> Unavailable:
    return Unavailable("directory_refused", directory="entra", error=error)


PAGE = 20
"""Messages in a page, of the 50 that Graph gives: with a card of ours in each of them they are still below what is read
of one answer."""


def replies_path(address: TeamsAddress, thread: str) -> str:
    """What is below the message that a channel's thread begins with. Permission: ChannelMessage.Read.Group, which a
    team consents to, or ChannelMessage.Read.All."""
    return f"{posts_path(address)}/{segment(thread)}/replies"


def posts_path(address: TeamsAddress) -> str:
    """What threads of a channel begin with. Permissions as above."""
    channel = channel_of(address.conversation_id)
    return f"teams/{segment(address.team)}/channels/{segment(channel)}/messages"


def chat_path(address: TeamsAddress) -> str:
    """Permission: ChatMessage.Read.Chat, which a chat consents to, or Chat.Read.All. A personal chat with the bot has
    another id in Graph, which bots are not told."""
    return f"chats/{segment(channel_of(address.conversation_id))}/messages"


def changed_since(moment: datetime) -> dict[str, str]:
    """Of a chat's messages those that were written or changed after `moment`, the last one first. Graph filters by what
    it orders by, and by nothing else."""
    what = "lastModifiedDateTime"
    at = moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"$orderby": f"{what} desc", "$filter": f"{what} gt {at}"}


def sender_of(message: Json, kind: str) -> Json | None:
    """`kind`: "user" or "application"; None where it is by no such."""
    sender = message.get("from")
    found = sender.get(kind) if isinstance(sender, Mapping) else None
    return found if isinstance(found, Mapping) else None


_MOST_REPLIES = 200


class GraphReplies:
    """`adapters.teams.delivery.replies.OthersReplied`. `known_as` makes pseudonyms."""

    def __init__(self, graph: Graph, known_as: Callable[[Actor], str]) -> None:
        self._graph = graph
        self._known_as = known_as

    async def __call__(self, address: TeamsAddress, answer: Posted) -> bool:
        """Also where there are too many to be read, and where Graph does not know the thread."""
        if not address.team or not answer.place.thread:
            return True
        path = replies_path(address, answer.place.thread)
        found = await self._graph.listed(address.tenant, path, _MOST_REPLIES)
        return found is None or any(self._is_others(each, address.tenant, answer) for each in found)

    def _is_others(self, message: Json, tenant: str, answer: Posted) -> bool:
        """Neither an app's nor the asker's, and after the answer."""
        user = sender_of(message, "user")
        if message.get("deletedDateTime") or user is None or not _after(message, answer.posted_at):
            return False
        return self._known_as(Actor(PLATFORM, tenant, str(user.get("id", "")).lower())) != answer.person


def _after(message: Json, moment: datetime) -> bool:
    """Also where it does not say when."""
    try:
        return datetime.fromisoformat(str(message.get("createdDateTime"))) > moment
    except (ValueError, TypeError):
        return True
