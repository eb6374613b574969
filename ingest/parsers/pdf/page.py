"""What is on a page of a PDF: words and tables by position. Lengths are points; `y` grows downwards from the top."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Box = tuple[float, float, float, float]
"""x0, top, x1, bottom."""


@dataclass(frozen=True, slots=True)
class Word:
    """`base`: the y of its baseline. `size`: of its font, as it appears on the page."""

    text: str
    x0: float
    x1: float
    base: float
    size: float
    bold: bool = False

    @property
    def top(self) -> float:
        return self.base - 0.8 * self.size

    @property
    def bottom(self) -> float:
        return self.base + 0.2 * self.size


@dataclass(frozen=True, slots=True)
class Segment:
    """Words side by side, without a wide gap between them."""

    words: tuple[Word, ...]
    top: float = field(init=False)
    bottom: float = field(init=False)

    def __post_init__(self) -> None:
        # Once: the order of reading asks for them hundreds of thousands of times.
        object.__setattr__(self, "top", min(word.top for word in self.words))
        object.__setattr__(self, "bottom", max(word.bottom for word in self.words))

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return self.words[-1].x1


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table: its rows of cells, all of one length. `header`: the first row is set apart as one by its type."""

    box: Box
    rows: tuple[tuple[str, ...], ...]
    header: bool = False

    @property
    def x0(self) -> float:
        return self.box[0]

    @property
    def x1(self) -> float:
        return self.box[2]

    @property
    def top(self) -> float:
        return self.box[1]

    @property
    def bottom(self) -> float:
        return self.box[3]


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of one column. `left` and `right`: where that column begins and ends."""

    segments: tuple[Segment, ...]
    left: float
    right: float

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for segment in self.segments for word in segment.words)

    @property
    def text(self) -> str:
        return " ".join(segment.text for segment in self.segments)

    @property
    def x0(self) -> float:
        return self.segments[0].x0

    @property
    def x1(self) -> float:
        return self.segments[-1].x1

    @property
    def base(self) -> float:
        return max(self.words, key=lambda word: word.size).base

    @property
    def size(self) -> float:
        """The size that most of its letters have."""
        letters: dict[float, int] = {}
        for word in self.words:
            size = round(word.size * 2) / 2
            letters[size] = letters.get(size, 0) + len(word.text)
        return max(letters, key=lambda size: letters[size])

    @property
    def bold(self) -> bool:
        return all(word.bold for word in self.words if any(map(str.isalnum, word.text)))


@dataclass(frozen=True, slots=True)
class LaidPage:
    """A page as laid out. `number` counts from 1; `has_image`: something is drawn that may hold writing.

    `turned`: how many words run in another direction than the others; `notes`: how many comments, form fields and
    attached files the page shows. Neither are read.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    edges: tuple[Box, ...] = ()
    has_image: bool = False
    turned: int = 0
    notes: int = 0


class PageReader(Protocol):
    """Reads the writing in the picture of a page: a program or a service for scanned documents."""

    def read(self, png: bytes, scale: float) -> Sequence[Word]:
        """The words, in points; `scale`: pixels a point.

        Raises Unavailable if it does not answer, Rejected if it never can.
        """
        ...


class PageLayout(Protocol):
    """Takes a PDF apart."""

    def pages(self, content: bytes) -> Iterator[LaidPage]:
        """The pages in order, one in memory at a time.

        Raises Rejected: "pdf_encrypted", "pdf_damaged", "pdf_no_pages", "pdf_too_many_pages".
        """
        ...

    def picture(self, content: bytes, number: int) -> tuple[bytes, float]:
        """Page `number` as PNG, and how many pixels a point has."""
        ...

    def facts(self, content: bytes) -> dict[str, str]:
        """What the file says about itself: "Title", "Author", "CreationDate" ..."""
        ...


_WIDE_GAP = 1.1
"""Times the type size: wider gaps part columns or cells."""


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """`words` by line, each from left to right. Raised and lowered marks stay in the line that they stand in."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda each: (each.base, each.x0)):
        if rows and _same_line(rows[-1], word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda each: each.x0) for row in rows]


def _same_line(row: Sequence[Word], word: Word) -> bool:
    largest = max(row, key=lambda each: each.size)
    apart = abs(word.base - largest.base)
    small = min(word.size, largest.size) < 0.92 * max(word.size, largest.size)
    return apart <= (0.5 if small else 0.3) * max(word.size, largest.size)


def segments_of(row: Sequence[Word]) -> list[Segment]:
    """A row cut at its wide gaps."""
    parts: list[list[Word]] = []
    for word in row:
        before = parts[-1][-1] if parts else None
        if before is not None and word.x0 - before.x1 <= _WIDE_GAP * max(before.size, word.size):
            parts[-1].append(word)
        else:
            parts.append([word])
    return [Segment(tuple(part)) for part in parts]
