"""Text of cards and messages in Teams: what others wrote is shown as it is, and does nothing.

Desktop and browser read a TextBlock as CommonMark; phones read it with a parser of their own, which shows a backslash
and ends a link's label at the first bracket or parenthesis. So nothing is escaped: what would format is replaced by a
look-alike, or held apart by a character that nobody sees.
"""

import re
import unicodedata
from urllib.parse import urlsplit

from bot.model.visible import clean, one_line
from bot.render.mrkdwn import shortened as shortened_mrkdwn
from bot.render.mrkdwn import unlinked

LONGEST_LINK = 4_000
"""Characters of an address that is still shown as a link."""

_JOINER = "\u2060"
_LOOK_ALIKES = str.maketrans({"*": "∗", "`": "ˋ"})
_IN_LABELS = str.maketrans({"[": "［", "]": "］", "(": "（", ")": "）"})
_EMPHASIS_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)|(?<=_)_|_(?=_)")
_APART = re.compile(
    r"\\"  # an escape, also of what comes behind it
    r"|<(?=[A-Za-z/!?])"  # HTML, a mention, an address in angle brackets
    r"|&(?=#?\w+;)"  # an entity
    r"|\[|\](?=[(\[:])"  # a link; a mark that would be taken for one of ours
    r"|\{(?=\{)|\$(?=\{)"  # {{DATE(...)}}, {{TIME(...)}}; a card's template
    r"|~(?=~)"
)
_LINE_START = re.compile(r"(?=#{1,6}(?:\s|$)|[-+=>]|\d{1,9}[.)]|\[)")


def escape(text: str) -> str:
    """`text` on one line, so that a TextBlock, a Fact and a message's Markdown show it and do nothing else."""
    return inert(one_line(text))


def inert(text: str) -> str:
    """`escape` of a piece of one line: spaces at its ends are kept."""
    shown = clean(text).replace("\n", " ").translate(_LOOK_ALIKES)
    shown = _EMPHASIS_UNDERSCORE.sub("ˍ", unlinked(shown))
    shown = _APART.sub(rf"\g<0>{_JOINER}", shown)
    return _JOINER + shown if _LINE_START.match(shown) else shown


def shortened(text: str, limit: int) -> str:
    """`escape`, cut at a word's end so that it has at most `limit` characters escaped."""
    return shortened_mrkdwn(text, limit, escape)


def bold(text: str) -> str:
    """`text`, escaped, in bold."""
    return f"**{escape(text).strip()}**" if text.strip() else ""


def link(url: str, label: str, limit: int = 300) -> str:
    """A link with an escaped label of at most `limit` characters; the label alone where the address is none."""
    shown = shortened(label.translate(_IN_LABELS), limit)
    address = safe_address(url)
    return f"[{shown}]({address})" if address and shown else shown


def mark(number: int, url: str = "") -> str:
    """ "[1]", its number linked: the brackets stand outside, where no parser stumbles over them."""
    address = safe_address(url)
    return f"[[{number}]({address})]" if address else f"[{number}]"


def safe_address(url: str) -> str:
    """`url` as it may stand in a link; "" for what is none of http or https, or too long to be shown."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return ""
    if scheme not in ("http", "https") or len(url) > LONGEST_LINK or not url.isprintable() or " " in url:
        return ""
    found = re.sub(r"[()<>\[\]*\\`{}|\"^]", lambda each: f"%{ord(each[0]):02X}", url)
    return re.sub(r"&(?=#?\w+;)", "%26", _EMPHASIS_UNDERSCORE.sub("%5F", found))


def plain(text: str, limit: int) -> str:
    """`text` on one line for what is no Markdown (titles, buttons, citations): at most `limit` UTF-16 code units, cut
    between characters as people see them."""
    shown = held_apart(one_line(text))
    if units(shown) <= limit:
        return shown
    cut = shown[: limit - 1]
    while units(cut) > limit - 1:
        cut = cut[:-1]
    while cut and _goes_on(shown, len(cut)):
        cut = cut[:-1]
    border = cut.rfind(" ")
    return (cut[:border] if border > len(cut) // 2 else cut).rstrip(" ,;:") + "…"


def held_apart(text: str) -> str:
    """Nothing in it is a tag, or a template or function of cards: those are read in titles and labels, too."""
    return re.sub(r"\{(?=\{)|\$(?=\{)|<(?=[A-Za-z/!?])", rf"\g<0>{_JOINER}", clean(text))


def units(text: str) -> int:
    """UTF-16 code units: what Teams counts."""
    return len(text) + sum(1 for each in text if ord(each) > 0xFFFF)


def is_rtl(text: str) -> bool:
    """Whether most of its letters are read from right to left."""
    kinds = [unicodedata.bidirectional(each) for each in text[:2_000]]
    right = sum(1 for each in kinds if each in ("R", "AL"))
    return right > kinds.count("L")


def _goes_on(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it."""
    if at >= len(text):
        return False
    here, before = text[at], text[at - 1]
    joined = "\u200d" in (here, before)
    return joined or bool(unicodedata.combining(here)) or here in "\ufe0e\ufe0f" or 0x1F3FB <= ord(here) <= 0x1F3FF
