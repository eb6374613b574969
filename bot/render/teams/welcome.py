"""What the bot says in Teams where it is new: what it is for, and first questions to click on."""

from collections.abc import Mapping, Sequence

from bot.wording import teams_welcome as words

CARD = "application/vnd.microsoft.card.adaptive"
VERSION = "1.5"
MOST_SUGGESTED = 3
"""Teams shows no more suggested actions."""

_MARK, _STARTER = "adpolicy", "starter"
_LONGEST_TITLE = 200
_LONGEST_NAME = 60

Json = dict[str, object]


def is_starter(value: Mapping[str, object]) -> bool:
    """Whether a message is a click on a first question: it asks the bot without a mention. Anybody may make one up, and
    asks by it no more than what he types."""
    return value.get(_MARK) == _STARTER


def welcome(starters: Sequence[str], *, alone: bool, name: str = "") -> Json:
    """An activity. `alone`: in a chat of one person with the bot; else `name` is how the bot is mentioned there."""
    lead = words.welcome_alone() if alone else words.welcome_here(_safe(name))
    body: list[Json] = [
        {"type": "TextBlock", "text": words.WELCOME, "weight": "Bolder", "size": "Medium", "wrap": True},
        _paragraph(lead),
        _paragraph(words.WELCOME_MORE),
    ]
    card: Json = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": VERSION,
        "body": body,
    }
    said: Json = {
        "type": "message",
        "summary": words.WELCOME,
        "attachments": [{"contentType": CARD, "content": card}],
    }
    if not starters:
        return said
    if alone:
        shown = [_suggested(each) for each in starters[:MOST_SUGGESTED]]
        return said | {"suggestedActions": {"to": [], "actions": shown}}
    body.append({"type": "TextBlock", "text": words.STARTERS, "weight": "Bolder", "wrap": True})
    card["actions"] = [_button(each) for each in starters]
    return said


def _paragraph(text: str) -> Json:
    return {"type": "TextBlock", "text": text, "wrap": True}


def _suggested(question: str) -> Json:
    return {"type": "imBack", "title": question[:_LONGEST_TITLE], "value": question}


def _button(question: str) -> Json:
    """It comes back as a message of whoever clicks."""
    back = {"type": "messageBack", "displayText": question, "text": question, "value": {_MARK: _STARTER}}
    return {"type": "Action.Submit", "title": question[:_LONGEST_TITLE], "data": {"msteams": back}}


def _safe(name: str) -> str:
    """Nothing in it formats or links."""
    return "".join(each for each in name if each.isalnum() or each in " .-")[:_LONGEST_NAME].strip() or "AdPolicy"
