"""An answer as blocks: what matters most is placed first, whole statements and sources are left out when room ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot import wording
from bot.links import Links
from bot.render import slack_parts as parts
from bot.render.blocks import MESSAGE_BLOCKS, Block, Room, divider, header, sections
from bot.render.mrkdwn import shortened
from bot.render.slack_buttons import reply_buttons
from bot.render.slack_tables import answer_tables
from bot.render.slack_view import SlackView
from bot.wording_answers import left_out_of_message
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
    told = _Told(answer, links)
    tables = answer_tables(room, answer, links, urls, lambda row, numbers: told.take_row(room, row, numbers))
    plain = () if answer.comparison else (urls, {})
    verdicts = room.first(*(_verdicts(answer, links.source_names, each) for each in plain))
    rule = room.first([divider()])
    told.tell(room, urls, most=1)
    conditions = room.first(*(_conditions(answer.verdicts, each) for each in plain))
    told.tell(room, urls, most=len(answer.loose_statements))
    told.add_sources(room, [each.number for each in answer.citations])
    choices = parts.choices(room, answer.choices, links, wording.choices_heading(), shown.answer_id)
    buttons = reply_buttons(shown.answer_id, answer, view, has_more=told.has_more)
    body = [*top[:1], *gap, *top[1:], *scope, *tables, *verdicts, *told.statements, *conditions, *notes]
    return [*body, *rule, *told.sources(), *told.left_out(can_show=bool(buttons)), *choices, *below, *buttons]


class _Told:
    """The statements told so far, in order, and the sources they need: a statement is told with its sources."""

    def __init__(self, answer: Answer, links: Links) -> None:
        self._answer = answer
        self._links = links
        self._by_number = {each.number: each for each in answer.citations}
        self._count = 0
        self._full = False
        self._rows = 0
        self._sources: dict[int, list[Block]] = {}
        self.statements: list[Block] = []

    def tell(self, room: Room, urls: Mapping[int, str], most: int) -> None:
        """Tells statements until `most` are told or one does not fit."""
        while not self._full and self._count < min(most, len(self._answer.loose_statements)):
            statement = self._answer.loose_statements[self._count]
            said = parts.statement(statement, urls, is_quoted=self._answer.approved is None)
            self._full = not self.take(room, said, statement.citations)
            if not self._full:
                self._count += 1
                self.statements += said

    def take(self, room: Room, said: Sequence[Block], numbers: Sequence[int]) -> bool:
        """Whether there is room for what is said with the sources it needs; then both are taken."""
        needed = {number: self._blocks(number) for number in numbers if self._is_new(number)}
        if not room.take([*said, *(block for blocks in needed.values() for block in blocks)]):
            return False
        self._sources.update(needed)
        return True

    def take_row(self, room: Room, row: Sequence[Block], numbers: Sequence[int]) -> bool:
        """`take`, for a row of a table."""
        taken = self.take(room, row, numbers)
        self._rows += taken
        return taken

    @property
    def has_more(self) -> bool:
        """Whether something had no room."""
        return any(self._hidden) or self._rows < _rows_of(self._answer)

    @property
    def _hidden(self) -> tuple[int, int]:
        """How many statements and sources had no room."""
        return len(self._answer.loose_statements) - self._count, len(self._by_number) - len(self._sources)

    def add_sources(self, room: Room, numbers: Sequence[int]) -> None:
        """Lists the sources that no told statement needs, as long as there is room."""
        for number in numbers:
            if self._is_new(number) and room.take(found := self._blocks(number)):
                self._sources[number] = found

    def sources(self) -> list[Block]:
        """The source list, by number."""
        return [block for number in sorted(self._sources) for block in self._sources[number]]

    def left_out(self, *, can_show: bool) -> list[Block]:
        """The line that says what had no room, and whether a button shows it."""
        say = left_out_of_message if can_show else wording.left_out
        return sections([say(*self._hidden)]) if any(self._hidden) else []

    def _is_new(self, number: int) -> bool:
        return number in self._by_number and number not in self._sources

    def _blocks(self, number: int) -> list[Block]:
        return parts.source(self._by_number[number], self._links)


def _rows_of(answer: Answer) -> int:
    if answer.changes is not None:
        return len(answer.changes.rules)
    if answer.documents is not None:
        return len(answer.documents.documents)
    return len(answer.comparison.rows) if answer.comparison is not None else 0


def _verdicts(answer: Answer, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Block]:
    """One line for each place and platform, where there are several."""
    if len(answer.verdicts) < 2:
        return []
    entries = [
        f"• {wording.verdict_sign(each.verdict)} {shortened(wording.place_verdict(each, names), _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in answer.verdicts
    ]
    return parts.bullet_list(wording.verdicts_heading(), entries)


def _conditions(verdicts: Sequence[PlaceVerdict], urls: Mapping[int, str]) -> list[Block]:
    """What a restricted thing needs, each once."""
    found = {condition: None for verdict in verdicts for condition in verdict.conditions}
    entries = [
        f"• *{wording.condition_label(each)}:* {shortened(each.text, _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in found
    ]
    return parts.bullet_list(wording.conditions_heading(), entries)
