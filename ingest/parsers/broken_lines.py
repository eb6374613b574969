"""Words and sentences that the end of a line or page breaks, made whole."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from ingest.parsers.parsed import Piece
from rag_core.layout import BlockKind

_BROKEN = re.compile(r"(\w+)[-‐]$")
_SUSPENDED = re.compile(r"(?:and|or|nor|to|und|oder|et|ou|y|o|e)\b")
"""What follows the hyphen of "short- and long-term loans"."""
_KEEP_HYPHEN = frozenset("non self cross ex well third anti age pre co multi e-mail high low long short".split())
_LINE_END = re.compile(
    r"(?<!\w)(\w{1,60})[-‐]\n(?:[ \t]{0,20}>){0,9}[ \t]{0,40}(?!(?:\d{1,3}|[a-zA-Z])[.)]\s)(?=(\w[\w-]{0,60}))"
)
"""A hyphen and the new line of a text or quotation, but not of a numbered item."""
_PAGE = r"(?:page|seite|página|pagina)\s+\d{1,4}\s*(?:of|von|sur|de|di|van|/)\s*\d{1,4}"
_AROUND = r"[^\w\n]{0,10}"
_FOOTER = re.compile(
    rf"(?:[^.!?\n]{{0,80}}[|–—·•-][ \t]{{0,9}}|{_AROUND}){_PAGE}(?:[ \t]{{0,9}}[|–—·•-][^.!?\n]{{0,80}}|{_AROUND})",
    re.IGNORECASE,
)
_FOOTER_LINE = re.compile(rf"^{_FOOTER.pattern}$", re.IGNORECASE | re.MULTILINE)
_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$")
_TEXT = (BlockKind.PARAGRAPH, BlockKind.ITEM)
_FULL = 60
"""Characters of a text that cannot be a title: without an end it goes on."""


def joined_lines(lines: Sequence[str], known: Collection[str] = ()) -> str:
    """Lines as one text. A word broken at a line's end is made whole.

    `known`: words of the document in lower case; they tell `adver-tising` from `age-restricted`.
    """
    text = ""
    for line in lines:
        text = joined(text, line, known)
    return text


def joined(text: str, line: str, known: Collection[str] = ()) -> str:
    """`text` with the next line after it: see `joined_lines`."""
    broken = _BROKEN.search(text)
    if not text or broken is None or not line[:1].isalnum() or _SUSPENDED.match(line):
        return f"{text} {line}".strip()
    if not line[:1].islower():  # "Anglo-American", "COVID-19"
        return text + line
    first, second = broken[1].lower(), (re.match(r"[\w-]+", line) or [""])[0].lower()
    whole = first + second not in known and (f"{first}-{second}" in known or first in _KEEP_HYPHEN)
    return text + line if whole else text[:-1] + line


def words_made_whole(text: str) -> str:
    """A file's text with the words that its line ends break made whole."""
    if not _LINE_END.search(text):
        return text
    known = set(re.findall(r"\w[\w-]*", text.lower()))

    def whole(match: re.Match[str]) -> str:
        return joined(f"{match[1]}-", match[2], known)[: -len(match[2])]

    return _LINE_END.sub(whole, text)


def footers_apart(text: str) -> str:
    """A file's text with each footer "Page 3 of 9" that stands on a line of its own as a paragraph."""
    return _FOOTER_LINE.sub(r"\n\g<0>\n", text)


def without_footers(pieces: Sequence[Piece]) -> list[Piece]:
    """`pieces` without footers "Page 3 of 9"; the sentence that one of them broke is made whole."""
    found: list[Piece] = []
    broken = False
    for piece in pieces:
        if piece.kind in _TEXT and _FOOTER.fullmatch(piece.text):
            broken = True
            continue
        if broken and found and piece.kind is BlockKind.PARAGRAPH and _goes_on(found[-1], piece):
            found[-1] = replace(found[-1], text=joined(found[-1].text, piece.text))
        else:
            found.append(piece)
        broken = False
    return found


def _goes_on(above: Piece, piece: Piece) -> bool:
    if above.kind not in _TEXT or _ENDS.search(above.text):
        return False
    return piece.text[:1].islower() or above.text.endswith(("-", ",")) or len(above.text) >= _FULL
