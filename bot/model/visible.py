"""Text from documents, people and models without invisible characters that a screen obeys."""

import re

_HIDDEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f"  # control characters, except those that break a line
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    r"\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]"  # surrogates and private use
)
_BULLET, _SIGNS = re.compile(r"\A- "), re.compile(r"\A#{1,6} ")
_RULE = re.compile(r"[|\s:-]*-{3}[|\s:-]*\Z")
_CELLS = re.compile(r"\s*\|\s*")
_LINE_BREAKS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")


def clean(text: str) -> str:
    """`text` without control, bidirectional, private and surrogate characters; every line break as one newline."""
    return _HIDDEN.sub("", _LINE_BREAKS.sub("\n", text)).replace("\t", " ")


def one_line(text: str) -> str:
    """`clean` text with every run of white space as one space."""
    return " ".join(clean(text).split())


def lines(text: str) -> list[str]:
    """The lines of `clean` text that hold something, white space collapsed in each."""
    return [line for line in (" ".join(each.split()) for each in clean(text).split("\n")) if line]


def read_out(text: str) -> str:
    """A passage as documents are stored (`rag_core.layout`), on one line as it is read: bullets for items, dots between
    the cells of a table and strokes between its rows, no rules below headers and no signs of headings."""
    found = (_SIGNS.sub("", _BULLET.sub("• ", each)) for each in lines(text) if not _RULE.match(each))
    read, was_row = "", False
    for each in found:
        row = "|" in each
        read += (" / " if row and was_row else " " if read else "") + _CELLS.sub(" · ", each.strip(" |"))
        was_row = row
    return read


def shorten(text: str, limit: int) -> str:
    """`text` if it has at most `limit` characters, else cut at a word's end, with an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    border = cut.rfind(" ")
    return (cut[:border] if border > limit // 2 else cut).rstrip(" ,;:") + "…"
