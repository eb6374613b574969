"""Inline text with its emphasis, and the lines it makes: what Markdown and HTML have in common."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby

from ingest.parsers.encoding import visible
from ingest.parsers.place_lines import names_only_places
from rag_core.layout import collapse

_ENTRY_WORDS = 3
_ENTRY = re.compile(r"(?:[A-Z][\w'’]*|&|and|the|us|in|up|of)(?: (?:[A-Z][\w'’]*|&|and|the|us|in|up|of))*")
_PATH = re.compile(r"[A-Z][^.!?:>›»|]{0,40}(?:\s[>›»|]\s[^.!?:>›»|]{1,40})+")
_MENU = re.compile(
    r"home|menu|help(?: cent(?:er|re))?|about(?: us)?|contact(?: us)?|overview|resources|solutions|support|blog|"
    r"pricing|careers|log ?in|sign (?:in|up)|search",
    re.IGNORECASE,
)
_BUTTON = re.compile(
    r"(?:accept|reject|allow|decline|deny|manage|customi[sz]e)(?: all| only)?(?: (?:necessary|essential))?"
    r"(?: (?:cookies|preferences|settings|choices))?|cookie (?:settings|preferences|policy)|skip to (?:main )?content|"
    r"(?:sign|log) (?:in|out|up)|back to top|share(?: this(?: page)?)?|subscribe|search|menu|close|"
    r"print(?: this page)?|(?:previous|next)(?: page| article)?|was this (?:page |article )?helpful|yes no|learn more|"
    r"read more",
    re.IGNORECASE,
)


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
    beside = [_is_beside(lines, at) for at in range(len(rows))]
    alone = [_stands_alone(lines, rows, at) for at in range(len(rows))]
    result: list[Line] = []
    for _, group in groupby(range(len(rows)), key=lambda at: (alone[at], at if beside[at] else -1)):
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


def _is_beside(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is none of the text around it: a button, a path ("Home > Policies"), a menu's entry."""
    if len(lines) < 2:
        return False
    return _BUTTON.fullmatch(lines[at].text) is not None or at < _furniture_above(lines)


def _furniture_above(lines: Sequence[Line]) -> int:
    """How many lines at the top are the path or the menu of a page. Names alone are none: they may be what a sentence
    lists, and the menu of a page names its home or its help."""
    count = 0
    while count < len(lines) and (_is_entry(lines[count].text) or _PATH.fullmatch(lines[count].text)):
        count += 1
    return count if any(_PATH.fullmatch(line.text) or _MENU.fullmatch(line.text) for line in lines[:count]) else 0


def _is_entry(text: str) -> bool:
    """One of a menu: a few words in title case, which no sentence goes on with."""
    words = text.split()
    return len(words) <= _ENTRY_WORDS and _ENTRY.fullmatch(text) is not None and not names_only_places(text)


def _stands_alone(lines: Sequence[Line], rows: Sequence[Sequence[Run]], at: int) -> bool:
    if not lines[at].bold or lines[at].text.endswith(","):
        return False
    if at and rows[at - 1][-1].breaks is not Break.HARD and not lines[at - 1].bold:
        return False
    following = lines[at + 1].text if at + 1 < len(lines) else ""
    return not re.match(r"[a-z,.;:)]", following)
