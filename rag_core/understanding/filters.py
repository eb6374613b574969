"""Explicit filters, checked: stripped and lower-cased; an unknown value is an error that says what is known."""

from collections.abc import Iterable

from rag_core import regions
from rag_core.documents import ContentType, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import Filters


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
