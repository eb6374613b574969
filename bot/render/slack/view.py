"""Names and buttons of a reply in Slack, by which clicks and modals come back."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot import wording
from bot.model.links import Links
from bot.model.visible import one_line, shorten
from bot.render.blocks import Block
from bot.wording import answers as said
from rag_core.answers import Answer, Choice, Clarification, ClarificationReason, Refusal, Reply


@dataclass(frozen=True, slots=True)
class SlackView:
    """`with_question`: nobody sees the question otherwise (a command, a shortcut). `is_private`: only the asker sees
    it, and may share it. `is_threaded`: it can be gone on with in its thread; a `response_url` answer cannot, and says
    how to invite the bot. `asks_people`: the channel's settings name somebody to ask. `shared_by`: Slack's id of who
    shared a private answer, "" for none; nobody is named. `shared_chunks`: ids of the chunks that it quotes."""

    with_question: bool = True
    is_private: bool = False
    is_threaded: bool = True
    asks_people: bool = False
    shared_by: str = ""
    shared_chunks: tuple[str, ...] = ()


FEEDBACK_VALUE = {True: "useful", False: "not_useful"}
"""How a value of feedback buttons begins."""


class SlackAction(StrEnum):
    """`action_id` of a button or menu in a message. Its value is the answer's id, unless said otherwise."""

    FEEDBACK = "adpolicy_feedback_buttons"
    """Both halves; values as in FEEDBACK_VALUE, a slash and the answer's id."""
    SHOW_SOURCES = "adpolicy_show_sources"
    SHOW_MORE = "adpolicy_show_more"
    CHANGE_SCOPE = "adpolicy_change_scope"
    SHARE = "adpolicy_share"
    ASK_PERSON = "adpolicy_ask_person"
    CHOOSE = "adpolicy_choose"
    """A choice of a reply; value: answer id and number of the choice from 0, "ID/2". A block takes each `action_id`
    once, so it ends with ":2", and with ":menu" where it is a menu."""
    CLAIM = "adpolicy_claim"
    """Of an escalation; value: its id."""
    SAVE_CURATED = "adpolicy_save_curated"
    """Of a person's answer; value: the escalation's id."""
    UNSUBSCRIBE = "adpolicy_unsubscribe"
    """Value: the subscription's id."""
    OPEN_SETTINGS = "adpolicy_open_settings"
    """In the App Home; value: the channel."""
    ASK_STARTER = "adpolicy_ask_starter"
    """In the App Home; value: the question."""


class SlackModal(StrEnum):
    """`callback_id` of a modal."""

    FEEDBACK = "adpolicy_feedback"
    SOURCES = "adpolicy_sources"
    MORE = "adpolicy_more"
    SCOPE = "adpolicy_scope"
    """Asks again with another scope; `private_metadata`: see `adapters.slack.actions.clicks`, as of all modals that a
    click on a reply opens."""
    QUESTION = "adpolicy_question"
    """Of the global shortcut: question and scope."""
    SETTINGS = "adpolicy_settings"
    SHARE = "adpolicy_share_modal"
    ASK_PERSON = "adpolicy_ask_person_modal"
    CURATED = "adpolicy_curated"


class SlackShortcut(StrEnum):
    """`callback_id` of a shortcut."""

    ASK = "adpolicy_ask"
    CHECK_MESSAGE = "adpolicy_check_message"


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
        (has_more, SlackAction.SHOW_MORE, said.SHOW_MORE),
        (isinstance(reply, Answer) and bool(reply.citations), SlackAction.SHOW_SOURCES, said.SHOW_SOURCES),
        (not is_help, SlackAction.CHANGE_SCOPE, said.CHANGE_SCOPE),
        (view.is_private and not is_help, SlackAction.SHARE, said.SHARE),
        (view.asks_people and not is_help, SlackAction.ASK_PERSON, said.ASK_PERSON),
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
                "placeholder": _plain(said.MORE_CHOICES),
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
        "positive_button": _half(said.USEFUL, said.USEFUL_LABEL, f"{FEEDBACK_VALUE[True]}/{answer_id}"),
        "negative_button": _half(said.NOT_USEFUL, said.NOT_USEFUL_LABEL, f"{FEEDBACK_VALUE[False]}/{answer_id}"),
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
