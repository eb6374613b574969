"""How much each way of naming a thing counts in the keyword leg: the same in every index."""

import re

SYNONYM_WEIGHT = 0.8
"""Another word for it counts a little less than the word that was asked."""

HEADING_WEIGHT = 0.3
RULE_WEIGHT = 3.0

MAX_TERMS = 256
MAX_PHRASE = 8
"""Words of a wording that is looked for as a phrase; nobody has written a longer one just so."""

_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")


def encodable(text: str) -> str:
    """`text` without halves of characters, which no index takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def without_possessive(text: str) -> str:
    """Encodable text without the possessive, whose `s` would be a word."""
    return _POSSESSIVE.sub("", encodable(text))


def rule_key(number: str) -> str:
    """A rule number as it is compared: "4.2 ." is "4.2"."""
    return encodable(number).strip(" .").lower()
