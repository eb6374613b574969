"""The REST shape, field by field as the contract names them."""

import json
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings

from bot.model.links import Links
from bot.model.outcomes import Failure, FailureCode, Postponed, Rejection
from bot.render.json import outcome_json, reply_json
from rag_core.answers import Notice, RefusalReason, Reply, Verdict, WarningCode
from rag_core.documents import ContentType
from rag_core.questions import Filters
from tests.fakes import hostile, replies
from tests.fakes.golden import golden_json

LINKS = Links("https://bot.example", {"sample": "Sample Ads"})

ALWAYS = {
    *("answer_id", "kind", "verdict", "verdicts", "text", "statements", "citations"),
    *("scope", "warnings", "degraded", "timings_ms"),
}
CITATION = {
    *("number", "chunk_id", "doc_id", "document_id", "policy_source", "title", "url", "section_path", "rule_number"),
    *(
        "page",
        "regions",
        "effective_from",
        "effective_to",
        "date_stated",
        "checked_at",
        "char_start",
        "char_end",
        "quote",
    ),
    *("quote_type", "confidence"),
}


def shape(reply: Reply) -> dict[str, Any]:
    return cast(dict[str, Any], reply_json("answer-1", reply, LINKS, {"total": 3.25}))


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("answer", replies.answer()),
        ("on_the_wider_thing", replies.WIDER),
        ("refusal", replies.refusal()),
        ("clarification", replies.clarification()),
        *replies.TABLES.items(),
    ],
)
def test_golden(name: str, reply: Reply) -> None:
    found = shape(reply)
    assert json.loads(json.dumps(found)) == golden_json(f"json/{name}", found)


def test_an_answer_has_the_fields_of_the_contract() -> None:
    found = shape(replies.answer())
    assert set(found) == ALWAYS
    assert set(found["citations"][0]) == CITATION
    assert set(found["scope"]) == {"policy_sources", "regions", "content_type", "as_of", "labels", "inferred"}


def test_what_is_optional_is_there_where_there_is_something_to_say() -> None:
    reply = replies.answer(
        not_stated=("podcasts",), rewritten_question="alcohol in podcasts", choices=(replies.choice(),)
    )
    assert set(shape(reply)) == ALWAYS | {"not_stated", "rewritten_question", "choices"}
    post = shape(replies.answer(citations=(replies.citation(author="a", posted_at=replies.CHECKED, post_number=3),)))
    assert set(post["citations"][0]) == CITATION | {"author", "posted_at", "post_number"}


@pytest.mark.parametrize(
    ("reply", "field", "names"),
    [
        (
            replies.comparison(),
            "comparison",
            {"region", "policy_source", "verdict", "conditions", "not_stated", "citations"},
        ),
        (
            replies.changed(),
            "changes",
            {
                *("kind", "direction", "changed_on", "policy_source", "document_id", "title", "section_path"),
                *("moved_from", "whole_document", "lead_in", "before", "after", "before_citation", "after_citation"),
            },
        ),
        (
            replies.documents(),
            "documents",
            {"document_id", "policy_source", "title", "url", "versions", "more_versions", "checked_at"},
        ),
    ],
)
def test_what_stands_side_by_side_has_a_field_of_its_own(reply: Reply, field: str, names: set[str]) -> None:
    found = shape(reply)
    assert set(found) == ALWAYS | {field}
    rows = next(value for value in found[field].values() if isinstance(value, list))
    assert all(set(each) == names for each in rows)
    assert found[field]["left_out"] > 0


def test_the_first_day_of_changes_is_in_the_scope() -> None:
    assert shape(replies.changed())["scope"]["since"] == "2026-01-01"


def test_a_verdict_only_if_all_agree() -> None:
    differing = (replies.place_verdict(Verdict.PROHIBITED, "de"), replies.place_verdict(Verdict.ALLOWED, "fr"))
    found = shape(replies.answer(verdicts=differing))
    assert found["verdict"] is None
    assert [each["verdict"] for each in found["verdicts"]] == ["prohibited", "allowed"]


@pytest.mark.parametrize("reply", [replies.refusal(), replies.clarification()])
def test_a_reply_without_statements_has_empty_lists(reply: Reply) -> None:
    found = shape(reply)
    assert (found["verdict"], found["verdicts"], found["statements"], found["citations"]) == (None, [], [], [])


def test_a_refusal_names_its_reason_and_what_is_near() -> None:
    found = shape(replies.refusal(RefusalReason.LIST_MISSING))
    assert found["refusal"]["reason"] == "list_missing"
    assert found["refusal"]["nearest"][0]["url"] == "https://ads.example/policies/gambling#lotteries"


@pytest.mark.parametrize(
    ("types", "value"),
    [
        ((), None),
        ((ContentType.IMAGE,), "image"),
        ((ContentType.IMAGE, ContentType.VIDEO), ["image", "video"]),
    ],
)
def test_content_type_as_in_a_request(types: tuple[ContentType, ...], value: object) -> None:
    found = shape(replies.answer(scope=replies.scope(content_types=types, inferred=("content_types",), assumed=())))
    assert found["scope"]["content_type"] == value
    assert found["scope"]["inferred"] == ["content_type"]


def test_filters_of_a_choice_can_be_sent_back() -> None:
    filters = Filters(("sample",), ("de",), ("image",), ("alcohol",), {"stage": ("sample",)})
    found = shape(replies.clarification(choices=(replies.choice(filters=filters), replies.choice(filters=Filters()))))
    assert found["choices"][0]["filters"] == {
        "policy_source": ["sample"],
        "region": ["de"],
        "content_type": ["image"],
        "policy_section": ["alcohol"],
        "labels": {"stage": ["sample"]},
    }
    assert found["choices"][1]["filters"] == {}


def test_warnings_have_code_text_and_subjects() -> None:
    notice = Notice(WarningCode.CONFLICT, ("sample_alcohol", "unknown_document"))
    (found,) = shape(replies.answer(warnings=(notice,)))["warnings"]
    assert found["code"] == "conflict"
    assert "“Alcohol” and “unknown_document”" in found["text"]
    assert found["subjects"] == ["sample_alcohol", "unknown_document"]


def test_a_rejection_is_problem_details_with_the_known_values() -> None:
    found = outcome_json(Rejection("unknown_region", {"value": "dee", "known": ("de", "fr")}))
    assert found == {
        "type": "urn:adpolicy:problem:unknown_region",
        "title": "Unknown place",
        "detail": "“dee” is no known place. Did you mean “de”? Known: de, fr.",
        "code": "unknown_region",
        "known": ["de", "fr"],
    }
    assert outcome_json(Rejection("unknown_region", {"value": "x", "known": "de, fr"}))["known"] == "de, fr"
    assert "known" not in outcome_json(Rejection("question_empty", {}))


def test_a_failure_is_problem_details_with_its_reference() -> None:
    found = outcome_json(Failure(FailureCode.INTERNAL, "question-1"))
    assert set(found) == {"type", "title", "detail", "code", "reference"}
    assert found["reference"] == "question-1"


def test_a_postponed_question_is_problem_details_with_its_reference() -> None:
    found = outcome_json(Postponed("question-1"))
    assert (found["code"], found["reference"]) == ("postponed_search_down", "question-1")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(hostile.any_reply)
def test_every_reply_is_json(reply: Reply) -> None:
    assert json.loads(json.dumps(shape(reply)))["answer_id"] == "answer-1"
