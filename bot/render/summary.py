"""A shortened answer: the same choice of statements and sources on every chat platform."""

from collections.abc import Callable, Iterable, Sequence

from bot.render.blocks import Block, Room
from rag_core.answers import Answer, Citation, Condition, PlaceVerdict, Statement


class Told:
    """The statements told so far, in order, and the sources they need: a statement is told with its sources."""

    def __init__(
        self,
        answer: Answer,
        statement: Callable[[Statement], list[Block]],
        source: Callable[[Citation], list[Block]],
    ) -> None:
        self._answer = answer
        self._statement = statement
        self._source = source
        self._by_number = {each.number: each for each in answer.citations}
        self._count = 0
        self._full = False
        self._rows = 0
        self._sources: dict[int, list[Block]] = {}
        self.statements: list[Block] = []

    def tell(self, room: Room, most: int) -> None:
        """Tells statements until `most` are told or one does not fit."""
        while not self._full and self._count < min(most, len(self._answer.loose_statements)):
            statement = self._answer.loose_statements[self._count]
            said = self._statement(statement)
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
        return any(self.hidden) or self._rows < _rows_of(self._answer)

    @property
    def hidden(self) -> tuple[int, int]:
        """How many statements and sources had no room."""
        return len(self._answer.loose_statements) - self._count, len(self._by_number) - len(self._sources)

    def add_sources(self, room: Room, numbers: Iterable[int]) -> None:
        """Lists the sources that no told statement needs, as long as there is room."""
        for number in numbers:
            if self._is_new(number) and room.take(found := self._blocks(number)):
                self._sources[number] = found

    def sources(self) -> list[Block]:
        """The source list, by number."""
        return [block for number in sorted(self._sources) for block in self._sources[number]]

    def _is_new(self, number: int) -> bool:
        return number in self._by_number and number not in self._sources

    def _blocks(self, number: int) -> list[Block]:
        return self._source(self._by_number[number])


def conditions_once(verdicts: Sequence[PlaceVerdict]) -> list[Condition]:
    """What a restricted thing needs, each once."""
    return list({condition: None for verdict in verdicts for condition in verdict.conditions})


def _rows_of(answer: Answer) -> int:
    if answer.changes is not None:
        return len(answer.changes.rules)
    if answer.documents is not None:
        return len(answer.documents.documents)
    return len(answer.comparison.rows) if answer.comparison is not None else 0
