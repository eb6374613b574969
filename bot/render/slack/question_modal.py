"""The modals of shortcuts: a question with its scope, and short notes."""

from collections.abc import Sequence

from bot.render.blocks import Block
from bot.render.slack.scope import scope_inputs
from bot.render.slack.view import SlackModal
from bot.wording import slack as wording
from rag_core.documents import PolicySource
from rag_core.understanding.cleaning import MAX_QUESTION

QUESTION, CHANNEL = "question_text", "question_channel"
"""`block_id` and `action_id` of each field."""


def loading_modal() -> Block:
    """Opened within the three seconds of a `trigger_id`, and replaced."""
    return note_modal(wording.QUESTION_TITLE, wording.LOADING)


def note_modal(title: str, text: str) -> Block:
    return {
        "type": "modal",
        "title": _plain(title),
        "close": _plain(wording.CLOSE_BUTTON),
        "blocks": [{"type": "section", "text": _plain(text)}],
    }


def question_modal(sources: Sequence[PolicySource], direct: str) -> Block:
    """`sources`: those that everybody may know of. `direct`: where the answer comes if no channel is chosen."""
    return {
        "type": "modal",
        "callback_id": SlackModal.QUESTION.value,
        "title": _plain(wording.QUESTION_TITLE),
        "submit": _plain(wording.ASK_BUTTON),
        "close": _plain(wording.CANCEL_BUTTON),
        "private_metadata": direct,
        "blocks": [_question(), *scope_inputs(sources), _channel()],
    }


def _question() -> Block:
    return {
        "type": "input",
        "block_id": QUESTION,
        "label": _plain(wording.QUESTION_LABEL),
        "element": {
            "type": "plain_text_input",
            "action_id": QUESTION,
            "multiline": True,
            "max_length": MAX_QUESTION,
            "placeholder": _plain(wording.QUESTION_EXAMPLE),
        },
    }


def _channel() -> Block:
    return {
        "type": "input",
        "block_id": CHANNEL,
        "optional": True,
        "label": _plain(wording.CHANNEL_LABEL),
        "hint": _plain(wording.CHANNEL_HINT),
        "element": {
            "type": "conversations_select",
            "action_id": CHANNEL,
            "placeholder": _plain(wording.CHANNEL_EXAMPLE),
            "filter": {"include": ["public", "private"], "exclude_bot_users": True},
            # the bot need not be in the channel that is chosen
            "response_url_enabled": True,
        },
    }


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}
