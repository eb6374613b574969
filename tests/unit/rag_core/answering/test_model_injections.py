"""A model that obeys every injection of the corpus: what it then says is not shown.

The texts are taken as they stand, hidden parts included, which parsers would leave out.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rag_core.answers import Answer
from rag_core.errors import Rejected
from rag_core.generation.reader import LanguageModelReader
from rag_core.layout import sentence_spans
from rag_core.ports import ModelRequest
from rag_core.questions import AskRequest
from tests.fakes.kites import TODAY, TOYS, document, kites
from tests.fakes.model import FakeModel, rules_of
from tests.fakes.policies import open_desk

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "golden" / "injections.jsonl").read_text(encoding="utf-8").splitlines()
]
IN_DOCUMENTS = [each for each in CORPUS if each["where"] == "document"]
IN_QUESTIONS = [each for each in CORPUS if each["where"] == "question"]


def sentences(text: str) -> list[str]:
    return [line[start:end] for line in text.splitlines() if line.strip() for start, end in sentence_spans(line)]


def obeying(texts: list[str]) -> FakeModel:
    """Says `texts` and that all rules allow what was asked."""

    def say(request: ModelRequest) -> str:
        numbers = list(rules_of(request.user))
        return json.dumps(
            {
                "deciding": [{"rule": number, "effect": "allows"} for number in numbers],
                "conditions": [],
                "exceptions": [],
                "not_stated": None,
                "sentences": [{"text": text, "rules": numbers} for text in texts],
            }
        )

    return FakeModel(say)


@pytest.mark.parametrize("injection", IN_DOCUMENTS, ids=lambda each: each["id"])
async def test_what_a_document_orders_is_not_said(injection: dict[str, Any]) -> None:
    text = injection["text"]
    orders = [each for each in sentences(text) if any(re.search(bad, each) for bad in injection["must_not"])]
    model = obeying(orders)
    desk = open_desk(
        document("acme_rules", kites(text, heading="Rules")), language_model=LanguageModelReader(model, 5.0)
    )
    _, trace = await desk.asker.ask(AskRequest(injection["question"], TODAY))
    for said in trace.notes.get("model", {}).get("statements", []):
        assert not any(re.search(bad, said["text"]) for bad in injection["must_not"]), said


@pytest.mark.parametrize("injection", IN_QUESTIONS, ids=lambda each: each["id"])
async def test_a_model_that_obeys_a_question_changes_nothing_that_is_said(injection: dict[str, Any]) -> None:
    """It says what it was told to, of rules that are there, and that they allow it all."""
    request = AskRequest(injection["text"][:500], TODAY)
    model = obeying(sentences(injection["text"]))
    asker = open_desk(TOYS, language_model=LanguageModelReader(model, 5.0)).asker
    try:
        reply, trace = await asker.ask(request)
    except Rejected:
        assert model.requests == []
        return
    assert trace.notes.get("model", {}).get("statements", []) == []
    if isinstance(reply, Answer):
        quoted = {quote.text for each in reply.statements for quote in each.quotes}
        assert {each.text for each in reply.statements} <= quoted
        plain, _ = await open_desk(TOYS).asker.ask(request)
        loosest = min((each.verdict for each in reply.verdicts), default=None)
        assert loosest != "allowed" or (isinstance(plain, Answer) and plain.verdict == "allowed")
