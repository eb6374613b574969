"""Text of documents, people and models without what a reader cannot see but a screen obeys."""

import re

_HIDDEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f"  # control characters, except those that break a line
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    r"\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]"  # surrogates and private use
)
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


def shorten(text: str, limit: int) -> str:
    """`text` if it has at most `limit` characters, else cut at a word's end, with an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    border = cut.rfind(" ")
    return (cut[:border] if border > limit // 2 else cut).rstrip(" ,;:") + "…"
