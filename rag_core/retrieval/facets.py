"""What filters look at, as plain strings, so that both legs of a search, in every index, filter by the same words.

A facet is "kind:value" ("region:uk", "source:google"). A filter becomes clauses: of each set one facet must be
there, and none of the forbidden ones.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from rag_core.documents import Classification, Passage
from rag_core.ports import IndexFilter

NO_END = date.max.toordinal() + 1
"""The end, as an ordinal day, of what has none."""

_EVERYBODY = "audience:*"
_LONGEST = 256


@dataclass(frozen=True, slots=True)
class Clauses:
    """A filter as facets. `day` is an ordinal: the chunk must hold on it (None: on any). `without`: ids of chunks that
    do not pass."""

    any_of: tuple[frozenset[str], ...]
    none_of: frozenset[str]
    day: int | None
    without: frozenset[str] = frozenset()


def facets_of(passage: Passage) -> frozenset[str]:
    """The facets of a chunk; without any audience where nobody may see it."""
    chunk, version = passage.chunk, passage.version
    facets = {_facet("source", chunk.policy_source), _facet("type", chunk.content_type)}
    facets |= _facets("region", chunk.regions)
    facets |= _facets("excluded", chunk.regions_excluded)
    facets |= _facets("section", (chunk.policy_section, *chunk.policy_path.split(" > ")))
    facets |= {_label(key, value) for key, value in version.labels.items()}
    if version.classification is Classification.PUBLIC:
        return frozenset(facets | {_EVERYBODY})
    return frozenset(facets | _facets("group", version.allowed_groups))


def clauses_of(filter_: IndexFilter) -> Clauses:
    """The clauses of a filter. The audience is always among them."""
    sets = [
        {_EVERYBODY} | _groups(filter_.groups),
        _facets("region", filter_.places or ()),
        _facets("source", filter_.policy_sources),
        _facets("type", filter_.content_types),
        _facets("section", filter_.sections),
        *({_label(key, value) for value in filter_.labels[key]} for key in sorted(filter_.labels)),
    ]
    return Clauses(
        any_of=tuple(frozenset(facets) for facets in sets if facets),
        none_of=frozenset(_facets("excluded", filter_.excluding) | _excluded_labels(filter_)),
        day=filter_.day.toordinal() if filter_.day is not None else None,
        without=filter_.without_chunks,
    )


def _excluded_labels(filter_: IndexFilter) -> set[str]:
    return {_label(key, value) for key, values in filter_.labels_excluded.items() for value in values}


def days_of(passage: Passage) -> tuple[int, int]:
    """First day and the day after the last one, as ordinals; the first of all days where the start is open."""
    chunk = passage.chunk
    start = date.min if passage.version.open_start else chunk.effective_from
    end = chunk.effective_to.toordinal() if chunk.effective_to is not None else NO_END
    return start.toordinal(), end


def _facets(kind: str, values: Iterable[str]) -> set[str]:
    return {_facet(kind, value) for value in values}


def _groups(names: Iterable[str]) -> set[str]:
    """The asker's, by the letter, as the store compares them: one whose name is written otherwise is another group."""
    return {f"group:{_shortened(_encodable(name))}" for name in names}


def _label(key: str, value: str) -> str:
    # The separator cannot be typed, so that a key with ":" in it is not taken for a key and a value
    return _facet("label", f"{key.strip()}\x1f{value.strip()}")


def _facet(kind: str, value: str) -> str:
    return f"{kind}:{_shortened(_encodable(value).strip().lower())}"


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _shortened(text: str) -> str:
    # The keyword index drops a token that is too long, and the chunk would be found by no filter
    return text if len(text) <= _LONGEST else "sha256=" + hashlib.sha256(text.encode()).hexdigest()
