"""Lists that a page makes of line breaks: "• beer<br>• wine"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.parsers.runs import Break, Run
from rag_core.layout import list_marker

_MARK = re.compile(r"\s*(?:[•·▪◦●○■–—*-]\s+|•|\(?(\d{1,2}|[a-z])[.)]\s+)(?=\S)")
_SIGN = re.compile(r"\s*[•▪◦●○■]\s*(?=\S)")
"""What Markdown takes for a letter, although people begin an item with it."""
_LEAST = 2
"""One line with a dash before it is no list."""


def marked_rows(runs: Sequence[Run], *, in_file: bool = False) -> list[tuple[str, list[Run]]]:
    """`runs` parted: (marker of the item, its words), or ("", words) for all that is no item of such a list.

    `in_file`: the lines of the file count, but only signs that are no Markdown begin an item.
    """
    rows: list[list[Run]] = [[]]
    for run in runs:
        rows[-1].append(run)
        if run.breaks is Break.HARD or (in_file and run.breaks is Break.SOFT):
            rows.append([])
    marks = [(_SIGN if in_file else _MARK).match("".join(run.text for run in row)) for row in rows]
    if sum(mark is not None for mark in marks) < _LEAST:
        return [("", list(runs))]
    found: list[tuple[str, list[Run]]] = []
    for row, mark in zip(rows, marks, strict=True):
        if mark is not None:
            number = mark[0].strip() if mark.re is _MARK and mark[1] else "-"
            found.append((list_marker(number), _without(row, mark.end())))
        elif found and not found[-1][0]:
            found[-1][1].extend(row)
        else:
            found.append(("", row))
    return found


def _without(row: Sequence[Run], letters: int) -> list[Run]:
    """`row` without its first letters."""
    found: list[Run] = []
    for run in row:
        cut = min(letters, len(run.text))
        letters -= cut
        found.append(replace(run, text=run.text[cut:]))
    return found
