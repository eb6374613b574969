"""An answer as blocks: what matters most is placed first, whole statements and sources are left out when room ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot import wording
from bot.model.links import Links
from bot.render.blocks import MESSAGE_BLOCKS, Block, Room, divider, header, sections
from bot.render.mrkdwn import shortened
from bot.render.slack import parts
from bot.render.slack.tables import answer_tables
from bot.render.slack.view import SlackView, reply_buttons
from bot.render.summary import Told, conditions_once
from bot.wording.answers import left_out_of_message
from rag_core.answers import Answer, PlaceVerdict, Reply

_CONDITION = 200
_LEFT_OUT = 300
"""Characters kept for the line that says what was left out."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown beside the reply itself."""

    question_text: str
    answer_id: str
    links: Links
    view: SlackView

    def question(self, reply: Reply) -> list[Block]:
        is_seen = not self.view.with_question
        return parts.question(self.question_text, reply.rewritten_question, is_seen=is_seen)


def answer_blocks(shown: Shown, answer: Answer, characters: int, blocks: int = MESSAGE_BLOCKS) -> list[Block]:
    """The answer in at most `characters` characters of JSON and as many `blocks` as a message takes."""
    links, view = shown.links, shown.view
    urls = {each.number: links.citation(each) for each in answer.citations}
    room = Room(characters - _LEFT_OUT, blocks - 1)
    room.take(reply_buttons(shown.answer_id, answer, view, has_more=True))
    title = header(f"{wording.verdict_sign(answer.verdict)} {wording.headline(answer)}")
    top = room.first([title, *shown.question(answer)], [title])
    scope = room.first([parts.scope(answer.scope, links.source_names, answer.citations)])
    gap = room.first([*parts.approved(answer), *parts.not_stated(answer)])
    notes = room.first(parts.notes(answer))
    below = room.first(parts.circumstances(view, [each.chunk_id for each in answer.citations]))
    told = Told(
        answer,
        lambda each: parts.statement(each, urls, is_quoted=answer.approved is None),
        lambda each: parts.source(each, links),
    )
    tables = answer_tables(room, answer, links, urls, lambda row, numbers: told.take_row(room, row, numbers))
    plain = () if answer.comparison else (urls, {})
    verdicts = room.first(*(_verdicts(answer, links.source_names, each) for each in plain))
    rule = room.first([divider()])
    told.tell(room, most=1)
    conditions = room.first(*(_conditions(answer.verdicts, each) for each in plain))
    told.tell(room, most=len(answer.loose_statements))
    told.add_sources(room, [each.number for each in answer.citations])
    choices = parts.choices(room, answer.choices, links, wording.CHOICES_HEADING, shown.answer_id)
    buttons = reply_buttons(shown.answer_id, answer, view, has_more=told.has_more)
    body = [*top[:1], *gap, *top[1:], *scope, *tables, *verdicts, *told.statements, *conditions, *notes]
    return [*body, *rule, *told.sources(), *_left_out(told, can_show=bool(buttons)), *choices, *below, *buttons]


def _left_out(told: Told, *, can_show: bool) -> list[Block]:
    """The line that says what had no room, and whether a button shows it."""
    say = left_out_of_message if can_show else wording.left_out
    return sections([say(*told.hidden)]) if any(told.hidden) else []


def _verdicts(answer: Answer, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Block]:
    """One line for each place and platform, where there are several."""
    if len(answer.verdicts) < 2:
        return []
    entries = [
        f"• {wording.verdict_sign(each.verdict)} {shortened(wording.place_verdict(each, names), _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in answer.verdicts
    ]
    return parts.bullet_list(wording.VERDICTS_HEADING, entries)


def _conditions(verdicts: Sequence[PlaceVerdict], urls: Mapping[int, str]) -> list[Block]:
    """What a restricted thing needs, each once."""
    entries = [
        f"• *{wording.condition_label(each)}:* {shortened(each.text, _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in conditions_once(verdicts)
    ]
    return parts.bullet_list(wording.CONDITIONS_HEADING, entries)
