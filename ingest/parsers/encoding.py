"""Bytes to text, and text to what a reader sees of it."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.parsers.parsed import ParseWarning
from rag_core.errors import Rejected

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\x00-\x08\x0e-\x1b\x7f]")
"""Soft hyphens, zero-width and direction marks, tags, control characters: what nobody sees, a search trips over."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as that of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_STATED = re.compile(rb"""<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE)
_STATED_IN_XML = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})""")
_STATED_WITHIN = 4_096
"""Bytes. The standard says 1,024; pages with much before it are read by browsers all the same."""
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""What browsers read where the narrower one is named (encoding.spec.whatwg.org): pages rely on it."""
_READ = frozenset(
    "utf-8 utf-16 utf-16-le utf-16-be cp866 cp874 cp932 cp949 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 "
    "cp1258 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 "
    "iso8859-15 iso8859-16 koi8-r koi8-u mac-roman mac-cyrillic gb18030 big5hkscs euc_jp iso2022_jp".split()
)
"""The encodings of web pages. Python knows others too that are none: rot13, unicode_escape, idna."""
_WRONG = re.compile("[\udc80-\udcff]+")
"""Bytes that are no UTF-8, as Python shows them."""
_MENDED_SHARE = 200
"""A page with at most one wrong byte in so many is UTF-8 with a few strays; with more it is something else."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """`warnings`: "text_mended" with bytes (how many were wrong) and position (of the first)."""

    text: str
    warnings: tuple[ParseWarning, ...] = ()


def decode(content: bytes, charset: str | None = None) -> Decoded:
    """The text in `content`; `charset`: as the server named it, or None.

    A byte order mark decides; then what is UTF-8 is read so, whatever is said of it, as text in another encoding hardly
    ever is by chance; then `charset` and what the page itself states. A UTF-8 page with a few wrong bytes is mended.

    Raises Rejected: "document_binary", "not_utf8" (with the position of the first wrong byte), "document_empty".
    """
    found = _marked(content) or _named(content, charset)
    if not found.text.strip():
        raise Rejected("document_empty")
    return found


def visible(text: str) -> str:
    """`text` without characters that nobody sees."""
    return _UNSEEN.sub("", text)


def _marked(content: bytes) -> Decoded | None:
    codec = next((codec for mark, codec in _MARKS if content.startswith(mark)), None)
    if codec == "utf-8-sig":
        return _mended(content[len(codecs.BOM_UTF8) :])
    if codec is None:
        return None
    if codec == "utf-16" and (found := _falsely_marked(content[len(codecs.BOM_UTF16_LE) :])):
        return found
    try:
        return Decoded(content.decode(codec))
    except UnicodeDecodeError as error:
        raise Rejected("document_binary", position=error.start) from error


def _falsely_marked(content: bytes) -> Decoded | None:
    """Text in UTF-8 behind the mark of UTF-16: spaces and ends of lines have a zero byte in UTF-16."""
    if b"\x00" in content or b" " not in content:
        return None
    try:
        return Decoded(
            content.decode(), (ParseWarning("text_mended", {"bytes": len(codecs.BOM_UTF16_LE), "position": 0}),)
        )
    except UnicodeDecodeError:
        return None


def _named(content: bytes, charset: str | None) -> Decoded:
    named = list(_encodings(content, charset))
    if b"\x00" in content:
        named = [each for each in named if each.startswith("utf-16")]
        if not named:
            raise Rejected("document_binary", position=content.index(b"\x00"))
    elif "iso2022_jp" not in named or b"\x1b" not in content:  # seven bits: any UTF-8 reader takes it for ASCII
        try:
            return Decoded(content.decode())
        except UnicodeDecodeError:
            named = [each for each in named if each != "utf-8" and not each.startswith("utf-16")]
    for codec in named:
        try:
            return Decoded(content.decode(codec))
        except UnicodeDecodeError:
            continue
    return _mended(content)


def _encodings(content: bytes, charset: str | None) -> Iterator[str]:
    """What the server says, then what the page says."""
    start = content[:_STATED_WITHIN]
    stated = [match[1].decode() for match in (_STATED.search(start), _STATED_IN_XML.match(start)) if match]
    for name in (charset, *stated):
        try:
            codec = codecs.lookup(name or "").name
        except (LookupError, ValueError):
            continue
        codec = _WIDER.get(codec, codec)
        if codec in _READ:
            yield codec


def _mended(content: bytes) -> Decoded:
    """UTF-8 in which some bytes are of another encoding, mostly quotation marks and dashes that somebody pasted."""
    if b"\x00" in content:
        raise Rejected("document_binary", position=content.index(b"\x00"))
    try:
        return Decoded(content.decode())
    except UnicodeDecodeError as error:
        escaped = content.decode("utf-8", "surrogateescape")
        wrong = sum(map(len, _WRONG.findall(escaped)))
        if wrong * _MENDED_SHARE > len(content):
            raise Rejected("not_utf8", position=error.start) from error
        warning = ParseWarning("text_mended", {"bytes": wrong, "position": error.start})
        return Decoded(_WRONG.sub(_mend, escaped), (warning,))


def _mend(wrong: re.Match[str]) -> str:
    """One byte is a letter of the usual other encoding; several are what is left of a torn letter."""
    byte = wrong[0].encode("utf-8", "surrogateescape")
    return byte.decode("cp1252", "replace") if len(byte) == 1 else "\ufffd"
