"""Sentences: each says what happened and what to do next, in plain English."""

from dataclasses import replace
from datetime import date

import pytest

from bot import wording
from bot.model.outcomes import Delay, Failure, FailureCode, Postponed, Rejection
from bot.wording.names import in_place, in_places, listed, place
from rag_core.answers import Notice, PlaceVerdict, Refusal, RefusalReason, Verdict, WarningCode
from rag_core.documents import ContentType
from rag_core.questions import Filters
from tests.fakes import replies

NAMES = {"sample": "Sample Ads"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("uk", "in the United Kingdom"),
        ("us", "in the United States"),
        ("de", "in Germany"),
        ("eu", "in the European Union"),
        ("nl", "in the Netherlands"),
        ("ae", "in the United Arab Emirates"),
        ("ky", "in the Cayman Islands"),
        ("do", "in the Dominican Republic"),
        ("in", "in India"),
        ("us-tx", "in Texas (United States)"),
        ("global", "worldwide"),
        (None, ""),
    ],
)
def test_in_place(code: str | None, found: str) -> None:
    assert in_place(code) == found


def test_in_places() -> None:
    assert in_places(["de", "uk", "de"]) == "in Germany and the United Kingdom"
    assert in_places(["global"]) == "worldwide"
    assert place("global") == "all places"


def test_listed() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "a"], "or") == "a or b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([str(number) for number in range(10)], limit=3) == "0, 1 and 8 more"


def test_names_of_days_sources_and_types() -> None:
    assert wording.day(date(2026, 3, 1)) == "1 March 2026"
    assert wording.source_name("sample", NAMES) == "Sample Ads"
    assert wording.source_name("big_network", NAMES) == "Big Network"
    assert {wording.content_type_name(each) for each in ContentType} >= {"images", "landing pages"}


@pytest.mark.parametrize(
    ("verdicts", "found"),
    [
        ((replies.place_verdict(region="uk"),), "Restricted in the United Kingdom"),
        ((replies.place_verdict(region=None),), "Restricted (no place was named)"),
        ((replies.place_verdict(region="de"), replies.place_verdict(region="fr")), "Restricted in Germany and France"),
        (
            (replies.place_verdict(region="de"), replies.place_verdict(Verdict.ALLOWED, "fr")),
            "The verdict differs by place",
        ),
        (
            (replies.place_verdict(), replies.place_verdict(Verdict.ALLOWED, policy_source="other")),
            "The verdict differs by platform",
        ),
        (
            (replies.place_verdict(), replies.place_verdict(Verdict.ALLOWED, "fr", policy_source="other")),
            "The verdict differs by place and platform",
        ),
        ((), "What the policies say"),
    ],
)
def test_headline(verdicts: tuple[PlaceVerdict, ...], found: str) -> None:
    assert wording.headline(replies.answer(verdicts=verdicts)) == found


def test_what_is_not_stated_has_no_verdict_and_is_no_permission() -> None:
    answer = replies.answer(verdicts=(), not_stated=("podcasts",))
    assert wording.headline(answer) == "No verdict: the policies do not state this"
    assert "“podcasts”" in wording.not_stated(answer)
    assert "not a permission" in wording.not_stated(answer)
    assert "no verdict" not in wording.not_stated(replies.changed(not_stated=("podcasts",)))
    assert wording.not_stated(replies.answer()) == ""


def test_a_verdict_on_the_wider_thing_says_what_it_does_not_name() -> None:
    assert wording.headline(replies.WIDER) == "Prohibited in the United Kingdom"
    assert wording.not_stated(replies.WIDER) == (
        "The policies do not name “gummies”; this is the rule on the wider thing."
    )
    both = (replies.place_verdict(), replies.place_verdict(Verdict.PROHIBITED, "de"))
    assert "these are rules on the wider thing" in wording.not_stated(replace(replies.WIDER, verdicts=both))


def test_a_row_with_a_verdict_says_what_its_rules_do_not_name() -> None:
    row = replies.comparison_row()
    assert wording.row_verdict(row) == "Restricted"
    assert wording.row_verdict(replace(row, not_stated=("rum",))) == "Restricted (“rum” is not named)"
    assert wording.row_verdict(replace(row, not_stated=("rum", "gin"))) == "Restricted (“rum” and “gin” are not named)"
    assert wording.row_verdict(replace(row, verdict=None, not_stated=("rum",))) == ""


def test_a_summary_lists_verdicts_that_differ() -> None:
    verdicts = tuple(
        replies.place_verdict(verdict, region)
        for verdict, region in zip(
            [Verdict.PROHIBITED, *[Verdict.ALLOWED] * 4], ["de", "fr", "it", "es", None], strict=True
        )
    )
    assert wording.verdict_summary(replies.answer(verdicts=verdicts), NAMES) == (
        "The verdict differs by place: prohibited in Germany on Sample Ads; allowed in France on Sample Ads; "
        "allowed in Italy on Sample Ads; allowed in Spain on Sample Ads; and 1 more."
    )


def test_scope_marks_what_was_not_set() -> None:
    scope = replies.scope(
        regions=("de", "uk"),
        policy_sources=("sample",),
        content_types=(ContentType.IMAGE,),
        sections=("alcohol",),
        labels={"stage": ("sample", "draft")},
    )
    assert wording.scope_line(scope, NAMES) == (
        "Places: Germany and United Kingdom (from the question) · Platform: Sample Ads · Material: images · "
        "Section: alcohol · stage: sample or draft · Day: 22 November 2026 (assumed)"
    )
    assert wording.scope_line(replies.scope(regions=(), inferred=(), assumed=()), {}) == (
        "Place: none named · Platform: any · Day: 22 November 2026"
    )


@pytest.mark.parametrize(
    ("notice", "said"),
    [
        (Notice(WarningCode.SAMPLE), "invented samples"),
        (Notice(WarningCode.NO_RULE_FOR_PLACE, ("uk",)), "No rule of its own was found for the United Kingdom"),
        (Notice(WarningCode.NO_RULE_FOR_PLACE, ("de", "fr")), "found for Germany and France; the global rules"),
        (Notice(WarningCode.NO_RULE_FOR_PLACE), "No rule of the place"),
        (Notice(WarningCode.CONFLICT, ("d1", "Spirits")), "contradict each other here (“Alcohol” and “Spirits”)"),
        (Notice(WarningCode.CONFLICT), "contradict each other here. Read the sources"),
        (
            Notice(WarningCode.CONFLICT, ("d1", "2026-05-04", "Spirits", "2025-03-01")),
            "(“Alcohol” of 4 May 2026 and “Spirits” of 1 March 2025)",
        ),
        (Notice(WarningCode.SPECIFIC_FIRST, ("uk",)), "rule says otherwise for the United Kingdom: the more specific"),
        (Notice(WarningCode.SPECIFIC_FIRST), "A more general rule says otherwise: the more specific one decides."),
        (
            Notice(WarningCode.PLACES_DIFFER, ("de",)),
            "Some places have rules of their own, for example Germany. Name the",
        ),
        (Notice(WarningCode.PLACES_DIFFER), "Some places have rules of their own. Name the place"),
        (
            Notice(WarningCode.DATE_NOT_STATED, ("2026-05-03",)),
            "Read on 3 May 2026; the document does not state since when it holds.",
        ),
        (Notice(WarningCode.PAST_DAY, ("2026-03-01", "d1")), "This holds for 1 March 2026: a later version"),
        (Notice(WarningCode.FUTURE_DAY, ("2027-03-01",)), "1 March 2027 is still to come"),
        (Notice(WarningCode.NOTHING_FOUND, ("fr", "acme")), "No rule was found for France and acme. That is not a"),
        (
            Notice(WarningCode.NO_DOCUMENTS, ("Kiteflix",)),
            "There are no policies of Kiteflix on file that you can see.",
        ),
        (Notice(WarningCode.NOTHING_FOUND), "No rule was found for a part of the question"),
        (Notice(WarningCode.FUTURE_DAY, ("soon",)), "The day asked about is still to come"),
    ],
)
def test_warnings(notice: Notice, said: str) -> None:
    assert said in wording.warning(notice, {"d1": "Alcohol"})


@pytest.mark.parametrize(
    "part", ["vector", "keyword", "embedder", "store", "reranker", "model", "memory", "redis", "something new"]
)
def test_a_part_that_is_down_says_what_it_means(part: str) -> None:
    assert "did not answer:" in wording.degraded(part)


def test_what_is_missing_besides() -> None:
    assert "could not be recorded" in wording.degraded("record")
    assert "was not taken into account" in wording.degraded("order")
    assert "redis" not in wording.degraded("redis").lower()  # who reads an answer knows no servers


def test_groups_that_were_not_read_are_no_hint_at_documents_that_are_not_shown() -> None:
    said = wording.degraded("groups")
    assert said.startswith("Your groups could not be read")
    for word in ("restricted", "hidden", "more", "other", "may", "not shown", "missing"):
        assert word not in said.lower()


def test_sources() -> None:
    assert wording.section_title("Alcohol", "alcohol > Countries >  > UK") == "Alcohol › Countries › UK"
    assert wording.section_title("Alcohol", "") == "Alcohol"
    assert wording.in_force(date(2026, 1, 1), None, date_stated=False) == "read on 1 January 2026, date not stated"
    assert wording.in_force(date(2026, 1, 1), None) == "in force since 1 January 2026"
    assert wording.in_force(date(2026, 1, 1), date(2026, 3, 1)) == "in force from 1 January 2026 until 28 February 2026"
    citation = replies.citation(
        rule_number="2.1", page=4, author="moderator", post_number=3, posted_at=replies.CHECKED, regions=()
    )
    assert wording.source_facts(citation, NAMES) == (
        "Sample Ads · in force since 15 January 2026 · rule 2.1 · page 4 · post 3 by moderator, 21 November 2026"
    )


@pytest.mark.parametrize("reason", RefusalReason)
def test_every_refusal_says_why_and_what_next(reason: RefusalReason) -> None:
    words = wording.refusal(replies.refusal(reason), NAMES)
    assert words.headline
    assert not words.headline.endswith(".")
    assert words.body.endswith(".")
    assert words.next_step.endswith(".")


@pytest.mark.parametrize("reason", [RefusalReason.NOT_COVERED, RefusalReason.OTHER_DAY, RefusalReason.LIST_MISSING])
def test_a_refusal_after_a_search_says_what_was_looked_for_where(reason: RefusalReason) -> None:
    words = wording.refusal(replies.refusal(reason), NAMES)
    assert "Looked for “raffles” and “church” in the policies of Sample Ads, for ads in Germany" in words.body
    assert "nearest sections" in words.next_step
    alone: Refusal = replies.refusal(reason, nearest=(), looked_for=(), scope=replies.scope(regions=()))
    words = wording.refusal(alone, NAMES)
    assert "Looked for an answer in the policies of Sample Ads, as of 22 November 2026." in words.body
    assert "nearest sections" not in words.next_step


def test_a_platform_without_policies_is_named_with_those_that_have_some() -> None:
    words = wording.refusal(replies.refusal(warnings=(Notice(WarningCode.NO_DOCUMENTS, ("Kiteflix",)),)), NAMES)
    assert words.headline == "There are no policies of Kiteflix to look in"
    assert "On file are those of Sample Ads" in words.body
    assert "add the policies of Kiteflix" in words.next_step


def test_without_documents_a_refusal_says_that_there_are_none() -> None:
    words = wording.refusal(replies.refusal(searched=(), nearest=()), NAMES)
    assert words.headline == "There are no policies to look in"
    assert wording.refusal(replies.refusal(RefusalReason.OFF_TOPIC, searched=()), NAMES).headline != words.headline


@pytest.mark.parametrize(
    ("kind", "subject", "label", "asks_for"),
    [
        ("region", "uk", "United Kingdom", "a place"),
        ("policy_source", "sample", "Sample Ads", "a platform"),
        ("topic", "Alcohol", "Alcohol", "a topic"),
    ],
)
def test_choices(kind: str, subject: str, label: str, asks_for: str) -> None:
    choice = replies.choice(subject, kind, question=f"{label}: what holds", filters=Filters())
    assert wording.choice_label(choice, NAMES) == label
    assert wording.choice_line(choice, NAMES) == f"{label}: what holds"
    assert asks_for in wording.clarification(replies.clarification(choices=(choice,))).next_step


def test_a_section_that_is_asked_for_by_its_title_is_named_once() -> None:
    choice = replies.choice("4. Exceptions", "section", question="Gambling: 4. Exceptions", filters=Filters())
    assert wording.choice_label(choice, NAMES) == "See also “4. Exceptions”"
    assert wording.choice_line(choice, NAMES) == "See also “4. Exceptions”"


def test_choices_of_several_kinds() -> None:
    mixed = replies.clarification(choices=(replies.choice("de"), replies.choice("sample", "platform")))
    assert wording.clarification(mixed).next_step == "Choose one and ask again:"


REJECTIONS = [
    ("question_empty", {}, "Write a question"),
    ("question_too_long", {"limit": 2000, "length": 10_000}, "It has 10000 characters; at most 2000 can be read."),
    ("question_too_long", {}, "It has too many characters. Ask one thing"),
    ("unknown_region", {"value": "germny", "known": ["germany", "france"]}, "Did you mean “germany”?"),
    ("unknown_region", {"value": "x", "known": "uk, de"}, "“x” is no known place. Known: uk, de."),
    ("unknown_content_type", {"value": "pdf", "known": ["image"]}, "“pdf” is no known content type. Known: image."),
    ("unknown_policy_source", {"value": "y", "known": ()}, "“y” is no platform with policies on file."),
    ("unknown_section", {"value": "y"}, "“y” is no section"),
    ("unknown_label", {"key": "stage", "value": "x", "known": ["sample"]}, "of the label “stage”. Known: sample."),
    ("unknown_label", {"value": "x"}, "“x” is no known value."),
    ("unknown_field", {"field": "questoin", "known": ["question"]}, "a field “questoin” that is not known."),
    ("invalid_as_of", {"value": "soon"}, "“soon” is no day. Write it as year-month-day"),
    ("unclear_day", {"value": "before the change"}, "“before the change” names no day"),
    ("invalid_value", {"field": "top_k", "value": -1, "reason": "at least 1"}, "“-1” cannot be used for “top_k”: at"),
    ("body_too_large", {"limit": 1000}, "At most 1000 bytes are read."),
    ("body_too_large", {}, "Send a shorter one."),
    ("malformed_json", {}, "Send a JSON object"),
    ("not_an_object", {}, "Send an object"),
    ("unsupported_media_type", {}, "application/json"),
    ("not_found", {}, "nothing at this address"),
    ("method_not_allowed", {}, "does not take"),
    ("unauthorized", {}, "valid token"),
    ("forbidden", {}, "Ask your administrator"),
    ("rate_limited", {}, "Ask again in a minute."),
    ("rate_limited", {"seconds": 0.2}, "Ask again in 1 second."),
    ("rate_limited", {"seconds": 119}, "Ask again in 119 seconds."),
    ("rate_limited", {"seconds": 3600}, "Ask again in 60 minutes."),
    ("some_new_code", {}, "The request was not accepted: some new code. Change it and try again."),
]


@pytest.mark.parametrize(("code", "details", "said"), REJECTIONS)
def test_rejections(code: str, details: dict[str, object], said: str) -> None:
    found = wording.rejection(Rejection(code, details))
    assert said in found.detail
    assert found.title


def test_what_was_given_is_not_repeated_at_length() -> None:
    details: dict[str, object] = {"value": "x" * 5000, "known": [str(number) for number in range(300)]}
    found = wording.rejection(Rejection("unknown_region", details)).detail
    assert len(found) < 300
    assert "and 280 more" in found


@pytest.mark.parametrize("code", FailureCode)
def test_failures_say_what_to_do_and_how_to_be_found(code: FailureCode) -> None:
    found = wording.failure(Failure(code, "question-1"))
    assert "Ask again" in found.detail
    assert found.detail.endswith("Reference: question-1")


@pytest.mark.parametrize("delay", Delay)
def test_a_postponed_question_is_kept_and_can_be_found(delay: Delay) -> None:
    found = wording.postponed(Postponed("question-1", delay))
    assert "Your question is kept and will be answered here" in found.detail
    assert found.detail.endswith("Reference: question-1")
    assert found.title
