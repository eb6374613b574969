"""What an invoke is answered with: a sentence, a card in the place of the one that was clicked, a dialog.

Shapes: https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards (invoke responses).
"""

from collections.abc import Mapping

from adapters.teams.listening import InvokeReply
from bot.render.teams.elements import CARD_TYPE, attachment
from bot.render.teams.forms import note_card
from bot.render.teams.view import TeamsInvoke
from bot.wording import teams as said

Card = Mapping[str, object]

_MESSAGE_TYPE = "application/vnd.microsoft.activity.message"
_OPENS = frozenset({TeamsInvoke.DIALOG_OPEN, TeamsInvoke.MESSAGE_ACTION_OPEN, TeamsInvoke.FEEDBACK_OPEN})
_CLOSES = frozenset({TeamsInvoke.DIALOG_SUBMIT, TeamsInvoke.MESSAGE_ACTION_SUBMIT})


def sentence(invoke: TeamsInvoke, text: str) -> InvokeReply:
    """`text`, for the eyes of who clicked, as this invoke can be answered with it."""
    if invoke is TeamsInvoke.CARD_ACTION:
        return InvokeReply({"statusCode": 200, "type": _MESSAGE_TYPE, "value": text})
    if invoke in _OPENS:
        return dialog(said.NOTE_TITLE, note_card(text), height="small")
    if invoke in _CLOSES:
        return InvokeReply({"task": {"type": "message", "value": text}})
    if invoke in (TeamsInvoke.SEARCH, TeamsInvoke.SELECT):
        return InvokeReply({"composeExtension": {"type": "message", "text": text}})
    return InvokeReply({})


def not_offered(name: str) -> InvokeReply:
    """To an invoke that nobody listens to, which comes of an older or somebody else's card or manifest: a sentence
    where its kind has a place for one, else nothing. Teams takes the empty answer to any as done."""
    kind = name.partition("/")[0]
    if kind == "composeExtension":
        return sentence(TeamsInvoke.SEARCH, said.NOT_OFFERED)
    return sentence(TeamsInvoke.DIALOG_SUBMIT, said.NOT_OFFERED) if kind == "task" else InvokeReply({})


def card_instead(card: Card) -> InvokeReply:
    """`card` stands where the clicked one stood, for who clicked."""
    return InvokeReply({"statusCode": 200, "type": CARD_TYPE, "value": dict(card)})


def dialog(title: str, card: Card, *, height: str = "large", width: str = "medium") -> InvokeReply:
    """Opens, or changes what an open one shows."""
    value = {"title": title, "height": height, "width": width, "card": attachment(dict(card))}
    return InvokeReply({"task": {"type": "continue", "value": value}})


def closed() -> InvokeReply:
    """The dialog closes without a word."""
    return InvokeReply()
