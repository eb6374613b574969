"""What people type, as Teams sends it: mentions in `<at>` spans that entities explain, HTML entities, quotations."""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from adapters.teams.activities import Json, TeamsActivity
from bot.questions.addressing import CODE, Piece, Said, said, without_invisible

_AT = re.compile(r"<at\b[^<>]{0,200}>(.{0,500}?)</at>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|blockquote|tr)>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_QUOTE_BEGINS = re.compile(r"<blockquote\b[^<>]{0,500}>", re.IGNORECASE)
_QUOTE_ENDS = re.compile(r"</blockquote>", re.IGNORECASE)
_APART = re.compile(r"(?:\s|&nbsp;|&#160;|>|&gt;)*+")
"""What stands between the words of a quotation, and no part of them."""
_QUOTED_LINE = re.compile(r"(?m)^(?:>|&gt;)+[ \t]?")
_MARKS = (
    re.compile(r"(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])"),
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<![\w_])__?(?=\S)([^_\n]+?)(?<=\S)__?(?![\w_])"),
    re.compile(r"~~(?=\S)([^~\n]+?)(?<=\S)~~"),
    CODE,
    re.compile(r"`([^`\n]+)`"),
    re.compile(r"(?m)^#{1,6}[ \t]+(.*)$"),
    re.compile(r"\[([^\[\]\n]{1,500})\]\([^()\s]{1,2000}\)"),
)

_MOST_MENTIONS = 200
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


def _said(pieces: Sequence[Piece], activity: TeamsActivity, *, quotes: bool) -> Said:
    format_ = str(activity.raw.get("textFormat") or "plain").lower()
    found = said(pieces, partial(_unformatted, format_=format_), quotes=quotes)
    if not found.mentions_bot and _mentions(activity.entities, activity.bot):
        return replace(found, before_bot="")  # mentioned, and nobody can tell where
    return found


def _mentions(entities: Sequence[Json], bot: str) -> bool:
    return any(_is_bot(each, bot) for each in entities if each.get("type") == "mention")


def _is_bot(entity: Json, bot: str) -> bool:
    mentioned = entity.get("mentioned")
    id_ = mentioned.get("id") if isinstance(mentioned, Mapping) else None
    return isinstance(id_, str) and bool(bot) and id_.lower() == bot.lower()


def _pieces(text: str, entities: Sequence[Json], bot: str) -> Iterator[Piece]:
    """Each `<at>` span belongs to the entity with the same text, of several to one after the other; the name alone
    counts where no entity has the very text."""
    mentions = [each for each in entities if each.get("type") == "mention"]
    left = [(each, _entity_name(each)) for each in mentions[:_MOST_MENTIONS]]
    done = 0
    for found in _AT.finditer(text):
        yield Piece(text[done : found.start()], raw=True)
        done = found.end()
        chosen = _entity_of(found, left)
        if chosen is not None and len([each for each, _ in left if each.get("text") == chosen[0].get("text")]) > 1:
            left.remove(chosen)  # the last one stands for all that follow
        is_bot = chosen is not None and _is_bot(chosen[0], bot)
        yield Piece("", calls="bot") if is_bot else Piece(f"@{_name(found[1]) or 'somebody'}", calls="other")
    yield Piece(text[done:], raw=True)


def _entity_of(span: re.Match[str], entities: Sequence[tuple[Json, str]]) -> tuple[Json, str] | None:
    """`entities`: each with its name."""
    exact = next((each for each in entities if each[0].get("text") == span[0]), None)
    if exact is not None:
        return exact
    name = _name(span[1])
    return next((each for each in entities if each[1] == name), None)


def _entity_name(entity: Json) -> str:
    text = entity.get("text")
    found = _AT.search(text) if isinstance(text, str) else None
    return _name(found[1]) if found else ""


def _name(inside: str) -> str:
    return " ".join(without_invisible(html.unescape(_TAG.sub("", inside))).split()).lstrip("@")


def _unformatted(text: str, format_: str) -> str:
    """Entities are replaced once: what was typed as `&amp;` stays that."""
    text = _QUOTED_LINE.sub("", text)
    if format_ in _MARKED_UP:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if format_ == "markdown":
        for mark in _MARKS:
            text = mark.sub(r"\1", text)
    return html.unescape(text)


def _quoted(attachments: Sequence[Json]) -> tuple[str, ...]:
    """What somebody else wrote and the message answers to, as plain text; "" of a quotation without words."""
    found = [_plain(each) for text in _contents(attachments, _HTML) for each in _blocks(text)]
    return (*found, *(_preview(text) for text in _contents(attachments, _REFERENCE)))


def _blocks(marked_up: str) -> Iterator[str]:
    """What stands in its quotations; one that nothing ends is none."""
    begins = _QUOTE_BEGINS.search(marked_up)
    while begins is not None and (ends := _QUOTE_ENDS.search(marked_up, begins.end())):
        yield marked_up[begins.end() : ends.start()]
        begins = _QUOTE_BEGINS.search(marked_up, ends.end())


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
    return without_invisible(html.unescape(_TAG.sub(" ", marked_up)))


def _without(text: str, quoted: Sequence[str]) -> str:
    """The text without a quotation that it begins with, however that is spaced."""
    for each in quoted:
        if end := _end_of(each.replace(">", " ").split(), text):
            return text[end:]
    return text


def _end_of(words: Sequence[str], text: str) -> int:
    """Where the words end that the text begins with, one by one and never gone back: what was quoted may be anything. 0
    where it does not begin with them."""
    at = 0
    for word in words:
        found = _APART.match(text, at)
        at = found.end() if found else at
        typed = next((each for each in (html.escape(word), word) if text.startswith(each, at)), "")
        if not typed:
            return 0
        at += len(typed)
    return at
