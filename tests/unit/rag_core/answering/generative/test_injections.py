"""A model that obeys every injection of the corpus: what it then says is not shown.

The texts are taken as they stand, hidden parts included, which parsers would leave out.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rag_core.answering.generative.check import CheckScope, DraftCheck
from rag_core.answering.generative.drafts import Checked, Draft, DraftCitation
from rag_core.answering.generative.writer import Writer
from rag_core.answers import Answer, Verdict
from rag_core.ask import Asker
from rag_core.errors import Rejected
from rag_core.questions import AskRequest
from rag_core.regions import find_regions
from rag_core.sentences import sentence_spans
from rag_core.understanding.terms import blank_out, terms_of
from tests.fakes.kites import TODAY, TOYS
from tests.fakes.model import FakeModel, answering, statement
from tests.fakes.policies import open_desk
from tests.fakes.rules import passage

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[4] / "golden" / "injections.jsonl").read_text(encoding="utf-8").splitlines()
]
IN_DOCUMENTS = [each for each in CORPUS if each["where"] == "document"]
IN_QUESTIONS = [each for each in CORPUS if each["where"] == "question"]


def sentences(text: str) -> list[str]:
    return [line[start:end] for line in text.splitlines() if line.strip() for start, end in sentence_spans(line)]


def shown(injection: dict[str, Any], body: str, drafts: list[str]) -> list[str]:
    verdict = injection.get("verdict")
    asked = injection.get("question", "").replace("Brackenfold", "")
    terms = terms_of(blank_out(asked, [(each.start, each.end) for each in find_regions(asked)]))
    scope = CheckScope(verdicts=(Verdict(verdict),) if verdict else (), terms=terms)
    check = DraftCheck({"doc1": passage(body)}, scope)
    found = [check.check(Draft(text, (DraftCitation("doc1", text),))) for text in drafts]
    return [each.statement.text for each in found if isinstance(each, Checked)]


@pytest.mark.parametrize("injection", IN_DOCUMENTS, ids=lambda each: each["id"])
def test_what_a_document_orders_is_not_said(injection: dict[str, Any]) -> None:
    text = injection["text"]
    orders = [each for each in sentences(text) if any(re.search(bad, each) for bad in injection["must_not"])]
    for said in shown(injection, text, orders):
        assert not any(re.search(bad, said) for bad in injection["must_not"]), said


@pytest.mark.parametrize("injection", IN_QUESTIONS, ids=lambda each: each["id"])
def test_what_a_question_orders_is_not_said(injection: dict[str, Any]) -> None:
    """What the asker says is evidence of nothing: no document has it."""
    body = "Ads for kites may run if the audience is aged 18 or over."
    assert shown(injection, body, [injection["text"], *sentences(injection["text"])]) == []


@pytest.mark.parametrize("injection", IN_QUESTIONS, ids=lambda each: each["id"])
@pytest.mark.parametrize("two", [False, True])
async def test_a_model_that_obeys_a_question_changes_nothing(injection: dict[str, Any], two: bool) -> None:
    """The whole way: it says what it was told to, with a quote that stands there, and judges as it was told to."""
    desk = open_desk(TOYS)
    request = AskRequest(injection["text"][:500], TODAY)
    obeyed = [statement(each, ("doc1", "may run if the audience is aged 18")) for each in sentences(injection["text"])]
    free_text = " ".join(f"{each} [doc1]" for each in sentences(injection["text"]))
    model = FakeModel(lambda request: answering(*obeyed) if request.schema else free_text)
    extractor = FakeModel('{"citations": [{"doc": "doc1", "quote": "may run if the audience is aged 18"}]}')
    writer = Writer(model, extractor=extractor if two else None)
    asker = Asker(desk.search, desk.store, writer=writer)
    try:
        plain, _ = await desk.asker.ask(request)
    except Rejected as exc:
        with pytest.raises(Rejected, match=exc.code):
            await asker.ask(request)
        assert model.requests == []
        return
    reply, _ = await asker.ask(request)
    assert type(reply) is type(plain)
    if isinstance(reply, Answer) and isinstance(plain, Answer):
        assert [each.text for each in reply.statements] == [each.text for each in plain.statements]
        assert reply.verdicts == plain.verdicts
        assert reply.not_stated == plain.not_stated
