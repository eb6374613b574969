"""Scope into the filter that every leg of a search applies."""

from dataclasses import replace
from datetime import date

import pytest

from rag_core.documents import ContentType
from rag_core.ports import IndexFilter
from rag_core.questions import Scope
from rag_core.retrieval.search import index_filter

DAY = date(2026, 6, 1)
SCOPE = Scope(
    DAY,
    policy_sources=("acme", "brim"),
    content_types=(ContentType.VIDEO,),
    sections=("kites",),
    labels={"stage": ("beta", "live")},
)


def test_everything_that_narrows_is_handed_on() -> None:
    assert index_filter(SCOPE, frozenset({"legal"}), ()) == IndexFilter(
        groups=frozenset({"legal"}),
        day=DAY,
        places=None,
        policy_sources=frozenset({"acme", "brim"}),
        content_types=frozenset({"video"}),
        sections=frozenset({"kites"}),
        labels={"stage": frozenset({"beta", "live"})},
    )


@pytest.mark.parametrize(
    ("places", "seen", "excluding"),
    [
        ((), None, set()),
        (("uk",), {"uk", "global"}, {"uk"}),
        (("be",), {"be", "eu", "global"}, {"be", "eu"}),
        (("us-tx",), {"us-tx", "us", "global"}, {"us-tx", "us"}),
        (("global",), {"global"}, set()),
        (("uk", "be"), {"uk", "be", "eu", "global"}, set()),
    ],
)
def test_a_place_sees_what_contains_it_and_never_a_neighbour(
    places: tuple[str, ...], seen: set[str] | None, excluding: set[str]
) -> None:
    found = index_filter(SCOPE, frozenset(), places)
    assert found.places == seen
    assert found.excluding == excluding


def test_any_day_looks_at_every_version() -> None:
    assert index_filter(SCOPE, frozenset(), (), any_day=True).day is None


def test_the_filter_for_a_places_own_rules_and_for_one_platform() -> None:
    found = index_filter(SCOPE, frozenset(), ("be",))
    assert found.without_global().places == frozenset({"be", "eu"})
    assert index_filter(SCOPE, frozenset(), ()).without_global().places == frozenset()
    assert found.for_sources(frozenset({"brim"})).policy_sources == {"brim"}
    assert found.for_sources(frozenset()) == found


def test_the_material_of_the_words_lets_general_rules_pass() -> None:
    inferred = replace(SCOPE, inferred=("content_types",))
    assert index_filter(inferred, frozenset(), ()).content_types == {"video", "general"}
    assert index_filter(replace(inferred, content_types=()), frozenset(), ()).content_types == frozenset()


def test_a_declared_label_shuts_out_where_a_filter_asks_for() -> None:
    scope = replace(
        SCOPE, labels={"stage": ("live",), "variant": ("indoor",)}, labels_excluded={"variant": ("outdoor",)}
    )
    found = index_filter(scope, frozenset(), ())
    assert found.labels == {"stage": frozenset({"live"})}
    assert found.labels_excluded == {"variant": frozenset({"outdoor"})}
