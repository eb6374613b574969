"""What Teams takes of a bot, and what it refuses: activities, citations and labels, answers to invokes. The shapes are
in `schema/activities.yaml`."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

from ops.sandbox.schema import Schema
from ops.sandbox.teams.cards import ADAPTIVE_CARD, card_problem, check_card
from ops.sandbox.teams.limits import TeamsRefusal
from ops.sandbox.teams.messages import objects
from ops.sandbox.teams.world import PlaceKind

MOST_BYTES = 80 * 1024
"""Of the message in UTF-16. Teams takes about 100 KB with mentions and reactions, and asks to stay below 80 KB ("Format
your bot messages"); images in base64 do not count."""

ROOT = "https://schema.org/Message"
SAID = "application/vnd.microsoft.activity.message"
FAILED = "application/vnd.microsoft.error"
MOST_CITATIONS = 20
CARDS = frozenset(
    {
        ADAPTIVE_CARD,
        *(f"application/vnd.microsoft.card.{each}" for each in ("hero", "thumbnail", "receipt", "signin", "oauth")),
        *(f"application/vnd.microsoft.teams.card.{each}" for each in ("list", "o365connector")),
        *(f"application/vnd.microsoft.teams.card.file.{each}" for each in ("consent", "info")),
    }
)
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/*"})
_FORMATS = frozenset({"", "plain", "markdown", "xml", "extendedmarkdown"})
_ENTITIES = frozenset({"mention", "clientInfo", "streaminfo", "ProductInfo", ROOT})
_BASE64 = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/=]+")
_CITED = re.compile(r"\[(\d+)\]")
_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "adaptiveCard/action": ("adaptiveCard/action",),
    "task/fetch": ("task/fetch",),
    "task/submit": ("task/fetch", "nothing"),
    "message/fetchTask": ("task/fetch",),
    "composeExtension/query": ("composeExtension/query",),
    "composeExtension/selectItem": ("composeExtension/query",),
    "composeExtension/fetchTask": ("task/fetch", "composeExtension/query"),
    "composeExtension/submitAction": ("task/fetch", "composeExtension/query", "nothing"),
}
"""What each invoke may be answered with: a dialog stands under `task`, results under `composeExtension`; nothing closes
the dialog."""


@cache
def _schema() -> Schema:
    return Schema(yaml.safe_load((Path(__file__).parent / "schema" / "activities.yaml").read_text("utf-8")))


def _wrong(name: str, value: object) -> str:
    """What does not fit the definition."""
    found = next(_schema().problems(value, {"$ref": f"#/definitions/{name}"}), None)
    return f"{found[1]} {found[0]}".strip() if found else ""


def bad_argument(message: str) -> TeamsRefusal:
    return TeamsRefusal("BadArgument", message)


def check_size(body: bytes | None, activity: Mapping[str, object]) -> None:
    """`body`: as it came, where the activity is all of it."""
    if body is not None and 2 * len(body) <= MOST_BYTES:  # a character takes no fewer bytes in UTF-8 than UTF-16 units
        return
    text = _BASE64.sub("", json.dumps(activity, ensure_ascii=False, separators=(",", ":")))
    if len(text.encode("utf-16-le", "surrogatepass")) > MOST_BYTES:
        raise TeamsRefusal("MessageSizeTooBig")


def check_message(activity: Mapping[str, object], kind: PlaceKind) -> None:
    """A message of type "message", new or in place of another."""
    text, attachments = activity.get("text"), objects(activity.get("attachments"))
    data, suggested = activity.get("channelData"), activity.get("suggestedActions")
    if text is not None and not isinstance(text, str):
        raise bad_argument("text must be a string")
    if not (isinstance(text, str) and text.strip()) and not attachments:
        raise bad_argument("The message has neither text nor attachments")
    if str(activity.get("textFormat") or "").lower() not in _FORMATS:
        raise bad_argument(f"Unknown textFormat {activity.get('textFormat')}")
    for each in attachments:
        _check_attachment(each)
    _check_entities(activity.get("entities"), str(text or ""))
    loop = data.get("feedbackLoop") if isinstance(data, dict) else None
    if loop is not None and (wrong := _wrong("feedback_loop", loop)):
        raise bad_argument(f"channelData.feedbackLoop: {wrong}")
    if suggested is not None:
        _check_suggestions(suggested, attachments, kind)


def _check_attachment(attachment: Mapping[str, object]) -> None:
    kind = str(attachment.get("contentType") or "")
    if kind not in CARDS and kind not in IMAGES:
        raise bad_argument(f"Unknown attachment type: {kind}")
    if kind in CARDS and not isinstance(attachment.get("content"), dict):
        raise bad_argument("A card has no content")
    if kind == ADAPTIVE_CARD:
        check_card(attachment.get("content"))


def _check_suggestions(suggested: object, attachments: list[Mapping[str, object]], where: PlaceKind) -> None:
    """What Teams would not show is refused here. Microsoft's pages contradict each other: in personal chats only, with
    Adaptive Cards but no other attachments (2024); everywhere, without any attachment (2026). Both are not required."""
    if where is not PlaceKind.PERSONAL:
        raise bad_argument("suggestedActions are shown in personal chats only")
    if any(each.get("contentType") != ADAPTIVE_CARD for each in attachments):
        raise bad_argument("suggestedActions are not shown with attachments")
    if wrong := _wrong("suggested", suggested):
        raise bad_argument(f"suggestedActions: {wrong}")


def _check_entities(entities: object, text: str) -> None:
    if entities is None:
        return
    if not isinstance(entities, list) or len(objects(entities)) < len(entities):
        raise bad_argument("entities must be a list of objects")
    for each in entities:
        said, mentioned = str(each.get("text") or ""), each.get("mentioned")
        if each.get("type") not in _ENTITIES:
            raise bad_argument(f"Unknown entity type {each.get('type')}")
        is_whole = said and said in text and isinstance(mentioned, dict) and mentioned.get("id")
        if each.get("type") == "mention" and not is_whole:
            raise bad_argument("The text of a mention must stand in the text of the message")
    roots = [each for each in entities if each.get("type") == ROOT]
    if len(roots) > 1:
        raise bad_argument("Multiple root message entities found under entities array")
    if roots:
        _check_root(roots[0], text)


def _check_root(entity: Mapping[str, object], text: str) -> None:
    citations = entity.get("citation", [])
    is_named = (entity.get("@type"), entity.get("@context")) == ("Message", "https://schema.org")
    if not is_named or not isinstance(citations, list) or len(objects(citations)) < len(citations):
        raise bad_argument("Error parsing message entity from entities array")
    if entity.get("additionalType", ["AIGeneratedContent"]) not in (["AIGeneratedContent"], []):
        raise bad_argument("additionalType must be AIGeneratedContent")
    if len(citations) > MOST_CITATIONS:
        raise bad_argument(f"Bot message with more than {MOST_CITATIONS} citations")
    lines = [each for each in text.splitlines() if not each.lstrip().startswith("|")]  # none is shown in a table
    shown, seen = {int(each) for line in lines for each in _CITED.findall(line)}, set[int]()
    for each in citations:
        if not each.get("appearance"):
            raise bad_argument("The appearance object is empty")
        position = each.get("position")
        if position in seen or _wrong("claim", each):
            raise bad_argument(f"Error while parsing citation entity with ID: {position}")
        if position not in shown:
            raise bad_argument(f"Citation {position} is not in the text as [{position}]")
        seen.add(position)


def problem(name: str, status: int, body: Mapping[str, object], text: str) -> str:
    """Why Teams would not take the answer to the invoke `name`, "" for nothing; `text`: the body as it came."""
    if status != 200:
        return f"status {status}"
    if name == "message/submitAction":
        return "" if text.strip() in ("", "{}") else "message/submitAction invoke response isn't empty"
    try:
        check_size(text.encode(), body)
    except TeamsRefusal:
        return "the answer is larger than 80 KB"  # no limit is documented; what is shown is held to that of a message
    takes = _ANSWERS.get(name, ())
    if not takes or ("nothing" in takes and not body):
        return ""
    shapes = [each for each in takes if each != "nothing"]
    wrong = _wrong(shapes[-1] if "composeExtension" in body else shapes[0], body)
    return wrong or next((found for each in _cards_in(body) if (found := card_problem(each))), "")


def _cards_in(answer: Mapping[str, object]) -> Iterator[object]:
    """Every Adaptive Card in an answer. One among results needs a preview beside it."""
    if answer.get("type") == ADAPTIVE_CARD:
        yield answer.get("value")
    for name in ("task", "value", "card", "composeExtension"):
        found = answer.get(name)
        if isinstance(found, dict) and answer.get("type") != ADAPTIVE_CARD:
            yield from _cards_in(found)
    for each in [answer, *objects(answer.get("attachments"))]:
        if each.get("contentType") == ADAPTIVE_CARD:
            yield each.get("content") if each is answer or "preview" in each else "a card without a preview"
