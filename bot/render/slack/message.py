"""How a question ended as a Slack message: Block Kit within all limits by construction, and a text that reads alone.

Signs stand beside words and never replace them; nothing in it unfurls; only addresses made by `bot.model.links` are
links.
"""

import json

from bot import wording
from bot.model.links import Links
from bot.model.outcomes import Failure, Outcome, Postponed, Rejection
from bot.render.blocks import MESSAGE_CHARACTERS, Block, Room, header, sections
from bot.render.fallback_text import spoken_parts
from bot.render.markdown import escape, quoted
from bot.render.mrkdwn import bold, escape_unlinked, shortened
from bot.render.slack import parts
from bot.render.slack.answer import Shown, answer_blocks
from bot.render.slack.view import SlackView, reply_buttons
from rag_core.answers import Answer, Clarification, Refusal, Statement

EVENT_TYPE = "adpolicy_answer"
"""Name of the message's metadata, which hold the answer's id: so that the message is found again after a crash."""

NOTICE_TYPE = "adpolicy_notice"
"""The same of a message after which the answer is still to come."""

ANYWHERE = SlackView()

_TEXT, _PARAGRAPH = 900, 900


def slack_message(
    question_text: str, answer_id: str, outcome: Outcome, links: Links, view: SlackView = ANYWHERE
) -> dict[str, object]:
    """The arguments of `chat.postMessage` or a `response_url`, except where to post. Without an `answer_id` nothing can
    be clicked."""
    message: dict[str, object] = {
        "text": _fallback(outcome, links),
        "blocks": [],
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": {"event_type": _event_type(outcome), "event_payload": {"answer_id": answer_id}},
    }
    room = MESSAGE_CHARACTERS - len(json.dumps(message, ensure_ascii=False))
    return {**message, "blocks": _blocks(Shown(question_text, answer_id, links, view), outcome, room)}


def _event_type(outcome: Outcome) -> str:
    return NOTICE_TYPE if isinstance(outcome, Postponed) else EVENT_TYPE


def _blocks(shown: Shown, outcome: Outcome, room: int) -> list[Block]:
    match outcome:
        case Answer():
            return answer_blocks(shown, outcome, room)
        case Refusal():
            return _refusal(shown, outcome, room)
        case Clarification():
            return _clarification(shown, outcome, room)
        case Rejection():
            return _problem(shown.question_text, wording.rejection(outcome))
        case Failure():
            return _problem(shown.question_text, wording.failure(outcome))
        case Postponed():
            return _problem(shown.question_text, wording.postponed(outcome))


def _refusal(shown: Shown, reply: Refusal, characters: int) -> list[Block]:
    links = shown.links
    words = wording.refusal(reply, links.source_names)
    room = Room(characters)
    buttons = room.first(reply_buttons(shown.answer_id, reply, shown.view, has_more=False))
    top = room.first(
        [
            header(f"{wording.NEUTRAL_SIGN} {words.headline}"),
            *shown.question(reply),
            parts.scope(reply.scope, links.source_names),
            *sections([shortened(words.body, _PARAGRAPH), shortened(words.next_step, _PARAGRAPH)]),
        ]
    )
    below = room.first(parts.circumstances(shown.view))
    notes = room.first(parts.notes(reply))
    nearest = parts.nearest(room, reply.nearest, links)
    choices = parts.choices(room, reply.choices, links, wording.CHOICES_HEADING, shown.answer_id)
    return [*top, *nearest, *choices, *notes, *below, *buttons]


def _clarification(shown: Shown, reply: Clarification, characters: int) -> list[Block]:
    words = wording.clarification(reply)
    room = Room(characters)
    buttons = room.first(reply_buttons(shown.answer_id, reply, shown.view, has_more=False))
    top = room.first(
        [
            header(f"{wording.NEUTRAL_SIGN} {words.headline}"),
            *shown.question(reply),
            parts.scope(reply.scope, shown.links.source_names),
            *sections([shortened(words.body, _PARAGRAPH)]),
        ]
    )
    below = room.first(parts.circumstances(shown.view))
    choices = parts.choices(room, reply.choices, shown.links, words.next_step, shown.answer_id)
    choices = choices or room.first(sections([shortened(words.next_step, _PARAGRAPH)]))
    return [*top, *choices, *room.first(parts.notes(reply)), *below, *buttons]


def _problem(question_text: str, problem: wording.Problem) -> list[Block]:
    asked = parts.question(question_text) if question_text.strip() else []
    return [*sections([bold(problem.title), shortened(problem.detail, _PARAGRAPH)]), *asked]


def _fallback(outcome: Outcome, links: Links) -> str:
    """What a notification shows and a screen reader reads: it has to say all that matters."""
    text = " ".join(part for part in spoken_parts(outcome, links) if part)
    return shortened(text, _TEXT, escape_unlinked)


def streamed(statement: Statement) -> str:
    """The whole answer, which follows, links its numbers."""
    return quoted(statement, _defused, "\\[{}\\]")


def _defused(line: str) -> str:
    """Slack reads <!channel>, <@U...> and <http...> in Markdown, too."""
    return escape(line).replace("&", "&amp;").replace("\\<", "&lt;").replace("\\>", "&gt;")
