"""Words as the index knows them, and the same words of what somebody asks.

Words are runs of letters, marks and digits, lower-case, without accents, as English stems: those of the local index,
so that both rank alike. The stemmer was chosen on SciFact (nDCG@10 of keywords alone, then of hybrid search): porter2
(Snowball English) .696/.735, porter .694/.733, light English (KStem) .685/.731, none .671/.719; with the standard
tokenizer, which keeps "4.2" together, the same within .002. An unstemmed field beside it could only repeat what the
phrase of a wording finds already, so there is none.
"""

import unicodedata
from typing import Any

from rag_core.retrieval.found import without_possessive

ANALYZER = "policy_english"

_LONGEST_WORD = 59
"""Characters; a longer run is no word, but a key or an address."""
_MOST_CHARACTERS = 20_000
_LETTERS_MARKS_DIGITS = "LMN"


def analysis() -> dict[str, Any]:
    """The index settings under `analysis`."""
    return {
        "char_filter": {
            "possessive": {
                "type": "pattern_replace",
                "pattern": "(?<=[\\p{L}\\p{M}\\p{N}_])['’]s(?![\\p{L}\\p{M}\\p{N}_])",
                "replacement": "",
            }
        },
        "tokenizer": {"words": {"type": "pattern", "pattern": "[^\\p{L}\\p{M}\\p{N}]+"}},
        "filter": {
            "no_keys": {"type": "length", "max": _LONGEST_WORD},
            "english_stems": {"type": "stemmer", "language": "porter2"},
        },
        "analyzer": {
            ANALYZER: {
                "type": "custom",
                "char_filter": ["possessive"],
                "tokenizer": "words",
                "filter": ["no_keys", "lowercase", "asciifolding", "english_stems"],
            }
        },
    }


def words_of(text: str) -> list[str]:
    """The words that the index will make of `text`, not yet folded and stemmed."""
    cleaned = without_possessive(text[:_MOST_CHARACTERS])
    spaced = "".join(each if unicodedata.category(each)[0] in _LETTERS_MARKS_DIGITS else " " for each in cleaned)
    return [word for word in spaced.split() if len(word) <= _LONGEST_WORD]
