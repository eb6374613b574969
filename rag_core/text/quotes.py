"""Where a quote stands in a text: letter for letter, but for what copying changes.

Case, white space, typographic quotes and dashes, brackets, list bullets and table bars do not count; words do.
"""

import re
import unicodedata
from functools import lru_cache

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚′`´", "'"),
        **dict.fromkeys("“”„″«»", '"'),
        **dict.fromkeys("–—−‐‑", "-"),
        **dict.fromkeys("[<‹{", "("),
        **dict.fromkeys("]>›}", ")"),
    }
)
_BULLET = re.compile(r"(?:(?<=\s)|^)[-–—|•·*]+(?=\s|$)")
_OUTER = " \t\n.,;:…\"'!?"

SHORTEST_QUOTE = 3
"""Words: two words stand in nearly every document."""


def plain(text: str) -> str:
    """`text` as it is compared."""
    return _folded(text)[0].strip(_OUTER)


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Offsets in `text` of `quote`, whole words only; None if it does not stand there."""
    wanted = plain(quote)
    if not wanted:
        return None
    folded, places = _folded(text)
    match = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded)
    if match is None:
        return None
    return places[match.start()], places[match.end() - 1] + 1


def is_too_short(text: str, quote: str) -> bool:
    """Whether `quote` says too little to point anywhere: fewer than three words, unless it is all there is."""
    return len(plain(quote).split()) < SHORTEST_QUOTE and plain(quote) not in {plain(line) for line in _parts(text)}


def _parts(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in (line, *line.split(" | "))]


@lru_cache(maxsize=2_000)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is compared, and for each of its characters where it came from."""
    letters: list[str] = []
    places: list[int] = []
    skipped = {position for match in _BULLET.finditer(text) for position in range(*match.span())}
    for position, letter in enumerate(text):
        if position in skipped or unicodedata.category(letter) == "Cf":
            continue
        if letter.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
                places.append(position)
            continue
        for each in unicodedata.normalize("NFKC", letter).translate(_SAME).casefold():
            letters.append(each)
            places.append(position)
    return "".join(letters), tuple(places)
