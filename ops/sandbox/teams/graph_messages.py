"""Messages as the pretended Graph tells them: the shape of one, the order of many, and what it can be asked for.

https://learn.microsoft.com/graph/api/resources/chatmessage, https://learn.microsoft.com/graph/api/chat-list-messages
"""

import html
import json
import re
from collections.abc import Mapping
from datetime import datetime

from ops.sandbox.teams.messages import ADAPTIVE_CARD, Message
from ops.sandbox.teams.people import Account
from ops.sandbox.teams.places import Place
from ops.sandbox.teams.refusals import TeamsRefusal
from ops.sandbox.teams.telling import stamp

Entry = dict[str, object]

USUAL, MOST = 20, 50
"""Messages in a page."""

_CREATED, _MODIFIED = "createdDateTime", "lastModifiedDateTime"
_FILTER = re.compile(rf"({_CREATED}|{_MODIFIED}) (gt|lt) (\S+)")
_CAN = {(_MODIFIED, "gt"), (_MODIFIED, "lt"), (_CREATED, "lt")}
_ORDERS = {"": _MODIFIED, f"{_MODIFIED} desc": _MODIFIED, f"{_CREATED} desc": _CREATED}
_OF_CHATS = frozenset({"$top", "$orderby", "$filter", "$skiptoken"})
_OF_CHANNELS = frozenset({"$top", "$skiptoken"})


def entry(message: Message, place: Place, author: Account | None, app_id: str, name: str) -> Entry:
    """`author`: None for an app, which has `app_id` where its id says no other. Of what was deleted nothing is left but
    that it was there. Entities and channel data of a bot's message are not among it."""
    shown = {} if message.is_deleted else message.activity
    attachments = [] if message.is_deleted else _attachments(message)
    return {
        "id": message.id,
        "replyToId": message.thread or None,
        "messageType": "message",
        _CREATED: stamp(message.at),
        _MODIFIED: stamp(message.changed_at or message.at),
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


def asked(entries: list[Entry], query: Mapping[str, str], *, of_chat: bool) -> list[Entry]:
    """The newest first; of a chat what was asked for. Raises TeamsRefusal for what Graph cannot be asked."""
    for name in query:
        if name not in (_OF_CHATS if of_chat else _OF_CHANNELS):
            raise _cannot(name)
    if not 0 < int(query.get("$top", USUAL)) <= MOST:
        raise _cannot(f"the limit of '{MOST}' for Top query has been exceeded")
    by = _ORDERS.get(query.get("$orderby", ""))
    if by is None:
        raise _cannot("$orderby")
    kept = _filtered(entries, query, by)
    return sorted(kept, key=lambda each: (str(each.get(by)), str(each.get("id"))), reverse=True)


def _filtered(entries: list[Entry], query: Mapping[str, str], by: str) -> list[Entry]:
    """A filter on something else than the order is passed over, as is one without an order."""
    if "$filter" not in query:
        return entries
    found = _FILTER.fullmatch(query["$filter"])
    if found is None or (found[1], found[2]) not in _CAN:
        raise _cannot("$filter")
    if found[1] != by or "$orderby" not in query:
        return entries
    bound = datetime.fromisoformat(found[3])
    sign = 1 if found[2] == "gt" else -1
    return [each for each in entries if sign * (datetime.fromisoformat(str(each[by])) - bound).total_seconds() > 0]


def _sender(message: Message, author: Account | None, app_id: str, name: str) -> Entry:
    if author is not None:
        user = {"id": author.object_id, "displayName": author.name, "userIdentityType": "aadUser"}
        return {"application": None, "device": None, "user": user}
    other = message.author.removeprefix("28:")
    is_ours = other == app_id
    app = {"id": other, "displayName": name if is_ours else "Another app", "applicationIdentityType": "bot"}
    return {"application": app, "device": None, "user": None}


def _attachments(message: Message) -> list[Entry]:
    """A card as JSON in a string, laid out anew."""
    return [
        {
            "id": f"{message.id}-{number}",
            "contentType": ADAPTIVE_CARD,
            "contentUrl": None,
            "content": json.dumps(card, indent=2).replace("\n", "\r\n"),
            "name": None,
            "thumbnailUrl": None,
        }
        for number, card in enumerate(message.cards)
    ]


def _body(message: Message, attachments: list[Entry]) -> str:
    if message.is_deleted:
        return ""
    said = [f"<p>{html.escape(each)}</p>" for each in message.text.splitlines()]
    return "\n".join([*said, *(f'<attachment id="{each["id"]}"></attachment>' for each in attachments)])


def _cannot(what: str) -> TeamsRefusal:
    return TeamsRefusal(400, "BadRequest", f"Not supported: {what}")
