"""What somebody typed on a chat platform, in pieces: text that is still formatted, and who is called in it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.addressed import Said

_BEGIN, _END, _BOT = "\ue000", "\ue001", "\ue002"
_STAND_INS = re.compile(f"[{_BEGIN}-{_BOT}]")
_STAND_IN = re.compile(f"{_BEGIN}([0-9]{{1,6}}){_END}")
_LEFT_OUT = re.compile(f"^(?:\\s*{_BOT})+[\\s,:;\u2013\u2014-]*|(?<!\\s)\\s*+{_BOT}\\s*(?=[?.!,;:])")
"""The mention of the bot, with punctuation behind one in front, and spaces before punctuation."""
_SPACES = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_INVISIBLE = re.compile(r"[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Marks of direction among them: they come with what is typed from right to left, and stand before and behind names."""
CODE = re.compile(r"```(.*?)```", re.DOTALL)
"""Spaces inside the marks are no part of it: where nothing closes them, they would be gone through in every way."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`raw` pieces are still formatted and escaped. `calls`: "bot", "other" or nobody."""

    text: str
    raw: bool = False
    calls: str = ""


def without_invisible(text: str) -> str:
    return _INVISIBLE.sub("", text)


def said(pieces: Sequence[Piece], plain: Callable[[str], str], *, quotes: bool) -> Said:
    """The mention of the bot is left out. `plain`: a text without formatting and escaping."""
    at = next((number for number, each in enumerate(pieces) if each.calls == "bot"), None)
    return Said(
        text=joined(pieces, plain),
        before_bot=None if at is None else _before(pieces[:at], plain),
        calls_others=any(each.calls == "other" for each in pieces),
        others_first=any(each.calls == "other" for each in pieces[:at]) if at else _begins_with_other(pieces),
        quotes=quotes,
    )


def joined(pieces: Sequence[Piece], plain: Callable[[str], str]) -> str:
    # formatting may go around a mention, so it is taken off the whole; what is no raw text is kept from being read as
    # formatting by standing in for it
    kept: list[str] = []
    whole = ""
    for each in pieces:
        if each.raw:
            whole += _STAND_INS.sub("", each.text)
        elif each.calls == "bot":
            whole += _BOT
        else:
            whole += f"{_BEGIN}{len(kept)}{_END}"
            kept.append(each.text)
    whole = _LEFT_OUT.sub("", without_invisible(plain(whole))).replace(_BOT, " ")
    # an escaped character may have become what looks like a stand-in, and stands for nothing
    whole = _STAND_IN.sub(lambda found: "".join(kept[int(found[1]) :][:1]), whole)
    lines = (_SPACES.sub(" ", line).strip() for line in _STAND_INS.sub("", whole).splitlines())
    return "\n".join(lines).strip()


def _before(pieces: Sequence[Piece], plain: Callable[[str], str]) -> str:
    """With the break of a line at its end, which `joined` takes away; nothing for what is only half of a formatting."""
    behind = "x"
    text = joined([*pieces, Piece(behind, calls="other")], plain).removesuffix(behind)
    worded = max((at for at, each in enumerate(text, 1) if each.isalnum()), default=0)
    return f"{text[:worded]}\n" if worded and "\n" in text[worded:] else text.rstrip() if worded else ""


def _begins_with_other(pieces: Sequence[Piece]) -> bool:
    first = next((each for each in pieces if each.calls or without_invisible(each.text).strip()), None)
    return first is not None and first.calls == "other"
