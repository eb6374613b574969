"""Text in a document that speaks to whoever reads it for others: a machine. It is no rule, whatever it says.

A policy speaks to advertisers, of ads. What names an assistant as its reader, says what to answer, sets itself above
other rules of the page, or is written in the form of a prompt or of a reply, is no part of it. From such a sentence on,
a paragraph is not believed: what follows was written with it. What stands before it stays, or a line added to a ban
would lift it.
"""

import re
import unicodedata
from functools import lru_cache

from rag_core.layout import Block, BlockKind, read_blocks, sentence_spans
from rag_core.vocabulary import alternatives, words

_LETTERS = str.maketrans("аеорсухіѕјԁһкмтвніαοεν", "aeopcyxisjdhkmtbhiaoev")
"""Letters of other alphabets that look like Latin ones."""
_MIXED = re.compile(
    r"[A-Za-z][аеорсухіѕјԁһАВЕКМНОРСТУХІΑΒΕΖΗΙΚΜΝΟΡΤΧο]|[аеорсухіѕјԁһАВЕКМНОРСТУХІΑΒΕΖΗΙΚΜΝΟΡΤΧο][A-Za-z]"
)
"""Look-alikes within one word hide it from a search, and from nobody who reads it."""

_FORMS = ("addressed", "orders", "claims", "forms", "elsewhere")
_SUSPECT = re.compile(
    "|".join(f"(?:{each})" for form in _FORMS for each in alternatives("injections", form)), re.IGNORECASE
)
_EXACT = re.compile("|".join(f"(?:{each})" for each in alternatives("injections", "written")))
_BEGINNINGS = words("injections", "beginnings")
_WORD = re.compile(r"[^\W\d_]+")
_OTHER_SIGNS = re.compile(r"[<\[\u0370-\u1fff\u2e80-\ud7ff]|-{3}|\w{24}|^\W{0,3}[\"“]")


@lru_cache(maxsize=20_000)
def speaks_to_machines(text: str) -> bool:
    """Whether a paragraph, list item or table row is addressed to whoever answers from it, not to advertisers."""
    seen = _seen(text)
    if not _may_be_suspect(seen):
        return False
    if _MIXED.search(seen) or _EXACT.search(seen) or _SUSPECT.search(seen):
        return True
    plain = seen.translate(_LETTERS)
    return plain != seen and _SUSPECT.search(plain) is not None


def believed(text: str) -> str:
    """The beginning of a paragraph up to the first sentence that speaks to machines."""
    if not speaks_to_machines(text):
        return text
    for start, end in sentence_spans(text):
        if speaks_to_machines(text[start:end]):
            return text[:start].rstrip()
    return ""


def believed_of(block: Block) -> str:
    """What a block says without what speaks to machines: of a paragraph its beginning may stay, of an item or a row
    nothing."""
    said = believed(block.text)
    return said if said == block.text or block.kind is BlockKind.PARAGRAPH else ""


def believed_lines(text: str) -> str:
    """A chunk without what speaks to machines, block by block."""
    kept, position = "", 0
    for block in read_blocks(text):
        said = believed_of(block)
        if said == block.text:
            continue
        begin, end = text.rfind("\n", 0, block.start) + 1, text.find("\n", block.end)
        end = len(text) if end < 0 else end
        kept += text[position:begin]
        position = end + 1
        if said:
            kept += f"{text[begin : block.start]}{said}\n"
    return (kept + text[position:]).strip("\n") if position else text


def is_believed_at(text: str, start: int, end: int) -> bool:
    """Whether nothing of a chunk's `text[start:end]` speaks to machines or stands behind what does."""
    return all(
        (said := believed_of(block)) == block.text or bool(said and end <= block.start + len(said))
        for block in read_blocks(text)
        if block.start < end and start < block.end
    )


def first_believed(text: str) -> int:
    """Where the first line begins that does not speak to machines; 0 if all do."""
    position = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not speaks_to_machines(line):
            return position
        position += len(line)
    return 0


def believed_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Between which offsets a quote of `text[start:end]` may grow: up to the next lines that speak to machines."""
    first, last, position = 0, len(text), 0
    for line in text.splitlines(keepends=True):
        following = position + len(line)
        if speaks_to_machines(line):
            doubtful = position + len(believed(line.strip()))
            if doubtful >= end:
                last = min(last, doubtful)
            elif following <= start:
                first = following
        position = following
    return first + len(text[first:start]) - len(text[first:start].lstrip()), last


def _may_be_suspect(text: str) -> bool:
    """Whether it has any of the words or signs that every suspect text has: most text has none, and is read sooner."""
    return bool(_OTHER_SIGNS.search(text)) or any(word[:5] in _BEGINNINGS for word in _WORD.findall(text.lower()))


def _seen(text: str) -> str:
    """As people see it: without letters of no width, in one form, on one line."""
    shown = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return " ".join(shown.split())
