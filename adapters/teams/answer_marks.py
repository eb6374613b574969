"""Which answer a message carries: written into it so that nobody sees it, and read again from Microsoft Graph.

Graph gives back a card as it was sent, as JSON in a string, but neither entities nor channel data. So the mark is the
id of an element of the card, which Teams does not show; a message without a card says it in words. An answer's id is
in the data of its buttons as well, and is the question's: it names nobody.
"""

import html
import json
import re
from collections.abc import Mapping, Sequence

from adapters.teams.calls import Json
from adapters.teams.ports import Activity
from bot.render.teams.elements import CARD_TYPE
from bot.wording.teams import answer_reference

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
