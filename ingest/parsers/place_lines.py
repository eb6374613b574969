"""Lines that are nothing but the names of places, as headings would be."""

from collections.abc import Iterable

from ingest.places import Places, of_label
from ingest.places import names_only_places as _names_only_places
from ingest.places.spelling import corrected

_LONGEST = 400
"""Characters of a line that is asked at all: a list of every country as the heading of a rule."""
_MANY = 3
"""Lines of places from which another line that is nearly one is a place misspelt."""


def names_only_places(text: str) -> bool:
    """Whether `text` is one or several places' names and nothing else: "Sweden, Norway and Finland", "INDIA"."""
    return len(text) <= _LONGEST and _names_only_places(text)


def opens_with_place(sentence: str) -> bool:
    """Whether a sentence limits itself to a place: "If your ad is shown in Norway, ..."."""
    return of_label(sentence, Places()) is not None


class PlaceLines:
    """Which lines of a document are places. `many`: it has several such lines, so that they are its way of writing."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.many = sum(_is_label(line) and names_only_places(line.removesuffix(":")) for line in lines) >= _MANY

    def is_line(self, text: str) -> bool:
        """Whether `text`, alone on a line, is a place as a heading would be; several places, or a misspelt one, only
        in a document with many such lines."""
        label = text.removesuffix(":")
        if not _is_label(text):
            return False
        if names_only_places(label):
            return self.many or not (set(label) & set(",;/&") or " and " in label)
        return self._is_misspelt(label)

    def is_heading(self, text: str) -> bool:
        """Whether a heading names places and nothing else, perhaps misspelt."""
        return names_only_places(text) or self._is_misspelt(text)

    def _is_misspelt(self, text: str) -> bool:
        return self.many and len(corrected(text)) == 1


def _is_label(text: str) -> bool:
    return text[:1].isupper() and not text.endswith((".", ",", ";"))
