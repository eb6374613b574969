"""What one can click on a reply."""

from collections.abc import Sequence

from bot import wording
from bot import wording_answers as said
from bot.links import Links
from bot.render.blocks import Block
from bot.render.clean import one_line, shorten
from bot.render.slack_view import FEEDBACK_VALUE, SlackAction, SlackView
from rag_core.answers import Answer, Choice, Clarification, ClarificationReason, Refusal, Reply

MOST_CHOICES = 5
"""Choices that have a button of their own; the others are in a menu."""

_TEXT = 75
"""Slack: characters of a button, of an option and of what a screen reader reads of them."""
_MOST_OPTIONS = 100


def reply_buttons(answer_id: str, reply: Reply, view: SlackView, *, has_more: bool) -> list[Block]:
    """Feedback, and what can be done with the reply. None on a reply without an id: nothing could be found by it."""
    if not answer_id:
        return []
    buttons = list(_buttons(answer_id, reply, view, has_more=has_more))
    actions: list[Block] = [{"type": "actions", "elements": buttons}] if buttons else []
    return [*actions, *(_feedback(answer_id) if isinstance(reply, Answer | Refusal) else [])]


def _buttons(answer_id: str, reply: Reply, view: SlackView, *, has_more: bool) -> list[Block]:
    is_help = isinstance(reply, Clarification) and reply.reason is ClarificationReason.HELP
    shown = (
        (has_more, SlackAction.SHOW_MORE, said.show_more()),
        (isinstance(reply, Answer) and bool(reply.citations), SlackAction.SHOW_SOURCES, said.show_sources()),
        (not is_help, SlackAction.CHANGE_SCOPE, said.change_scope()),
        (view.is_private and not is_help, SlackAction.SHARE, said.share()),
        (view.asks_people and not is_help, SlackAction.ASK_PERSON, said.ask_person()),
    )
    return [_button(action, text, answer_id) for wanted, action, text in shown if wanted]


def choice_buttons(answer_id: str, choices: Sequence[Choice], links: Links) -> list[Block]:
    """A button for each of the first, a menu for the rest."""
    if not answer_id or not choices:
        return []
    elements = [
        _button(f"{SlackAction.CHOOSE}:{at}", _label(each, links), f"{answer_id}/{at}", said.choice_asks(each.question))
        for at, each in enumerate(choices[:MOST_CHOICES])
    ]
    rest = list(enumerate(choices))[MOST_CHOICES : MOST_CHOICES + _MOST_OPTIONS]
    if rest:
        elements.append(
            {
                "type": "static_select",
                "action_id": f"{SlackAction.CHOOSE}:menu",
                "placeholder": _plain(said.more_choices()),
                "options": [{"text": _plain(_label(each, links)), "value": f"{answer_id}/{at}"} for at, each in rest],
            }
        )
    return [{"type": "actions", "elements": elements}]


def _label(choice: Choice, links: Links) -> str:
    return wording.choice_label(choice, links.source_names)


def _feedback(answer_id: str) -> list[Block]:
    element: Block = {
        "type": "feedback_buttons",
        "action_id": str(SlackAction.FEEDBACK),
        "positive_button": _half(said.useful(), said.useful_label(), f"{FEEDBACK_VALUE[True]}/{answer_id}"),
        "negative_button": _half(said.not_useful(), said.not_useful_label(), f"{FEEDBACK_VALUE[False]}/{answer_id}"),
    }
    return [{"type": "context_actions", "elements": [element]}]


def _half(text: str, label: str, value: str) -> Block:
    return {"text": _plain(text), "accessibility_label": label, "value": value}


def _button(action_id: str, text: str, value: str, label: str = "") -> Block:
    button: Block = {"type": "button", "action_id": str(action_id), "text": _plain(text), "value": value}
    read = shorten(one_line(label), _TEXT)
    return {**button, "accessibility_label": read} if read else button


def _plain(text: str) -> Block:
    """Plain text shows mark-up as it is typed; without emoji codes."""
    return {"type": "plain_text", "text": shorten(one_line(text), _TEXT) or "?", "emoji": False}
