"""Whether Teams would take an activity of a bot's."""

import json
import re
from collections.abc import Mapping

from ops.sandbox.teams.checks.cards import check_card
from ops.sandbox.teams.checks.citations import check_entities
from ops.sandbox.teams.messages import ADAPTIVE_CARD, objects
from ops.sandbox.teams.places import PlaceKind
from ops.sandbox.teams.refusals import bad_argument, too_big

MOST_BYTES = 80 * 1024
"""Of the message in UTF-16. Teams takes about 100 KB with mentions and reactions, and asks to stay below 80 KB ("Format
your bot messages"); images in base64 do not count."""

MOST_SUGGESTIONS = 3
"""Teams shows the first three of them ("Dynamically guide users with suggested actions", 2026; six before)."""

CARDS = frozenset(
    {
        ADAPTIVE_CARD,
        "application/vnd.microsoft.card.hero",
        "application/vnd.microsoft.card.thumbnail",
        "application/vnd.microsoft.card.receipt",
        "application/vnd.microsoft.card.signin",
        "application/vnd.microsoft.card.oauth",
        "application/vnd.microsoft.teams.card.list",
        "application/vnd.microsoft.teams.card.o365connector",
        "application/vnd.microsoft.teams.card.file.consent",
        "application/vnd.microsoft.teams.card.file.info",
    }
)
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/*"})
_FORMATS = frozenset({"", "plain", "markdown", "xml", "extendedmarkdown"})
_BASE64 = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/=]+")


def check_size(body: bytes | None, activity: Mapping[str, object]) -> None:
    """`body`: as it came, where the activity is all of it."""
    if (
        body is not None and 2 * len(body) <= MOST_BYTES
    ):  # a character takes at least as many bytes in UTF-8 as units in UTF-16
        return
    text = _BASE64.sub("", json.dumps(activity, ensure_ascii=False, separators=(",", ":")))
    if len(text.encode("utf-16-le", "surrogatepass")) > MOST_BYTES:
        raise too_big()


def check_message(activity: Mapping[str, object], kind: PlaceKind) -> None:
    """A message of type "message", new or in place of another."""
    text, attachments = activity.get("text"), objects(activity.get("attachments"))
    if text is not None and not isinstance(text, str):
        raise bad_argument("text must be a string")
    if not (isinstance(text, str) and text.strip()) and not attachments:
        raise bad_argument("The message has neither text nor attachments")
    if str(activity.get("textFormat") or "").lower() not in _FORMATS:
        raise bad_argument(f"Unknown textFormat {activity.get('textFormat')}")
    for each in attachments:
        _check_attachment(each)
    check_entities(activity.get("entities"), str(text or ""))
    _check_feedback(activity.get("channelData"))
    _check_suggestions(activity, kind)


def _check_attachment(attachment: Mapping[str, object]) -> None:
    kind = str(attachment.get("contentType") or "")
    if kind not in CARDS and kind not in IMAGES:
        raise bad_argument(f"Unknown attachment type: {kind}")
    if kind in CARDS and not isinstance(attachment.get("content"), dict):
        raise bad_argument("A card has no content")
    if kind == ADAPTIVE_CARD:
        check_card(attachment.get("content"))


def _check_feedback(data: object) -> None:
    loop = data.get("feedbackLoop") if isinstance(data, dict) else None
    if loop is None:
        return
    if not isinstance(loop, dict) or loop.get("type") not in ("default", "custom"):
        raise bad_argument("channelData.feedbackLoop.type must be default or custom")


def _check_suggestions(activity: Mapping[str, object], kind: PlaceKind) -> None:
    """What Teams would not show is refused here. Microsoft's pages contradict each other: in personal chats only, with
    Adaptive Cards but no other attachments (2024); everywhere, without any attachment (2026). Both are not required."""
    suggested = activity.get("suggestedActions")
    if suggested is None:
        return
    actions = objects(suggested.get("actions")) if isinstance(suggested, dict) else []
    if kind is not PlaceKind.PERSONAL:
        raise bad_argument("suggestedActions are shown in personal chats only")
    if any(each.get("contentType") != ADAPTIVE_CARD for each in objects(activity.get("attachments"))):
        raise bad_argument("suggestedActions are not shown with attachments")
    if not 1 <= len(actions) <= MOST_SUGGESTIONS:
        raise bad_argument(f"suggestedActions must be 1 to {MOST_SUGGESTIONS}")
    for each in actions:
        if each.get("type") != "imBack" or not each.get("title") or not isinstance(each.get("value"), str):
            raise bad_argument("A suggested action must be imBack with a title and a text as its value")
