"""Does what a source shows now look like the document it showed before, or like an accident? Pure.

A page that lost nearly all of its text, or that is another page (a notice about cookies, an error, a start page), is
more often a mishap of the publisher, or of the capture, than a new policy.

Whether it is another page is told by three things that must all agree: the title differs, no heading is kept, and less
than 40% of the longer words of the smaller text are in the other one. Of words with six letters and more, two versions
of one policy share 98% and more, even where much was rewritten; of two unlike policies of different publishers, half
share less than 26% and nineteen of twenty less than 52%, which is why the words alone decide nothing.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

_WORD = re.compile(r"[^\W\d_]{6,}")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_SHARED_WORDS = 0.4
_FEWEST_WORDS = 12
"""Different longer words that both must have: in fewer, nothing can be compared."""
_SHORTEST = 200
"""Characters: a text shorter than that has nothing to lose."""


class Doubt(StrEnum):
    SHRUNK = "shrunk"
    OTHER_PAGE = "other_page"


@dataclass(frozen=True, slots=True)
class Profile:
    """What is compared of a version. `size`: characters of its text; `words`: its longer ones, in small letters."""

    size: int
    title: str
    headings: frozenset[str]
    words: frozenset[str]


def profile_of(title: str, text: str) -> Profile:
    """`text` is in the normal form of `rag_core.layout`."""
    headings = frozenset(" ".join(each.lower().split()) for each in _HEADING.findall(text))
    return Profile(len(text), " ".join(title.lower().split()), headings, frozenset(_WORD.findall(text.lower())))


def doubt(before: Profile, after: Profile, share: float) -> Doubt | None:
    """Why `after` may be no version of what `before` was. `share`: of its text that a document may lose, 0 to 1."""
    if before.size >= _SHORTEST and after.size < (1 - share) * before.size:
        return Doubt.SHRUNK
    return Doubt.OTHER_PAGE if _is_other_page(before, after) else None


def _is_other_page(before: Profile, after: Profile) -> bool:
    fewer = min(len(before.words), len(after.words))
    if before.title == after.title or before.headings & after.headings or fewer < _FEWEST_WORDS:
        return False
    return len(before.words & after.words) < _SHARED_WORDS * fewer
