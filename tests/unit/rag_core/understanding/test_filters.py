"""Explicit filters, checked."""

import pytest

from rag_core.documents import ContentType, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import Filters
from rag_core.understanding.cleaning import check_filters, content_type

SOURCES = (PolicySource("acme", "Acme Ads", ("Plume",)), PolicySource("brim", "Brim"))


def test_values_are_stripped_lower_cased_and_unique() -> None:
    given = Filters(
        policy_sources=(" ACME", "Plume", "Acme Ads", "brim"),
        regions=(" GB", "uk", "US-TX"),
        content_types=("Landing page", "landing-page", "VIDEO"),
        sections=("  Kites   and Darts ", "kites and darts", " "),
        labels={" Stage ": (" Beta", "beta", "LIVE")},
    )
    assert check_filters(given, SOURCES) == Filters(
        policy_sources=("acme", "brim"),
        regions=("uk", "us-tx"),
        content_types=("landing_page", "video"),
        sections=("kites and darts",),
        labels={"stage": ("beta", "live")},
    )


@pytest.mark.parametrize(
    ("filters", "code", "value", "known"),
    [
        (Filters(policy_sources=("acme", "plumb")), "unknown_policy_source", "plumb", "acme, brim"),
        (Filters(regions=("atlantis",)), "unknown_region", "atlantis", "uk"),
        (Filters(content_types=("song",)), "unknown_content_type", "song", "ad_text, image, video"),
    ],
)
def test_an_unknown_value_says_what_could_have_been(filters: Filters, code: str, value: str, known: str) -> None:
    with pytest.raises(Rejected, match=code) as caught:
        check_filters(filters, SOURCES)
    assert caught.value.details["value"] == value
    assert known in str(caught.value.details["known"])


def test_without_documents_no_source_is_known() -> None:
    with pytest.raises(Rejected) as caught:
        check_filters(Filters(policy_sources=("acme",)), ())
    assert caught.value.details["known"] == "none yet"


def test_every_content_type_is_known_by_its_own_name() -> None:
    assert [content_type(each.value) for each in ContentType] == list(ContentType)
