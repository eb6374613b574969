"""What people type, as Teams sends it: mentions in `<at>` spans that entities explain, HTML entities, quotations."""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.teams.activities import Json, TeamsActivity
from bot.addressed import Said

_AT = re.compile(r"<at\b[^<>]{0,200}>(.{0,500}?)</at>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|blockquote|tr)>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_QUOTE = re.compile(r"<blockquote\b[^<>]{0,500}>(?P<inside>.{0,20000}?)</blockquote>", re.IGNORECASE | re.DOTALL)
_QUOTED_LINE = re.compile(r"(?m)^(?:>|&gt;)+[ \t]?")
_MARKS = (
    re.compile(r"(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])"),
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<![\w_])__?(?=\S)([^_\n]+?)(?<=\S)__?(?![\w_])"),
    re.compile(r"~~(?=\S)([^~\n]+?)(?<=\S)~~"),
    re.compile(r"```\s*(.*?)\s*```", re.DOTALL),
    re.compile(r"`([^`\n]+)`"),
    re.compile(r"(?m)^#{1,6}[ \t]+(.*)$"),
    re.compile(r"\[([^\[\]\n]{1,500})\]\([^()\s]{1,2000}\)"),
)
_STAND_INS = re.compile("[\ue000-\ue002]")
_LEFT_OUT = re.compile("^(?:\\s*\ue002)+[\\s,:;\u2013\u2014-]*|\\s*\ue002\\s*(?=[?.!,;:])")
"""The mention of the bot, with punctuation behind one in front, and spaces before punctuation."""
_SPACES = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_INVISIBLE = re.compile(r"[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Marks of direction among them: they come with what is typed from right to left, and stand before and behind names."""

_HTML = "text/html"
_REFERENCE = "messageReference"
_NOT_FILES = (_HTML, "text/plain", _REFERENCE)
_MARKED_UP = ("xml", "html")


def said_to(activity: TeamsActivity) -> Said:
    """A message as plain text, with who is called in it; the mention of the bot is left out, that of others is their
    name, and what it quotes is not said by it."""
    quoted = _quoted(activity.attachments)
    text = _without(activity.text, quoted)
    pieces = list(_pieces(text, activity.entities, activity.bot))
    return _said(pieces, activity, quotes=bool(quoted) or bool(_QUOTED_LINE.match(text.lstrip())))


def files_in(activity: TeamsActivity) -> tuple[str, ...]:
    """Names of what is attached and not read: files, pictures, cards. "" for what has no name."""
    return tuple(
        str(each.get("name") or "")[:200]
        for each in activity.attachments
        if isinstance(each.get("contentType"), str) and each["contentType"] not in _NOT_FILES
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """`raw` pieces are still formatted and escaped. `calls`: "bot", "other" or nobody."""

    text: str
    raw: bool = False
    calls: str = ""


def _said(pieces: Sequence[_Piece], activity: TeamsActivity, *, quotes: bool) -> Said:
    format_ = str(activity.raw.get("textFormat") or "plain").lower()
    at = next((number for number, each in enumerate(pieces) if each.calls == "bot"), None)
    before = None if at is None else _worded(_joined(pieces[:at], format_))
    if at is None and _mentions(activity.entities, activity.bot):
        before = ""  # mentioned, and nobody can tell where
    return Said(
        text=_joined(pieces, format_),
        before_bot=before,
        calls_others=any(each.calls == "other" for each in pieces),
        others_first=any(each.calls == "other" for each in pieces[:at]) if at else _begins_with_other(pieces),
        quotes=quotes,
    )


def _mentions(entities: Sequence[Json], bot: str) -> bool:
    return any(_is_bot(each, bot) for each in entities if each.get("type") == "mention")


def _is_bot(entity: Json, bot: str) -> bool:
    mentioned = entity.get("mentioned")
    id_ = mentioned.get("id") if isinstance(mentioned, Mapping) else None
    return isinstance(id_, str) and bool(bot) and id_.lower() == bot.lower()


def _pieces(text: str, entities: Sequence[Json], bot: str) -> Iterator[_Piece]:
    """Each `<at>` span belongs to the entity with the same text, of several to one after the other; the name alone
    counts where no entity has the very text."""
    left = [each for each in entities if each.get("type") == "mention"]
    done = 0
    for found in _AT.finditer(text):
        yield _Piece(text[done : found.start()], raw=True)
        done = found.end()
        entity = _entity_of(found, left)
        if entity is not None and len([each for each in left if each.get("text") == entity.get("text")]) > 1:
            left.remove(entity)  # the last one stands for all that follow
        is_bot = entity is not None and _is_bot(entity, bot)
        yield _Piece("", calls="bot") if is_bot else _Piece(f"@{_name(found[1]) or 'somebody'}", calls="other")
    yield _Piece(text[done:], raw=True)


def _entity_of(span: re.Match[str], entities: Sequence[Json]) -> Json | None:
    exact = next((each for each in entities if each.get("text") == span[0]), None)
    if exact is not None:
        return exact
    return next((each for each in entities if _entity_name(each) == _name(span[1])), None)


def _entity_name(entity: Json) -> str:
    text = entity.get("text")
    found = _AT.search(text) if isinstance(text, str) else None
    return _name(found[1]) if found else ""


def _name(inside: str) -> str:
    return " ".join(_INVISIBLE.sub("", html.unescape(_TAG.sub("", inside))).split()).lstrip("@")


def _worded(text: str) -> str:
    """Without what is only half of a formatting."""
    return text if any(each.isalnum() for each in text) else ""


def _begins_with_other(pieces: Sequence[_Piece]) -> bool:
    first = next((each for each in pieces if each.calls or _INVISIBLE.sub("", each.text).strip()), None)
    return first is not None and first.calls == "other"


def _joined(pieces: Sequence[_Piece], format_: str) -> str:
    # formatting may go around a mention, so it is taken off the whole; a name is kept from being read as formatting by
    # standing in for it
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
    whole = _unformatted(whole, format_)
    whole = _LEFT_OUT.sub("", whole).replace("\ue002", " ")
    whole = re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], whole)
    lines = (_SPACES.sub(" ", line).strip() for line in whole.splitlines())
    return "\n".join(lines).strip()


def _unformatted(text: str, format_: str) -> str:
    """Entities are replaced once: what was typed as `&amp;` stays that."""
    text = _QUOTED_LINE.sub("", text)
    if format_ in _MARKED_UP:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if format_ == "markdown":
        for mark in _MARKS:
            text = mark.sub(r"\1", text)
    return _INVISIBLE.sub("", html.unescape(text))


def _quoted(attachments: Sequence[Json]) -> tuple[str, ...]:
    """What somebody else wrote and the message answers to, as plain text; "" of a quotation without words."""
    found = [_plain(each["inside"]) for text in _contents(attachments, _HTML) for each in _QUOTE.finditer(text)]
    return (*found, *(_preview(text) for text in _contents(attachments, _REFERENCE)))


def _contents(attachments: Sequence[Json], kind: str) -> list[Any]:
    found = [each.get("content") for each in attachments if each.get("contentType") == kind]
    return [each for each in found if each is not None and (kind == _REFERENCE or isinstance(each, str))]


def _preview(content: object) -> str:
    """Of a reference to a message; it comes as JSON in a text."""
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return ""
    preview = content.get("messagePreview") if isinstance(content, Mapping) else None
    return _plain(preview) if isinstance(preview, str) else ""


def _plain(marked_up: str) -> str:
    return _INVISIBLE.sub("", html.unescape(_TAG.sub(" ", marked_up)))


def _without(text: str, quoted: Sequence[str]) -> str:
    """The text without a quotation that it begins with, however that is spaced."""
    for each in quoted:
        words = each.split()
        if not words:
            continue
        apart = r"(?:\s|&nbsp;|&#160;|>|&gt;)*"
        begins = apart + apart.join(_as_typed(word) for word in words)
        if found := re.match(begins, text):
            return text[found.end() :]
    return text


def _as_typed(word: str) -> str:
    """A pattern for a word whose signs may be escaped."""
    return re.escape(word) if word == html.escape(word) else f"(?:{re.escape(word)}|{re.escape(html.escape(word))})"
