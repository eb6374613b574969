"""Inline text with its emphasis, and the lines it makes: what Markdown and HTML have in common."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby

from ingest.parsers.encoding import visible
from ingest.parsers.place_lines import names_only_places
from rag_core.layout import collapse


class Break(Enum):
    """SOFT: the file begins a new line where a page would not. HARD: the page begins one."""

    NONE = auto()
    SOFT = auto()
    HARD = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of inline text. `target`: the fragment of the in-page link that it stands in."""

    text: str
    strong: bool = False
    target: str | None = None
    breaks: Break = Break.NONE


@dataclass(frozen=True, slots=True)
class Line:
    """Inline text as one line; the fields are those of `parsed.Piece`."""

    text: str
    bold: bool = False
    glued: str = ""
    target: str | None = None


def raised(text: str) -> str:
    """Superscript text as plain text: the mark of a note must not become part of a number ("18²" is not 182)."""
    return f"[{text.strip()}]" if re.fullmatch(r"\s*\d{1,3}\s*", text) else text


def line_of(runs: Sequence[Run]) -> Line:
    """All of `runs` as one line."""
    seen = [Run(visible(run.text), run.strong, run.target) for run in runs]
    text = collapse("".join(run.text for run in seen))
    words = [run for run in seen if run.text.strip()]
    bold = bool(words) and all(run.strong for run in words)
    targets = {run.target for run in words}
    return Line(text, bold, "" if bold else _glued(words), targets.pop() if len(targets) == 1 else None)


def _glued(words: Sequence[Run]) -> str:
    """The emphasised words at the end, if nothing separates them from what stands before."""
    last = len(words)
    while last and words[last - 1].strong:
        last -= 1
    end = "".join(run.text for run in words[last:])
    if not last or not end or end[0].isspace() or words[last - 1].text[-1].isspace():
        return ""
    return collapse(end)


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """`runs` as lines: a bold line that stands alone is taken from the lines around it, all others are one.

    A place's label within a paragraph (`... is needed. **Mexico:** ...`) begins a line as well.
    """
    return [line for part in _at_place_labels(runs) for line in _part_lines(part)]


def _at_place_labels(runs: Sequence[Run]) -> list[list[Run]]:
    parts: list[list[Run]] = [[]]
    before = ""
    for at, run in enumerate(runs):
        following = runs[at + 1].text if at + 1 < len(runs) else ""
        label, colon, _ = (run.text + following).partition(":")
        begins = before.rstrip().endswith((".", ";", "!", "?", ")")) and before[-1:].isspace()
        if run.strong and colon and begins and label.strip() == run.text.strip(" :") and names_only_places(label):
            parts.append([])
        parts[-1].append(run)
        before += run.text
    return parts


def _part_lines(runs: Sequence[Run]) -> list[Line]:
    rows = _rows(runs)
    lines = [line_of(row) for row in rows]
    alone = [_stands_alone(lines, rows, at) for at in range(len(rows))]
    result: list[Line] = []
    for _, group in groupby(range(len(rows)), key=lambda at: alone[at]):
        result.append(line_of([run for at in group for run in rows[at]]))
    return [line for line in result if line.text]


def _rows(runs: Iterable[Run]) -> list[list[Run]]:
    """Cut at line breaks, each break at the end of the row before it; not inside emphasis."""
    rows: list[list[Run]] = [[]]
    for run in runs:
        rows[-1].append(run)
        if run.breaks is not Break.NONE and not run.strong:
            rows.append([])
    return [row for row in rows if row]


def _stands_alone(lines: Sequence[Line], rows: Sequence[Sequence[Run]], at: int) -> bool:
    if not lines[at].bold or lines[at].text.endswith(","):
        return False
    if at and rows[at - 1][-1].breaks is not Break.HARD and not lines[at - 1].bold:
        return False
    following = lines[at + 1].text if at + 1 < len(lines) else ""
    return not re.match(r"[a-z,.;:)]", following)
