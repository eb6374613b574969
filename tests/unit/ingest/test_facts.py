from datetime import UTC, date, datetime

import pytest

from ingest.facts import DocumentFacts, read_facts
from rag_core.documents import Classification, ContentType
from rag_core.errors import Rejected


def test_everything_that_can_be_stated() -> None:
    facts = read_facts(
        {
            "title": "Beer",
            "document_id": "acme_beer",
            "policy_source": "acme",
            "url": "https://acme.example/beer",
            "effective_from": date(2026, 1, 2),
            "regions": ["UK", "de"],
            "content_type": "video",
            "classification": "restricted",
            "allowed_groups": ["Legal"],
            "labels": {"stage": "Sample", "year": 2026},
            "author": "somebody",
            "posted_at": datetime(2026, 1, 1, tzinfo=UTC),
            "post_number": 3,
        },
        {},
    )

    assert facts == DocumentFacts(
        "Beer",
        "acme_beer",
        "acme",
        "https://acme.example/beer",
        date(2026, 1, 2),
        ("uk", "de"),
        ContentType.VIDEO,
        Classification.RESTRICTED,
        frozenset({"legal"}),
        {"stage": "sample", "year": "2026"},
        "somebody",
        datetime(2026, 1, 1, tzinfo=UTC),
        3,
    )


def test_meta_elements_hold_text() -> None:
    facts = read_facts({"regions": "uk, gb", "effective-date": "2026-01-02", "labels": "stage=sample,a=b"}, {})

    assert facts.regions == ("uk", "uk")
    assert facts.effective_from == date(2026, 1, 2)
    assert facts.labels == {"stage": "sample", "a": "b"}


def test_keys_of_others_are_left_alone() -> None:
    assert read_facts({"versions": {"fpt": "*"}, "redirect_from": ["/x"], "title": None}, {}) == DocumentFacts()


def test_norway_is_no_truth_value() -> None:
    assert read_facts({"region": False}, {}).regions == ("no",)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("regions", ["uk", "atlantis"]),
        ("regions", []),
        ("effective_from", "soon"),
        ("content_type", "smell"),
        ("classification", "secret"),
        ("document_id", "Acme Beer"),
        ("url", "javascript:alert(1)"),
        ("post_number", -1),
        ("labels", ["a"]),
    ],
)
def test_wrong_values_are_named(key: str, value: object) -> None:
    with pytest.raises(Rejected, match="front_matter_invalid") as caught:
        read_facts({key: value}, {key: 4})
    assert caught.value.details["key"] == key
    assert caught.value.details["line"] == 4
