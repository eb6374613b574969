"""One of each set of copies is shown; what differs in anything that matters is no copy."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from rag_core.documents import ContentType, Passage
from rag_core.retrieval.found import Found, are_alike, without_copies
from tests.fakes.rules import passage

BODY = "Ads for kites may run, if the audience is aged 18 or over."
OLD, NEW = date(2025, 1, 1), date(2026, 1, 1)


def found(body: str = BODY, score: float = 0.5, **changes: Any) -> Found:
    fields: dict[str, Any] = {"document_id": "acme_copy", "effective_from": NEW} | changes
    heading, regions = fields.pop("heading", "Kites"), fields.pop("regions", ("global",))
    return Found(passage(body, heading, regions, **fields), score)


FIRST = Found(passage(BODY, "Kites", document_id="acme_first", effective_from=OLD), 0.9)


def test_of_copies_the_newest_stays_where_the_best_stood() -> None:
    between = found("Darts may run.", 0.8)
    kept = without_copies([FIRST, between, found(score=0.2)])
    assert [each.passage.version.document_id for each in kept] == ["acme_copy", "acme_copy"]
    assert [each.score for each in kept] == [0.9, 0.8]
    assert kept[0].passage.version.effective_from == NEW
    assert without_copies([]) == []


def test_case_mark_up_and_punctuation_do_not_make_another_rule() -> None:
    assert len(without_copies([FIRST, found("Ads for **kites** may run; if the audience is aged 18, or over")])) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"body": BODY.replace("18", "21")},
        {"body": BODY.replace("may run", "may not run")},
        {"regions": ("uk",)},
        {"heading": "Darts"},
        {"title": "Other rules"},
        {"document_id": "brim_copy"},
        {"labels": {"variant": "outdoor"}},
        {"lead_in": "We do not allow:"},
    ],
)
def test_another_word_place_heading_title_platform_label_or_lead_in_is_another_rule(changes: dict[str, Any]) -> None:
    assert len(without_copies([FIRST, found(**changes)])) == 2


def changed(**fields: Any) -> Found:
    copy = found()
    return Found(Passage(replace(copy.passage.chunk, **fields), copy.passage.version), 0.5)


def test_rules_for_another_kind_of_material_number_or_with_excluded_places_are_others() -> None:
    others = [
        changed(content_type=ContentType.VIDEO),
        changed(rule_number="4.2"),
        changed(regions_excluded=("uk",)),
    ]
    assert len(without_copies([FIRST, *others])) == 4


def test_drafts_of_one_rule_are_alike_and_both_stay() -> None:
    draft = found(BODY.replace("18", "21"))
    assert are_alike(FIRST, draft)
    assert not are_alike(FIRST, FIRST)
    assert not are_alike(FIRST, found("Kites may run."))
    assert not are_alike(FIRST, found(BODY, regions=("uk",)))
