"""Which answers stand in Teams already: marked in the message, found with Microsoft Graph."""

import asyncio
import html
import json
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from adapters.teams.addresses import TeamsAddress, TeamsPlace, thread_of
from adapters.teams.client import Json
from adapters.teams.graph import PAGE, Graph, changed_since, chat_path, posts_path, replies_path, sender_of
from adapters.teams.ports import Activity
from bot.render.teams.elements import CARD_TYPE
from bot.wording.teams import answer_reference
from rag_core.errors import PolicyBotError

_TAG = re.compile(r"<[^<>]*>")


def marked(activity: Activity, answer_id: str) -> Activity:
    """With the mark in its card; what has no card is left as it is."""
    attachments = activity.get("attachments")
    if not isinstance(attachments, list | tuple):
        return activity
    return {**activity, "attachments": [_with_mark(each, answer_id) for each in attachments]}


def is_marked(message: Json, answer_id: str) -> bool:
    """`message`: as Graph has it. False for everything that cannot be read: another answer is never taken for it."""
    return _in_card(message, answer_id) or _in_words(message, answer_id)


def _mark(answer_id: str) -> str:
    return f"answer-{answer_id}"


def _with_mark(attachment: object, answer_id: str) -> object:
    if not isinstance(attachment, Mapping) or attachment.get("contentType") != CARD_TYPE:
        return attachment
    card = attachment.get("content")
    if not isinstance(card, Mapping) or not isinstance(body := card.get("body"), list | tuple):
        return attachment
    return {**attachment, "content": {**card, "body": _named(body, _mark(answer_id))}}


def _named(body: Sequence[object], name: str) -> list[object]:
    """The first element that has no id yet has this one."""
    for at, each in enumerate(body):
        if isinstance(each, Mapping) and "id" not in each:
            return [*body[:at], {**each, "id": name}, *body[at + 1 :]]
    return list(body)


def _in_card(message: Json, answer_id: str) -> bool:
    attachments = message.get("attachments")
    found = attachments if isinstance(attachments, list) else []
    cards = [each for each in found if isinstance(each, Mapping) and each.get("contentType") == CARD_TYPE]
    return any(_mark(answer_id) in _ids(each.get("content")) for each in cards)


def _ids(content: object) -> set[object]:
    """Of the elements of a card's body."""
    try:
        card = json.loads(content) if isinstance(content, str) else content
    except (ValueError, RecursionError):
        return set()
    body = card.get("body") if isinstance(card, Mapping) else None
    elements = body if isinstance(body, list) else []
    return {each["id"] for each in elements if isinstance(each, Mapping) and isinstance(each.get("id"), str)}


def _in_words(message: Json, answer_id: str) -> bool:
    """As its last words, whatever mark-up Teams made of them."""
    body = message.get("body")
    content = body.get("content") if isinstance(body, Mapping) else None
    if not isinstance(content, str):
        return False
    words = " ".join(html.unescape(_TAG.sub(" ", content)).split())
    return words.endswith(answer_reference(answer_id))


_log = logging.getLogger(__name__)

MOST_READ = 200
"""Messages, the newest first; what is further back is not looked for."""

_SECONDS = 5.0
_CLOCKS = timedelta(minutes=5)
"""By which Teams' clock may be behind ours."""


class SentBefore:
    """Looks for what may have been sent by somebody who was not told of it, in group chats and channels that let the
    app read their messages (`graph_messages`). When in doubt it is not there: an answer that stands twice is better
    than none.

    Nothing of what is read is kept or logged but the id of our own message, and nobody is shown any of it: it is no
    road to documents.
    """

    def __init__(self, graph: Graph, app_id: str, *, seconds: float = _SECONDS) -> None:
        self._graph = graph
        self._app_id = app_id.lower()
        self._seconds = seconds

    def reads(self, address: TeamsAddress) -> bool:
        """Whether it is of any use to look there; that it is allowed is found out by looking."""
        return address.place is TeamsPlace.GROUP or (address.place is TeamsPlace.CHANNEL and bool(address.team))

    async def find(self, address: TeamsAddress, answer_id: str, asked_at: datetime) -> str:
        """The id of our message with this answer, "" for none. `address`: its `conversation_id` is where it was sent,
        in a channel with the thread, without one for a new post. Raises nothing, and takes a few seconds at most."""
        path, query = _listing(address, asked_at)
        try:
            async with asyncio.timeout(self._seconds):
                found = await self._graph.first(
                    address.tenant, path, MOST_READ, lambda each: self._is_it(each, answer_id), **query
                )
        except (PolicyBotError, TimeoutError) as exc:
            why = exc.details.get("error") or exc.code if isinstance(exc, PolicyBotError) else "slow"
            _log.info("sent answers cannot be looked for: place=%s why=%s", address.place, why)
            return ""
        return str(found["id"]) if found else ""

    def _is_it(self, message: Json, answer_id: str) -> bool:
        """Ours, there, and with this answer."""
        app = sender_of(message, "application")
        is_ours = app is not None and str(app.get("id")).lower() == self._app_id
        has_id = isinstance(message.get("id"), str) and bool(message["id"])
        return is_ours and has_id and not message.get("deletedDateTime") and is_marked(message, answer_id)


def _listing(address: TeamsAddress, asked_at: datetime) -> tuple[str, dict[str, str]]:
    top = {"$top": str(PAGE)}
    if address.place is TeamsPlace.GROUP:
        return chat_path(address), {**top, **changed_since(asked_at - _CLOCKS)}
    thread = thread_of(address.conversation_id)
    return (replies_path(address, thread) if thread else posts_path(address)), top
