"""What is typed and chosen, checked: text that is safe to show and carries no orders, and filters that are known."""

import re
import unicodedata
from collections.abc import Iterable

from rag_core import regions
from rag_core.documents import ContentType, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import Filters
from rag_core.vocabulary import alternatives, pattern

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


def check_filters(filters: Filters, sources: Iterable[PolicySource]) -> Filters:
    """`filters` in the form that retrieval uses.

    Raises Rejected with the code unknown_region, unknown_content_type or unknown_policy_source; `value` is what was
    given, `known` what could have been.
    """
    return Filters(
        policy_sources=_sources(filters.policy_sources, list(sources)),
        regions=_unique(regions.normalise(value) for value in filters.regions),
        content_types=_unique(content_type(value).value for value in filters.content_types),
        sections=_unique(" ".join(value.lower().split()) for value in filters.sections if value.strip()),
        labels={
            key.strip().lower(): _unique(value.strip().lower() for value in values)
            for key, values in filters.labels.items()
        },
    )


def content_type(value: str) -> ContentType:
    """The content type called `value`. Raises Rejected("unknown_content_type")."""
    cleaned = value.strip().lower().replace("-", "_").replace(" ", "_")
    known = [each.value for each in ContentType]
    if cleaned not in known:
        raise Rejected("unknown_content_type", value=value, known=", ".join(known))
    return ContentType(cleaned)


def _sources(values: tuple[str, ...], sources: list[PolicySource]) -> tuple[str, ...]:
    slugs = {
        name.strip().lower(): source.slug
        for source in sources
        for name in (*source.aliases, source.display_name, source.slug)
    }
    found = []
    for value in values:
        slug = slugs.get(value.strip().lower())
        if slug is None:
            known = ", ".join(sorted({source.slug for source in sources})) or "none yet"
            raise Rejected("unknown_policy_source", value=value, known=known)
        found.append(slug)
    return _unique(found)


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


_READ_OVER = [
    re.compile("|".join(f"(?:{each})" for each in alternatives("injections", "obeyed")), re.IGNORECASE),
    *(re.compile(each, re.IGNORECASE) for each in alternatives("injections", "written_as")),
]
_SIGN = pattern("questions", "sign")


def as_asked(text: str) -> str:
    """`text` without what must not be read, to be asked again or written on."""
    return " ".join(without_orders(text).split())


def without_orders(text: str) -> str:
    """`text` with as many spaces in the place of what must not be read: offsets stay."""
    if not _SIGN.search(text):
        return text
    for passage in _READ_OVER:
        text = passage.sub(lambda match: " " * len(match[0]), text)
    return text
