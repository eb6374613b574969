"""Modals on an answer: within Slack's limits whatever is in them; and the record read back as the answer it was."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from bot.answers.feedback import LONGEST_COMMENT
from bot.answers.recorded import answer_from, scope_from
from bot.answers.seen import InContext, SeenAnswer
from bot.model.jsonable import jsonable
from bot.model.links import Links
from bot.render.json import reply_json
from bot.render.scope_form import ScopeChosen
from bot.render.slack.modals import feedback_modal, scope_modal, share_modal, sources_modal, whole_answer_modal
from bot.wording.answers import reasons
from ops.sandbox.slack.block_kit import Surface, check_view
from rag_core.answers import Answer, Approved, AskTrace, Reply
from rag_core.documents import Passage, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import Intent, Question, Scope
from tests.fakes import hostile, replies, slack_limits
from tests.fakes.documents import make_write, passages_of
from tests.fakes.feedback import make_answer
from tests.fakes.golden import golden_json

LINKS = Links("https://bot.example", {"sample": "Sample Ads"})
PASSAGE = passages_of(make_write())[0]


def passage_until(day: date | None) -> Passage:
    return replace(PASSAGE, version=replace(PASSAGE.version, effective_to=day))


def seen(answer: Reply, *, is_whole: bool = True, question: str = "can I", gone: int = 0) -> SeenAnswer:
    shape = json.loads(json.dumps(reply_json("a1", answer, LINKS, {})))
    trace = jsonable(AskTrace(Question(question, answer.scope, Intent.PERMISSION, ())))
    record = make_answer(reply=shape, trace=trace, question_text=question)
    cited = answer.citations if isinstance(answer, Answer) else ()
    chunks = {each.chunk_id: passage_until(each.effective_to) for each in cited}
    return SeenAnswer(record, True, is_whole, chunks, gone)


def context_of(answer: Answer, text: str = "") -> dict[str, InContext]:
    return {
        each.chunk_id: InContext(text or "Before it.", each.quote, text or "Behind it.") for each in answer.citations
    }


def problems(view: dict[str, Any], links: tuple[str, ...]) -> list[str]:
    """What Slack would refuse, and what would link or mention unasked."""
    refused = check_view(json.loads(json.dumps(view)), Surface.MODAL)
    as_message = {"blocks": [each for each in view["blocks"] if each["type"] != "input"], "text": "x"}
    found = slack_limits.violations({**as_message, "unfurl_links": False, "unfurl_media": False}, links)
    return [
        *([str(refused)] if refused else []),
        *(each for each in found if "too_long" not in each and "blocks:" not in each),
    ]


def our_links(answer: Answer) -> tuple[str, ...]:
    listed = answer.documents.documents if answer.documents else ()
    return (*(LINKS.citation(each) for each in answer.citations), *(LINKS.document(each) for each in listed))


ANSWERS = {
    "answer": replies.answer(),
    "comparison": replies.comparison(),
    "changes": replies.changed(),
    "documents": replies.documents(),
    "approved": replies.answer(approved=Approved("Legal desk", replies.TODAY, "", 0)),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_whole_answer_is_read_back_as_it_was(name: str) -> None:
    answer = ANSWERS[name]
    shape = json.loads(json.dumps(reply_json("a1", answer, LINKS, {})))
    read = answer_from(shape, jsonable(AskTrace(Question("x", answer.scope, Intent.PERMISSION, ()))))
    assert reply_json("a1", replace(read, choices=answer.choices), LINKS, {}) == reply_json("a1", answer, LINKS, {})
    assert read.scope == replace(answer.scope, notes=())
    assert our_links(read) == our_links(answer)


@pytest.mark.parametrize(
    "changes", [{"kind": "refusal"}, {"citations": [{}]}, {"verdicts": [{"verdict": "maybe"}]}, {"scope": None}]
)
def test_what_is_no_answer_is_refused(changes: dict[str, Any]) -> None:
    shape = {**reply_json("a1", replies.answer(), LINKS, {}), **changes}
    with pytest.raises(Rejected, match="answer_unreadable"):
        answer_from(shape)
    if "scope" in changes:
        with pytest.raises(Rejected, match="answer_unreadable"):
            scope_from(shape, None)


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_persons_words_stay_a_persons_words(*, is_whole: bool) -> None:
    view = whole_answer_modal(seen(ANSWERS["approved"], is_whole=is_whole), LINKS, "")
    assert "written by a person, approved by Legal desk" in str(view)


def test_golden() -> None:
    answer = replies.answer()
    views = {
        "sources": sources_modal(seen(answer, gone=1), context_of(answer), LINKS, ""),
        "whole": whole_answer_modal(seen(answer), LINKS, ""),
        "partly": whole_answer_modal(seen(answer, is_whole=False), LINKS, ""),
        "feedback": feedback_modal(reasons(), LONGEST_COMMENT, "{}"),
        "scope": scope_modal("can I", [PolicySource("sample", "Sample")], ScopeChosen(regions=("uk",)), "{}"),
        "share": share_modal("can I", "C1", "{}"),
    }
    for view in views.values():
        assert problems(view, our_links(answer)) == []
    assert views == golden_json("slack/modals", views)


def test_without_anything_to_show_it_says_so() -> None:
    view = sources_modal(seen(replies.answer()), {}, LINKS, "")
    assert "There is nothing to show here" in json.dumps(view)


def test_of_very_many_sources_the_rest_is_named() -> None:
    citations = tuple(replies.citation(n, quote="word " * 200) for n in range(1, 80))
    answer = replies.answer(citations=citations)
    view = sources_modal(seen(answer), context_of(answer, "word " * 90), LINKS, "")
    assert problems(view, our_links(answer)) == []
    assert "There is more than fits here" in json.dumps(view)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(hostile.answers(), hostile.texts)
def test_no_answer_breaks_a_limit(answer: Answer, text: str) -> None:
    links = our_links(answer)
    found = seen(answer, question=text)
    assert problems(sources_modal(found, context_of(answer, text), LINKS, ""), links) == []
    assert problems(whole_answer_modal(found, LINKS, ""), links) == []
    assert problems(whole_answer_modal(replace(found, is_whole=False), LINKS, ""), links) == []
    assert problems(scope_modal(text, [PolicySource("x", text or "x")], ScopeChosen(), ""), links) == []
    assert problems(share_modal(text, "", ""), links) == []


def test_a_scope_without_a_trace_takes_all_for_read() -> None:
    shape = reply_json("a1", replies.answer(), LINKS, {})
    found: Scope = scope_from(shape, None)
    assert set(found.inferred) == {"regions", "as_of"}
