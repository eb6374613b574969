"""Modals opened by a click on a reply, within Slack's limits: 100 blocks, title 24 characters, metadata 3,000."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot import wording
from bot.answers.recorded import answer_from
from bot.answers.seen import InContext, SeenAnswer, readable_answer
from bot.model.links import Links
from bot.model.visible import read_out
from bot.render.blocks import Block, Room, divider, sections
from bot.render.mrkdwn import escape, link, shortened
from bot.render.scope_form import ScopeChosen
from bot.render.slack.answer import Shown, answer_blocks
from bot.render.slack.scope import scope_inputs
from bot.render.slack.view import SlackModal, SlackView
from bot.wording import answers as said
from rag_core.answers import Citation
from rag_core.documents import Passage, PolicySource

REASONS, COMMENT, CHANNEL = "feedback_reasons", "feedback_comment", "share_channel"
"""`block_id` and `action_id` of fields."""

MODAL_BLOCKS = 100
MODAL_CHARACTERS = 40_000
"""Far below what Slack takes (250,000): nobody reads more."""

_QUESTION, _LINE, _QUOTE, _AROUND = 400, 400, 1_200, 500


def modal(callback: SlackModal, title: str, blocks: Sequence[Block], metadata: str, submit: str = "") -> Block:
    """A modal's view. `metadata` comes back with it."""
    view: Block = {
        "type": "modal",
        "callback_id": str(callback),
        "title": _plain(title),
        "close": _plain(said.CLOSE),
        "private_metadata": metadata,
        "blocks": list(blocks),
    }
    return {**view, "submit": _plain(submit)} if submit else view


def loading_modal(callback: SlackModal, title: str, metadata: str) -> Block:
    """Opened at once: what opens modals lives 3 seconds. It says so in words."""
    return modal(callback, title, sections([escape(said.LOADING)]), metadata)


def text_modal(callback: SlackModal, title: str, text: str, metadata: str = "") -> Block:
    return modal(callback, title, sections([escape(text)]), metadata)


def feedback_modal(reasons: Sequence[tuple[str, str]], longest: int, metadata: str) -> Block:
    """Why an answer was not useful: `reasons` as value and text, and a comment of at most `longest` characters."""
    options = [{"text": _plain(text), "value": value} for value, text in reasons]
    boxes: Block = {"type": "checkboxes", "action_id": REASONS, "options": options}
    comment: Block = {
        "type": "plain_text_input",
        "action_id": COMMENT,
        "multiline": True,
        "max_length": longest,
    }
    blocks: list[Block] = [
        {
            "type": "input",
            "block_id": REASONS,
            "optional": True,
            "label": _plain(said.REASONS_LABEL),
            "element": boxes,
        },
        {
            "type": "input",
            "block_id": COMMENT,
            "optional": True,
            "label": _plain(said.COMMENT_LABEL),
            "element": comment,
            "hint": _plain(said.COMMENT_HINT),
        },
    ]
    return modal(SlackModal.FEEDBACK, said.FEEDBACK_TITLE, blocks, metadata, said.SEND)


def scope_modal(question: str, sources: Sequence[PolicySource], chosen: ScopeChosen, metadata: str) -> Block:
    """Asks the question again with another scope."""
    asked = sections([f"*{escape(wording.QUESTION_LABEL)}:* {shortened(question, _QUESTION)}"])
    blocks = [*asked, *scope_inputs(sources, chosen)]
    return modal(SlackModal.SCOPE, said.SCOPE_TITLE, blocks, metadata, said.ASK_AGAIN)


def share_modal(question: str, channel: str, metadata: str) -> Block:
    """`channel`: offered first, "" for none."""
    menu: Block = {
        "type": "conversations_select",
        "action_id": CHANNEL,
        "filter": {"include": ["public", "private"], "exclude_external_shared_channels": True},
    }
    if channel:
        menu["initial_conversation"] = channel
    blocks: list[Block] = [
        *sections([f"*{escape(wording.QUESTION_LABEL)}:* {shortened(question, _QUESTION)}"]),
        {"type": "input", "block_id": CHANNEL, "label": _plain(said.SHARE_LABEL), "element": menu},
        *sections([escape(said.SHARE_EXPLAINED)]),
    ]
    return modal(SlackModal.SHARE, said.SHARE_TITLE, blocks, metadata, said.SHARE_SUBMIT)


def whole_answer_modal(seen: SeenAnswer, links: Links, metadata: str) -> Block:
    """All of an answer that somebody may see now. Raises Rejected("answer_unreadable")."""
    shown = readable_answer(seen)
    room = MODAL_CHARACTERS
    question = SlackView(with_question=True)
    blocks = answer_blocks(Shown(seen.record.question_text, "", links, question), shown, room, MODAL_BLOCKS - 3)
    if not seen.is_whole:
        blocks = [*blocks, *sections([escape(said.PARTLY_SHOWN)])]
    return modal(SlackModal.MORE, said.MORE_TITLE, [*blocks, *_gone(seen.gone)], metadata)


def sources_modal(seen: SeenAnswer, found: Mapping[str, InContext], links: Links, metadata: str) -> Block:
    """The quotes in context. `found`: by chunk. Raises Rejected("answer_unreadable")."""
    answer = answer_from(seen.record.reply)
    shown = [each for each in answer.citations if each.chunk_id in found]
    room, blocks = Room(MODAL_CHARACTERS, MODAL_BLOCKS - 3), list[Block]()
    hidden = 0
    for citation in shown:
        source = _source(citation, seen.passages[citation.chunk_id], found[citation.chunk_id], links)
        taken = room.take([divider(), *source])
        blocks += [*([divider()] if blocks else []), *source] if taken else []
        hidden += not taken
    blocks += sections([escape(said.TOO_MUCH)]) if hidden else []
    blocks += _gone(seen.gone)
    return modal(SlackModal.SOURCES, said.SOURCES_TITLE, blocks or sections([escape(said.NO_SOURCES)]), metadata)


def _source(cited: Citation, passage: Passage, context: InContext, links: Links) -> list[Block]:
    """With the days for which the version holds as it is known now."""
    citation = replace(cited, effective_to=passage.version.effective_to)
    ended = citation.effective_to is not None and citation.effective_to != cited.effective_to
    title = wording.section_title(citation.title, citation.section_path)
    above = f"*[{citation.number}]* {link(links.citation(citation), title)}"
    facts = shortened(wording.source_facts(citation, links.source_names), _LINE)
    before = f"… {shortened(context.before, _AROUND)} " if context.before else ""
    after = f" {shortened(context.after, _AROUND)} …" if context.after else ""
    quote = shortened(wording.quoted(read_out(context.quote)), _QUOTE)
    since = [escape(said.SUPERSEDED_SINCE)] if ended else []
    return sections([f"{above}\n{facts}", *since, f"{escape(said.IN_THE_DOCUMENT)}\n> {before}*{quote}*{after}"])


def _gone(count: int) -> list[Block]:
    return sections([escape(said.sources_gone(count))]) if count else []


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}
