"""Words without their form: two texts with the same words differ in form only."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import LCSseq

from rag_core.policy_changes import Edit


@dataclass(frozen=True, slots=True)
class Word:
    """`norm`: what is compared; [start, end) is where it stands."""

    norm: str
    start: int
    end: int


_WORD = re.compile(
    r"(?P<link>(?:https?://|www\.)\S*[^\s.,;:)\]”\"'])"
    r"|\d+(?:[.,:]\d+)+"
    r"|[^\W_]+(?:['’ʼ‘`][^\W_]+)*"
    r"|[%‰$€£¥+<>≤≥&§†‡❌✅✓✗✘✔✖☑☒🚫]"  # the marks are a yes or a no
    r"|(?<![\w-])[-−](?=\d)"
    r"|(?<=\w)\*(?![\w*])"  # the star of a footnote: "Finland*"
)
_HIDDEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_MEASURES = (
    r"(?i:[mb]illions?|thousands?|per\s?cent|points?|stars?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|lit(?:re|er)s?"
    r"|(?:centi|milli|kilo)?(?:met(?:re|er)|gramm?e?)s?|euros?|dollars?|pounds?|units?|times|pixels?)\b"
)
_NUMBERING = re.compile(
    r"\s*(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)]\s+(?=\S)"
    rf"|\d{{1,2}}(?:\.\d{{1,3}})+(?:\.\s+|\s+(?!{_MEASURES})(?=[“\"]?[A-Z](?:[a-z]|[A-Z]{{3}}))))"
)
_SAME = {"&": "and", "−": "-", "‘": "'", "’": "'", "ʼ": "'", "`": "'"}


def words_of(text: str) -> tuple[Word, ...]:
    """The words of `text`: numbers and the signs that carry meaning (%, €, +, <) are among them; case, punctuation,
    the number in front of a heading or rule, and where a link leads are not."""
    numbering = _NUMBERING.match(text)
    found = tuple(_words(text, numbering.end() if numbering else 0))
    return found or tuple(_words(text, 0))


def _words(text: str, start: int) -> list[Word]:
    return [Word(_norm(match), match.start(), match.end()) for match in _WORD.finditer(text, start)]


def _norm(match: re.Match[str]) -> str:
    if match["link"]:
        return "://"
    text = match[0]
    if text.isascii() and text.isalnum():
        return text.lower()
    text = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.translate(_HIDDEN)).casefold()
    return "".join(_SAME.get(each, each) for each in text) if not text.isalnum() else text


@lru_cache(maxsize=40_000)
def key_of(text: str) -> str:
    """Equal for texts that differ in form only: their words."""
    plain = text if text.isascii() else text.translate(_HIDDEN)
    numbering = _NUMBERING.match(plain)
    found = [_norm(match) for match in _WORD.finditer(plain, numbering.end() if numbering else 0)]
    return " ".join(found or [_norm(match) for match in _WORD.finditer(plain)])


def word_edits(before: str, after: str) -> tuple[Edit, ...]:
    """What was replaced, inserted and deleted, word by word."""
    old, new = words_of(before), words_of(after)
    opcodes = LCSseq.opcodes([word.norm for word in old], [word.norm for word in new])
    edits: list[list[int]] = []
    for opcode in opcodes:
        if opcode.tag == "equal":
            continue
        span = [opcode.src_start, opcode.src_end, opcode.dest_start, opcode.dest_end]
        if edits and edits[-1][1] == span[0] and edits[-1][3] == span[2]:
            edits[-1][1], edits[-1][3] = span[1], span[3]
        else:
            edits.append(span)
    return tuple(
        Edit(*_span(old, first, last, len(before)), *_span(new, start, end, len(after)))
        for first, last, start, end in edits
    )


def _span(words: tuple[Word, ...], first: int, last: int, length: int) -> tuple[int, int]:
    if first < last:
        return words[first].start, words[last - 1].end
    at = words[first].start if first < len(words) else length
    return at, at
