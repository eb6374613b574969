"""Whether Teams would take the answer to an invoke: "" or what is wrong with it."""

from collections.abc import Callable, Mapping

from ops.sandbox.teams.checks.activities import check_size
from ops.sandbox.teams.checks.cards import check_card
from ops.sandbox.teams.messages import ADAPTIVE_CARD, objects
from ops.sandbox.teams.refusals import TeamsRefusal

MESSAGE = "application/vnd.microsoft.activity.message"
ERROR = "application/vnd.microsoft.error"
_PREVIEWS = ("application/vnd.microsoft.card.hero", "application/vnd.microsoft.card.thumbnail")
Json = Mapping[str, object]


def problem(name: str, status: int, body: Json, text: str) -> str:
    """`name`: of the invoke; `text`: the body as it came."""
    if status != 200:
        return f"status {status}"
    if name == "message/submitAction":
        return "" if text.strip() in ("", "{}") else "message/submitAction invoke response isn't empty"
    try:
        check_size(text.encode(), body)
    except TeamsRefusal:
        return "the answer is larger than 80 KB"  # no limit is documented; what is shown is held to that of a message
    check = _CHECKS.get(name)
    return check(body) if check else ""


def _card_action(body: Json) -> str:
    status, kind, value = body.get("statusCode"), body.get("type"), body.get("value")
    if not isinstance(status, int) or not isinstance(kind, str):
        return "statusCode and type are missing"
    if kind == ADAPTIVE_CARD:
        return _card(value)
    if kind == MESSAGE:
        return "" if isinstance(value, str) and value else "value must be a text"
    if kind == ERROR:
        is_right = isinstance(value, dict) and isinstance(value.get("code"), str) and "message" in value
        return "" if is_right else "value must have code and message"
    return f"unknown type {kind}"


def _fetched(body: Json) -> str:
    task = body.get("task")
    if not isinstance(task, dict):
        return "task is missing"
    value = task.get("value")
    if task.get("type") == "message":
        return "" if isinstance(value, str) and value else "value must be a text"
    if task.get("type") != "continue" or not isinstance(value, dict):
        return "task must be continue or message"
    return _dialog(value)


def _submitted(body: Json) -> str:
    """Nothing closes the dialog."""
    return _fetched(body) if body else ""


def _opened(body: Json) -> str:
    """Of an action of the message extension."""
    return _fetched(body) if "task" in body else _extension(body)


def _acted(body: Json) -> str:
    return _opened(body) if body else ""


def _dialog(value: Json) -> str:
    card = value.get("card")
    if card is None:
        url = value.get("url")
        return "" if isinstance(url, str) and url.startswith("https://") else "a dialog needs a card or a url"
    if not isinstance(card, dict) or card.get("contentType") != ADAPTIVE_CARD:
        return "the card of a dialog must be an attachment with an Adaptive Card"
    for name in ("height", "width"):
        size = value.get(name, "medium")
        if size not in ("small", "medium", "large") and not isinstance(size, int):
            return f"{name} must be a number, small, medium or large"
    return _card(card.get("content"))


def _extension(body: Json) -> str:
    found = body.get("composeExtension")
    if not isinstance(found, dict):
        return "composeExtension is missing"
    kind = found.get("type")
    if kind == "message":
        return "" if isinstance(found.get("text"), str) and found.get("text") else "text is missing"
    if kind != "result" or found.get("attachmentLayout", "list") not in ("list", "grid"):
        return f"unknown composeExtension {kind}"
    attachments = found.get("attachments")
    if not isinstance(attachments, list) or len(objects(attachments)) != len(attachments):
        return "attachments must be a list"
    return next((wrong for each in objects(attachments) if (wrong := _result(each))), "")


def _result(attachment: Json) -> str:
    if attachment.get("contentType") != ADAPTIVE_CARD:
        return "" if isinstance(attachment.get("content"), dict) else "a result has no content"
    preview = attachment.get("preview")
    if not isinstance(preview, dict) or preview.get("contentType") not in _PREVIEWS:
        return "a result with an Adaptive Card needs a preview, a hero or thumbnail card"
    return _card(attachment.get("content"))


def _card(card: object) -> str:
    try:
        check_card(card)
    except TeamsRefusal as refusal:
        return refusal.message
    return ""


_CHECKS: Mapping[str, Callable[[Json], str]] = {
    "adaptiveCard/action": _card_action,
    "task/fetch": _fetched,
    "task/submit": _submitted,
    "message/fetchTask": _fetched,
    "composeExtension/query": _extension,
    "composeExtension/selectItem": _extension,
    "composeExtension/fetchTask": _opened,
    "composeExtension/submitAction": _acted,
}
