"""Bytes to text, and text to what a reader sees of it."""

import re

from rag_core.errors import Rejected

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0e-\x1b\x7f]")
"""Soft hyphens, zero-width and direction marks, control characters: they hide words from search and from readers."""


def decode(content: bytes) -> str:
    """The text of a UTF-8 document, with or without a byte order mark.

    Raises Rejected: "document_binary", "not_utf8" (with the position of the first wrong byte), "document_empty".
    """
    if b"\x00" in content:
        raise Rejected("document_binary", position=content.index(b"\x00"))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Rejected("not_utf8", position=error.start) from error
    if not text.strip():
        raise Rejected("document_empty")
    return text


def visible(text: str) -> str:
    """`text` without characters that nobody sees."""
    return _UNSEEN.sub("", text)
