"""What people type, as Slack sends it: mentions, channels and addresses in angle brackets, three characters escaped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.addressed import Said

_ANGLED = re.compile(r"<([^<>]{1,3000})>")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+'-]*(?:::skin-tone-\d)?:(?![\w:])", re.IGNORECASE)
_MARKS = (
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"),
    re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])"),
    re.compile(r"```\s*(.*?)\s*```", re.DOTALL),
    re.compile(r"`([^`\n]+)`"),
)
_QUOTED_LINE = re.compile(r"(?m)^(?:&gt;)+[ \t]?")
_STAND_INS = re.compile("[\ue000-\ue002]")
_LEFT_OUT = re.compile("^(?:\\s*\ue002)+[\\s,:;\u2013\u2014-]*|\\s*\ue002\\s*(?=[?.!,;:])")
"""The mention of the bot, with punctuation behind one in front, and spaces before punctuation."""
_SPACES = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_INVISIBLE = re.compile(r"[\u200b\u2060\ufeff]")


def unescaped(text: str) -> str:
    """Slack escapes three characters, and only these, each once."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain_text(text: str) -> str:
    """All of a message as people read it, without formatting: its own mention of anybody as their name."""
    return said_in(text, "").text


def as_written(text: str) -> str:
    """All of it, with its formatting and emoji as they were typed. The address of a link stands beside its label, so
    that whoever reads it sees where it leads."""
    pieces = _pieces(text, "", addresses=True)
    return "".join(unescaped(each.text) if each.raw else each.text for each in pieces).strip()


def said_in(text: str, bot_user: str) -> Said:
    """A message as plain text, with who is called in it; the mention of `bot_user` is left out."""
    pieces = list(_pieces(text, bot_user))
    at = next((number for number, each in enumerate(pieces) if each.calls == "bot"), None)
    return Said(
        text=_joined(pieces),
        before_bot=None if at is None else _worded(_joined(pieces[:at])),
        calls_others=any(each.calls == "other" for each in pieces),
        others_first=any(each.calls == "other" for each in pieces[:at]) if at else _begins_with_other(pieces),
        quotes=bool(_QUOTED_LINE.match(text.lstrip())),
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """`raw` pieces are still formatted and escaped. `calls`: "bot", "other" or nobody."""

    text: str
    raw: bool = False
    calls: str = ""


def _pieces(text: str, bot_user: str, *, addresses: bool = False) -> Iterator[_Piece]:
    done = 0
    for found in _ANGLED.finditer(text):
        yield _Piece(text[done : found.start()], raw=True)
        yield _special(found[1], bot_user, addresses=addresses)
        done = found.end()
    yield _Piece(text[done:], raw=True)


def _special(inside: str, bot_user: str, *, addresses: bool) -> _Piece:
    target, _, label = inside.partition("|")
    label = unescaped(label)
    if target.startswith("@"):
        is_bot = bool(bot_user) and target[1:] == bot_user
        return _Piece("", calls="bot") if is_bot else _Piece(f"@{label.lstrip('@') or 'somebody'}", calls="other")
    if target.startswith("!subteam^") or target in ("!here", "!channel", "!everyone"):
        return _Piece(label or "@group", calls="other")
    if target.startswith("#"):
        named = label or (target[1:] if addresses else "")
        return _Piece(f"#{named}" if named else "")
    # a date comes with what is shown where it cannot be; an address with its label as it was typed
    if target.startswith("!"):
        return _Piece(label)
    address = unescaped(target).removeprefix("mailto:")
    if addresses and label not in ("", address):
        return _Piece(f"{label} ({address})")
    return _Piece(label or address)


def _worded(text: str) -> str:
    """Without what is only half of a formatting."""
    return text if any(each.isalnum() for each in text) else ""


def _begins_with_other(pieces: list[_Piece]) -> bool:
    first = next((each for each in pieces if each.calls or each.text.strip()), None)
    return first is not None and first.calls == "other"


def _joined(pieces: list[_Piece]) -> str:
    # formatting may go around a mention or an address, so it is taken off the whole; what comes out of angle brackets
    # is kept from being read as formatting by standing in for it
    kept: list[str] = []
    whole = ""
    for each in pieces:
        if each.raw:
            whole += _STAND_INS.sub("", each.text)
        elif each.calls == "bot":
            whole += "\ue002"
        else:
            whole += f"\ue000{len(kept)}\ue001"
            kept.append(each.text)
    whole = _QUOTED_LINE.sub("", whole)
    for mark in _MARKS:
        whole = mark.sub(r"\1", whole)
    whole = _INVISIBLE.sub("", _EMOJI.sub("", whole))
    whole = _LEFT_OUT.sub("", whole).replace("\ue002", " ")
    whole = re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], unescaped(whole))
    lines = (_SPACES.sub(" ", line).strip() for line in whole.splitlines())
    return "\n".join(lines).strip()
