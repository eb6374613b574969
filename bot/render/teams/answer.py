"""An answer as elements of a card: what matters most is placed first, whole statements and sources are left out when
room ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot import wording
from bot.model.links import Links
from bot.render.blocks import Room
from bot.render.summary import Told, conditions_once
from bot.render.teams import parts
from bot.render.teams.elements import Element, heading, text_block, weight
from bot.render.teams.tables import answer_tables
from bot.render.teams.text import escape, shortened
from bot.render.teams.view import Sign, TeamsView, reply_actions
from bot.wording.answers import left_out_of_message
from rag_core.answers import Answer, PlaceVerdict, Reply

_CONDITION = 400
_LEFT_OUT = 500
"""UTF-16 code units kept for the line that says what was left out."""

_MOST_ELEMENTS = 2_000


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown beside the reply itself. `is_open`: the quotes of sources are shown at once."""

    question_text: str
    answer_id: str
    links: Links
    view: TeamsView
    sign: Sign | None = None
    is_open: bool = False

    def question(self, reply: Reply) -> list[Element]:
        return parts.question(self.question_text, reply.rewritten_question, is_seen=not self.view.with_question)


def new_room(characters: int) -> Room:
    return Room(characters, _MOST_ELEMENTS, weight)


def answer_elements(shown: Shown, answer: Answer, characters: int) -> tuple[list[Element], list[Element]]:
    """Body and actions in at most as many UTF-16 code units of JSON."""
    links, view = shown.links, shown.view
    urls = {each.number: links.citation(each) for each in answer.citations}
    room = new_room(characters - _LEFT_OUT)
    room.take(reply_actions(shown.answer_id, answer, view, has_more=True, sign=shown.sign))
    title = parts.headline(wording.verdict_sign(answer.verdict), wording.headline(answer))
    top = room.first([title, *shown.question(answer)]) or [title]
    scope = room.first(parts.scope(answer.scope, links.source_names, answer.citations))
    gap = room.first([*parts.not_stated(answer), *parts.approved(answer)])
    notes = room.first(parts.notes(answer))
    below = room.first(parts.circumstances(view, [each.chunk_id for each in answer.citations]))
    told = _told(shown, answer, urls)
    tables = answer_tables(room, answer, links, urls, told.take_row)
    plain = () if answer.comparison else (urls, {})
    verdicts = room.first(*(_verdicts(answer, links.source_names, each) for each in plain))
    rule = room.first([heading(escape(wording.SOURCES_HEADING))]) if answer.citations else []
    told.tell(room, most=1)
    conditions = room.first(*(_conditions(answer.verdicts, each) for each in plain))
    told.tell(room, most=len(answer.loose_statements))
    told.add_sources(room, [each.number for each in answer.citations])
    choices = parts.choices(room, answer.choices, links, wording.CHOICES_HEADING, shown.answer_id, shown.sign)
    actions = reply_actions(shown.answer_id, answer, view, has_more=told.has_more, sign=shown.sign)
    sources = told.sources()
    body = [*top[:1], *gap, *top[1:], *scope, *tables, *verdicts, *told.statements, *conditions, *notes]
    body += [*(rule if sources else []), *sources, *_left_out(told, can_show=bool(actions)), *choices, *below]
    return body, actions


def _told(shown: Shown, answer: Answer, urls: Mapping[int, str]) -> Told:
    is_quoted = answer.approved is None
    return Told(
        answer,
        lambda each: parts.statement(each, urls, is_quoted=is_quoted),
        lambda each: parts.source(each, shown.links, is_open=shown.is_open),
    )


def _left_out(told: Told, *, can_show: bool) -> list[Element]:
    """The line that says what had no room, and whether a button shows it."""
    say = left_out_of_message if can_show else wording.left_out
    return [text_block(escape(say(*told.hidden)))] if any(told.hidden) else []


def _verdicts(answer: Answer, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Element]:
    """One line for each place and platform, where there are several."""
    if len(answer.verdicts) < 2:
        return []
    entries = [
        f"{wording.verdict_sign(each.verdict)} {shortened(wording.place_verdict(each, names), _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in answer.verdicts
    ]
    return parts.bullet_list(wording.VERDICTS_HEADING, entries)


def _conditions(verdicts: Sequence[PlaceVerdict], urls: Mapping[int, str]) -> list[Element]:
    """What a restricted thing needs, each once."""
    entries = [
        f"**{wording.condition_label(each)}:** {shortened(each.text, _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in conditions_once(verdicts)
    ]
    return parts.bullet_list(wording.CONDITIONS_HEADING, entries)
