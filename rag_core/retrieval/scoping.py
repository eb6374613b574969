"""Scope -> the filter that every leg of a search applies."""

from rag_core.documents import ContentType
from rag_core.ports import IndexFilter
from rag_core.questions import Scope
from rag_core.regions import GLOBAL, seen_from


def index_filter(
    scope: Scope, groups: frozenset[str], places: tuple[str, ...], *, any_day: bool = False
) -> IndexFilter:
    """The filter for rules that hold in all or one of `places` (none: everywhere) on the scope's day.

    With several places a rule may hold in any of them. `any_day` looks at every version, to tell "not then" from
    "never".
    """
    seen = frozenset().union(*(seen_from(place) for place in places))
    only = places[0] if len(places) == 1 else None
    return IndexFilter(
        groups=groups,
        day=None if any_day else scope.as_of,
        places=seen if places else None,
        excluding=seen_from(only) - {GLOBAL} if only else frozenset(),
        policy_sources=frozenset(scope.policy_sources),
        content_types=_types(scope),
        sections=frozenset(scope.sections),
        labels={key: frozenset(values) for key, values in scope.labels.items() if key not in scope.labels_excluded},
        labels_excluded={key: frozenset(values) for key, values in scope.labels_excluded.items()},
    )


def _types(scope: Scope) -> frozenset[str]:
    """A rule on ads in general holds for the video that a question mentions; who filters for videos gets just them."""
    found = frozenset(each.value for each in scope.content_types)
    return found | {ContentType.GENERAL.value} if found and "content_types" in scope.inferred else found
