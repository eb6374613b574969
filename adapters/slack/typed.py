"""What people type, as Slack sends it: mentions, channels and addresses in angle brackets, three characters escaped."""

import re
from collections.abc import Iterator

from bot.questions.addressing import CODE, Piece, Said, said

_ANGLED = re.compile(r"<([^<>]{1,3000})>")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+'-]*(?:::skin-tone-\d)?:(?![\w:])", re.IGNORECASE)
_MARKS = (
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"),
    re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])"),
    CODE,
    re.compile(r"`([^`\n]+)`"),
)
_QUOTED_LINE = re.compile(r"(?m)^(?:&gt;)+[ \t]?")


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
    return said(list(_pieces(text, bot_user)), _unformatted, quotes=bool(_QUOTED_LINE.match(text.lstrip())))


def _pieces(text: str, bot_user: str, *, addresses: bool = False) -> Iterator[Piece]:
    done = 0
    for found in _ANGLED.finditer(text):
        yield Piece(text[done : found.start()], raw=True)
        yield _special(found[1], bot_user, addresses=addresses)
        done = found.end()
    yield Piece(text[done:], raw=True)


def _special(inside: str, bot_user: str, *, addresses: bool) -> Piece:
    target, _, label = inside.partition("|")
    label = unescaped(label)
    if target.startswith("@"):
        is_bot = bool(bot_user) and target[1:] == bot_user
        return Piece("", calls="bot") if is_bot else Piece(f"@{label.lstrip('@') or 'somebody'}", calls="other")
    if target.startswith("!subteam^") or target in ("!here", "!channel", "!everyone"):
        return Piece(label or "@group", calls="other")
    if target.startswith("#"):
        named = label or (target[1:] if addresses else "")
        return Piece(f"#{named}" if named else "")
    # a date comes with what is shown where it cannot be; an address with its label as it was typed
    if target.startswith("!"):
        return Piece(label)
    address = unescaped(target).removeprefix("mailto:")
    if addresses and label not in ("", address):
        return Piece(f"{label} ({address})")
    return Piece(label or address)


def _unformatted(text: str) -> str:
    text = _QUOTED_LINE.sub("", text)
    for mark in _MARKS:
        text = mark.sub(r"\1", text)
    return unescaped(_EMOJI.sub("", text))
