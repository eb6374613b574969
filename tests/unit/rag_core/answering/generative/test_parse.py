"""Output of models, whole, cut and broken: what can be saved of it."""

import json

import pytest

from rag_core.answering.generative.drafts import Draft, DraftCitation, Judgement
from rag_core.answering.generative.parse import SentenceScanner, StatementScanner, read_citations, read_statements
from tests.fakes.model import answering, statement

FIRST = statement("Ads for kites may run.", ("doc1", "kites may run"))
SECOND = statement('A "red" kite {is} [not] fine.', ("doc2", "red \\ kite"), ("doc1", "x"))
WHOLE = answering(FIRST, SECOND, answers="partly", missing=["string"])
DRAFTS = [
    Draft("Ads for kites may run.", (DraftCitation("doc1", "kites may run"),)),
    Draft('A "red" kite {is} [not] fine.', (DraftCitation("doc2", "red \\ kite"), DraftCitation("doc1", "x"))),
]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_statements_come_out_as_they_are_closed(size: int) -> None:
    scanner, found = StatementScanner(), []
    for start in range(0, len(WHOLE), size):
        found += scanner.feed(WHOLE[start : start + size])
    assert found == DRAFTS
    assert scanner.rest() == []
    assert (scanner.judgement, scanner.missing) == (Judgement.PARTLY, ("string",))


def test_wherever_it_is_cut_whole_statements_stay() -> None:
    end = WHOLE.index(json.dumps(FIRST)) + len(json.dumps(FIRST))
    for cut in range(len(WHOLE) + 1):
        found = read_statements(WHOLE[:cut])
        if cut >= end:
            assert found[0] == DRAFTS[0]
        for draft in found:
            assert draft.text in {each.text for each in DRAFTS}, "no text that was cut"
            assert {each.quote for each in draft.citations} <= {"kites may run", "red \\ kite", "x", None}


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here it is:\n```json\n{WHOLE}\n```",
        f"[{json.dumps(FIRST)}, {json.dumps(SECOND)}]",
        WHOLE.replace('"answers": "partly"', '"answers": partly"'),
        f"{json.dumps(FIRST)}\n{json.dumps(SECOND)}",
        WHOLE.replace("}, {", "} {"),
        f'{{"statements": [{json.dumps(FIRST)}, {{"text": 5}}, {{"text": "cut "quote" here"}}, {json.dumps(SECOND)}',
    ],
)
def test_broken_output_gives_what_can_be_read(text: str) -> None:
    assert DRAFTS[0] in read_statements(text)


@pytest.mark.parametrize("text", ["", "no", "{}", "[]", "null", "{" * 5000, "[" * 5000, '"', '{"text": ', "\\" * 99])
def test_nothing_to_read_is_nothing(text: str) -> None:
    assert read_statements(text) == []
    assert read_citations(text) == ()


def test_citations_of_odd_shapes_are_left_out() -> None:
    odd = '{"text": "T.", "citations": [{"doc": "[Doc1]", "quote": 5}, "doc2", {"quote": "q"}, null]}'
    assert read_statements(odd) == [Draft("T.", (DraftCitation("doc1"),))]
    assert read_statements('{"text": "T.", "citations": "doc1"}') == [Draft("T.")]


def test_citations_alone() -> None:
    found = (DraftCitation("doc1", "a b"), DraftCitation("doc2", "c"))
    text = '{"citations": [{"doc": "doc1", "quote": "a b"}, {"doc": "doc2", "quote": "c"}]}'
    assert read_citations(text) == found
    assert read_citations(text[:-2]) == found
    assert read_citations(f"{text[:-1]}, broken") == found


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_sentences_with_labels(size: int) -> None:
    text = "Kites may run [doc1]. Darts\nmay not [doc2][doc3]. - Both [doc1, doc2] end without"
    scanner, found = SentenceScanner(), []
    for start in range(0, len(text), size):
        found += scanner.feed(text[start : start + size])
    found += scanner.rest()
    assert [draft.text for draft in found] == ["Kites may run", "Darts\nmay not", "Both", "end without"]
    assert [[each.doc for each in draft.citations] for draft in found] == [
        ["doc1"],
        ["doc2", "doc3"],
        ["doc1", "doc2"],
        [],
    ]
