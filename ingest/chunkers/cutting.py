"""Lines to atoms: a line that is too long is taken apart at sentence ends, else at clauses, else at words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.chunkers.atoms import Atom, Line
from ingest.chunkers.drafts import TokenCounter
from ingest.chunkers.lead_ins import Placed, lead_in, lead_start, placed
from ingest.chunkers.parts import clause_spans, word_spans
from rag_core.layout import BlockKind, sentence_spans

Splitter = Callable[[str], Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Cutter:
    """The lines of one section of `text`, with the tokenizer that sizes are measured in.

    `above`: by the index of a line, verbatim text that must be read before it, whatever leads into it besides.
    """

    text: str
    lines: Sequence[Line]
    count: TokenCounter
    most_lead_in: int
    above: Mapping[int, str] = field(default_factory=dict)
    where: Placed = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", placed(self.lines))

    def tokens(self, text: str) -> int:
        """The tokens of `text` without those that frame every text."""
        return self.count(text) - self.count("") if text else 0

    def lead_in(self, first: Atom) -> str:
        """What a chunk that begins with `first` must carry before its text."""
        above = self.above.get(first.block, "")
        if not first.opens and self.lines[first.block].block.kind is BlockKind.PARAGRAPH:
            return above
        room = self.most_lead_in - (self.count(above) if above else 0)
        own = lead_in(self.text, self.lines, self.where, first.block, room, self.count)
        return "\n".join(part for part in (above, own) if part)

    def whole(self, run: Sequence[int]) -> list[Atom]:
        """The lines with these indices, as they are."""
        return [self._atom(at, self.lines[at].start, self.lines[at].end, self.lines[at].joined) for at in run]

    def parts(self, atom: Atom, room: int) -> list[Atom]:
        """A line in atoms of at most `room` tokens; what leads into the list after it is an atom of its own."""
        line, cut = self.lines[atom.block], atom.start
        if atom.joined and line.block.kind is BlockKind.PARAGRAPH:
            cut = lead_start(self.text, line, self.count)
        spans = [*self._fitting(atom.start, cut, room), *self._fitting(cut, atom.end, room)]
        return self._atoms(atom, spans)

    def sentences(self, atom: Atom, room: int) -> list[Atom]:
        """A line in its sentences; one of more than `room` tokens is taken apart further."""
        spans = [
            part
            for start, end in sentence_spans(self.text[atom.start : atom.end])
            for part in self._fitting(atom.start + start, atom.start + end, room)
        ]
        return self._atoms(atom, spans)

    def words(self, atom: Atom, room: int) -> list[Atom]:
        """A line in its words."""
        spans = [
            part
            for start, end in word_spans(self.text[atom.start : atom.end])
            for part in self._fitting(atom.start + start, atom.start + end, room)
        ]
        return self._atoms(atom, spans)

    def _atoms(self, whole: Atom, spans: Sequence[tuple[int, int]]) -> list[Atom]:
        last = len(spans) - 1
        return [self._atom(whole.block, *span, whole.joined and at == last) for at, span in enumerate(spans)]

    def _atom(self, at: int, start: int, end: int, joined: bool) -> Atom:
        line = self.lines[at]
        return Atom(start, end, self.tokens(self.text[start:end]), at, start == line.start, joined, line.scope)

    def _fitting(self, start: int, end: int, room: int) -> list[tuple[int, int]]:
        end = start + len(self.text[start:end].rstrip())
        spans = [(start, end)] if end > start else []
        for split in (sentence_spans, clause_spans, word_spans):
            spans = [part for span in spans for part in self._apart(span, room, split)]
        return spans

    def _apart(self, span: tuple[int, int], room: int, split: Splitter) -> list[tuple[int, int]]:
        start, end = span
        total = self.tokens(self.text[start:end])
        if total <= room:
            return [span]
        aim = min(room, total // -(-total // room) + 20)
        parts: list[tuple[int, int]] = []
        for left, right in split(self.text[start:end]):
            if parts and self.tokens(self.text[parts[-1][0] : start + right]) <= aim:
                parts[-1] = (parts[-1][0], start + right)
            else:
                parts.append((start + left, start + right))
        return parts
