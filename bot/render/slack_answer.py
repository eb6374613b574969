"""An answer as blocks: what matters most is placed first, whole statements and sources are left out when room ends."""

from collections.abc import Mapping, Sequence

from bot import wording
from bot.links import Links
from bot.render import slack_parts as parts
from bot.render.blocks import MESSAGE_BLOCKS, Block, Room, divider, header, sections
from bot.render.mrkdwn import shortened
from bot.render.slack_tables import answer_tables
from rag_core.answers import Answer, PlaceVerdict

_CONDITION = 200
_LEFT_OUT = 300
"""Characters kept for the line that says what was left out."""


def answer_blocks(question_text: str, answer: Answer, links: Links, characters: int) -> list[Block]:
    """The answer in at most `characters` characters of JSON and as many blocks as a message takes."""
    urls = {each.number: links.citation(each) for each in answer.citations}
    room = Room(characters - _LEFT_OUT, MESSAGE_BLOCKS - 1)
    title = header(f"{wording.verdict_sign(answer.verdict)} {wording.headline(answer)}")
    top = room.first([title, *parts.question(question_text, answer.rewritten_question)], [title])
    scope = room.first([parts.scope(answer.scope, links.source_names)])
    gap = room.first([*parts.approved(answer), *parts.not_stated(answer)])
    notes = room.first(parts.notes(answer))
    told = _Told(answer, links)
    tables = answer_tables(room, answer, links, urls, lambda row, numbers: told.take(room, row, numbers))
    plain = () if answer.comparison else (urls, {})
    verdicts = room.first(*(_verdicts(answer, links.source_names, each) for each in plain))
    rule = room.first([divider()])
    told.tell(room, urls, most=1)
    conditions = room.first(*(_conditions(answer.verdicts, each) for each in plain))
    told.tell(room, urls, most=len(answer.loose_statements))
    told.add_sources(room, [each.number for each in answer.citations])
    choices = parts.choices(room, answer.choices, links.source_names, wording.choices_heading())
    body = [*top[:1], *gap, *top[1:], *scope, *tables, *verdicts, *told.statements, *conditions, *notes]
    return [*body, *rule, *told.sources(), *told.left_out(), *choices]


class _Told:
    """The statements told so far, in order, and the sources they need: a statement is told with its sources."""

    def __init__(self, answer: Answer, links: Links) -> None:
        self._answer = answer
        self._links = links
        self._by_number = {each.number: each for each in answer.citations}
        self._count = 0
        self._full = False
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

    def add_sources(self, room: Room, numbers: Sequence[int]) -> None:
        """Lists the sources that no told statement needs, as long as there is room."""
        for number in numbers:
            if self._is_new(number) and room.take(found := self._blocks(number)):
                self._sources[number] = found

    def sources(self) -> list[Block]:
        """The source list, by number."""
        return [block for number in sorted(self._sources) for block in self._sources[number]]

    def left_out(self) -> list[Block]:
        """The line that says what had no room."""
        statements = len(self._answer.loose_statements) - self._count
        sources = len(self._by_number) - len(self._sources)
        return sections([wording.left_out(statements, sources)]) if statements or sources else []

    def _is_new(self, number: int) -> bool:
        return number in self._by_number and number not in self._sources

    def _blocks(self, number: int) -> list[Block]:
        return parts.source(self._by_number[number], self._links)


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
