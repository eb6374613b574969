from datetime import UTC, date, datetime

import pytest

from ingest.model.facts import DocumentFacts, read_facts
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
        ("post_number", 2**31),
        ("posted_at", "0001-01-01T00:00:00+14:00"),
        ("posted_at", "9999-12-31T23:59:59-14:00"),
        ("labels", ["a"]),
    ],
)
def test_wrong_values_are_named(key: str, value: object) -> None:
    with pytest.raises(Rejected, match="front_matter_invalid") as caught:
        read_facts({key: value}, {key: 4})
    assert caught.value.details["key"] == key
    assert caught.value.details["line"] == 4


def test_an_end_and_what_is_superseded() -> None:
    facts = read_facts({"effective_to": "2026-05-01", "supersedes": "acme_ale, acme_beer_2025-01-01.2"}, {})

    assert facts.effective_to == date(2026, 5, 1)
    assert facts.supersedes == ("acme_ale", "acme_beer_2025-01-01.2")
    assert read_facts({"supersedes": ["acme_ale"]}, {}).supersedes == ("acme_ale",)
    known = DocumentFacts(effective_to=date(2026, 1, 1), supersedes=("acme_wine",))
    assert facts.over(known) == facts
    assert DocumentFacts().over(known) == known


@pytest.mark.parametrize("supersedes", ["Acme Ale", [""], [{"a": 1}]])
def test_a_name_that_is_none_is_refused(supersedes: object) -> None:
    with pytest.raises(Rejected, match="front_matter_invalid") as caught:
        read_facts({"supersedes": supersedes}, {})
    assert caught.value.details["key"] == "supersedes"


def test_nothing_ends_before_it_begins() -> None:
    with pytest.raises(Rejected, match="front_matter_invalid") as caught:
        read_facts({"effective_from": "2026-05-02", "effective_to": "2026-05-01"}, {"effective_to": 7})
    assert (caught.value.details["key"], caught.value.details["line"]) == ("effective_to", 7)
    assert read_facts({"effective_from": "2026-05-01", "effective_to": "2026-05-01"}, {}).effective_to
