"""A question as typed -> text that is safe to show and to search for."""

import unicodedata

from rag_core.errors import Rejected

MAX_QUESTION = 2_000
"""Characters. People paste ad copy; what is longer is a document, and would be searched for badly."""

_KEPT_CONTROLS = frozenset("\n\t")


def clean_question(text: str) -> str:
    """`text` in NFC, without control, format and bidirectional characters, white space collapsed.

    Raises Rejected("question_empty") and Rejected("question_too_long", limit=..., length=...).
    """
    if len(text) > MAX_QUESTION * 4:  # before any work on it
        raise Rejected("question_too_long", limit=MAX_QUESTION, length=len(text))
    cleaned = " ".join(strip_controls(unicodedata.normalize("NFC", text)).split())
    if not any(character.isalnum() for character in cleaned):
        raise Rejected("question_empty")
    if len(cleaned) > MAX_QUESTION:
        raise Rejected("question_too_long", limit=MAX_QUESTION, length=len(cleaned))
    return cleaned


def strip_controls(text: str) -> str:
    """`text` without characters of the categories Cc, Cf, Cs, Co, Cn; line breaks and tabs stay."""
    return "".join(each for each in text if each in _KEPT_CONTROLS or unicodedata.category(each)[0] != "C")
