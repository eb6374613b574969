"""Ordinary English words: one that is among them was not misspelt, however near it is to a word of the trade."""

from functools import cache

from spellchecker import SpellChecker

_SEEN_NOWHERE = 50
"""The count that the list gives to words which it has from dictionaries alone; misspellings are among them."""


def is_ordinary(word: str) -> bool:
    """Whether people write `word`, which is lower-case. The first call reads the list, which takes some 0.2 s."""
    return word in _words()


@cache
def _words() -> frozenset[str]:
    counts = SpellChecker(language="en").word_frequency.dictionary
    return frozenset(word for word, count in counts.items() if count > _SEEN_NOWHERE)
