"""What is on record of a question: who, where, what was understood, shown and dropped, and what it rests on."""

import json
from dataclasses import replace
from datetime import date

import pytest

from bot.audit.entries import RecordKind
from bot.audit.exchanges import CSV_COLUMNS, Exchange, answered_entries, cell, csv_row, failed_entry
from bot.audit.replay import Standing, differences, quoted_chunks, standings
from bot.model.jsonable import jsonable
from bot.questions.spool import audit_entry_from, audit_entry_json
from rag_core.answers import Answer, AskTrace, Candidate, Citation, Quote, Refusal, RefusalReason, Statement
from rag_core.documents import Passage
from rag_core.questions import Filters, Intent, Question, Scope
from tests.fakes.audit import NOON
from tests.fakes.documents import make_version, make_write

WRITE = make_write(make_version("acme_drinks"))
PASSAGE = Passage(WRITE.chunks[0], WRITE.version)
CHUNK = PASSAGE.chunk
QUOTE = Quote(CHUNK.chunk_id, CHUNK.chunk_text[2:9], 2, 9)
SCOPE = Scope(as_of=date(2026, 6, 1), regions=("uk",))
QUESTION = Question("what about beer", SCOPE, Intent.PERMISSION, (), rewritten="can I advertise beer in the UK")
CITATION = Citation(
    number=1,
    chunk_id=CHUNK.chunk_id,
    doc_id=CHUNK.doc_id,
    document_id="acme_drinks",
    policy_source="acme",
    title="Drinks",
    url=None,
    anchor=None,
    section_path="Drinks",
    rule_number=None,
    page=None,
    regions=("uk",),
    effective_from=date(2026, 1, 1),
    effective_to=None,
    checked_at=NOON,
    char_start=CHUNK.char_start,
    char_end=CHUNK.char_start + 10,
    quote=CHUNK.chunk_text[:10],
)
ANSWER = Answer(SCOPE, (Statement(QUOTE.text, (1,), (QUOTE,)),), (CITATION,))
MODEL = {"name": "m", "prompt_version": "p7", "prompt": "f00", "usage": {"prompt": 3}, "statements": [{"text": "x"}]}
TRACE = AskTrace(
    QUESTION,
    (
        Candidate(CHUNK.chunk_id, CHUNK.doc_id, CHUNK.content_hash, 0.9, 0.5, "cited"),
        Candidate("c2", "d2", "h2", 0.1, None, "unused"),
    ),
    dropped=("no_quote: Bob may advertise",),
    notes={"model": MODEL},
    timings_ms={"total": 1.5},
)
EXCHANGE = Exchange(
    answer_id="a1",
    origin="slack",
    workspace="T1",
    person="U1",
    asked="what about beer",
    at=NOON,
    channel="C1",
    thread="171.5",
    filters=Filters(regions=("uk",), labels={"stage": ("sample",)}),
    as_of=date(2026, 6, 1),
    groups=frozenset({"legal", "ads"}),
    top_k=9,
)


def test_question_and_answer_are_two_entries() -> None:
    question, answer = answered_entries(EXCHANGE, ANSWER, TRACE, "**Beer** ...", NOON)
    assert (question.kind, answer.kind) == (RecordKind.QUESTION, RecordKind.ANSWER)
    assert question.record_id != answer.record_id
    assert {each.subject for each in (question, answer)} == {"a1"}
    who = {"person": "U1", "channel": "C1", "thread": "171.5", "asked": "what about beer"}
    assert question.personal == {**who, "filters": json.dumps(jsonable(EXCHANGE.filters))}
    assert question.facts == {
        "outcome": "answer",
        "as_of": "2026-06-01",
        "groups": ["ads", "legal"],
        "top_k": 9,
    }


def test_an_answer_tells_all_that_it_rests_on() -> None:
    _, answer = answered_entries(EXCHANGE, ANSWER, TRACE, "**Beer** ...", NOON)
    facts = answer.facts
    assert facts["chunks"] == [
        {"chunk_id": CHUNK.chunk_id, "doc_id": CHUNK.doc_id, "content_hash": CHUNK.content_hash, "fate": "cited"},
        {"chunk_id": "c2", "doc_id": "d2", "content_hash": "h2", "fate": "unused"},
    ]
    assert jsonable(facts["statements"]) == [{"text": QUOTE.text, "citations": [1], "quotes": [jsonable(QUOTE)]}]
    (citation,) = jsonable(facts["citations"])
    assert (citation["doc_id"], citation["content_hash"]) == (CHUNK.doc_id, CHUNK.content_hash)
    assert (citation["quote"], citation["char_start"]) == (CITATION.quote, CITATION.char_start)
    model = jsonable(facts["model"])
    assert (model["name"], model["prompt_version"], "statements" in model) == ("m", "p7", False)
    assert (facts["dropped"], json.loads(answer.personal["dropped"])) == (1, list(TRACE.dropped))
    assert answer.personal["understood"] == "can I advertise beer in the UK"
    assert answer.personal["shown"] == "**Beer** ..."


def test_nothing_that_stays_for_good_repeats_the_question() -> None:
    question, answer = answered_entries(EXCHANGE, ANSWER, TRACE, "what about beer? ...", NOON)
    kept = json.dumps([jsonable(question.facts), jsonable(answer.facts)])
    for word in ("what about", "can I advertise", "Bob", "U1", "C1", "171.5"):
        assert word not in kept


def test_what_was_typed_as_a_filter_does_not_stay_for_good() -> None:
    typed = Filters(("zanzibar",), ("moonshine",), ("absinthe",), ("quagmire",), {" Bob": ("carol",), "stage": ("x",)})
    labels = {"bob": ("carol",), "stage": ("x",), "variant": ("old",)}
    scope = replace(SCOPE, sections=("quagmire",), labels=labels)
    trace = replace(TRACE, question=replace(QUESTION, scope=scope))
    exchange = replace(EXCHANGE, filters=typed)
    question, answer = answered_entries(exchange, ANSWER, trace, "", NOON)
    failed = failed_entry(exchange, "unknown_region")
    kept = json.dumps([jsonable(each.facts) for each in (question, answer, failed)]).lower()
    for word in ("zanzibar", "moonshine", "absinthe", "quagmire", "bob", "carol"):
        assert word not in kept
    assert jsonable(answer.facts)["scope"]["labels"] == {"variant": ["old"]}
    assert json.loads(failed.personal["filters"]) == jsonable(typed)


def test_a_refusal_tells_its_reason() -> None:
    refusal = Refusal(SCOPE, RefusalReason.NOT_COVERED, looked_for=("bob",), searched=("acme",))
    _, answer = answered_entries(EXCHANGE, refusal, replace(TRACE, dropped=(), notes={}), "", NOON)
    assert answer.kind is RecordKind.REFUSAL
    assert answer.facts["refusal"] == {"reason": "not_covered", "searched": ["acme"]}
    assert (answer.facts["model"], "dropped" in answer.personal) == (None, False)


def test_a_question_without_a_reply_is_one_entry_a_code() -> None:
    one, again, other = (failed_entry(EXCHANGE, code) for code in ("too_slow", "too_slow", "index_failed"))
    assert one.record_id == again.record_id != other.record_id
    assert (one.kind, one.facts["outcome"]) == (RecordKind.QUESTION, "too_slow")


def test_entries_survive_the_spool() -> None:
    for entry in answered_entries(EXCHANGE, ANSWER, TRACE, "shown", NOON):
        assert audit_entry_from(json.loads(json.dumps(audit_entry_json(entry)))) == entry


FACTS = jsonable(answered_entries(EXCHANGE, ANSWER, TRACE, "", NOON)[1].facts)


def test_quotes_stand_while_the_store_has_them_to_the_letter() -> None:
    assert quoted_chunks(FACTS) == [CHUNK.chunk_id]
    found = standings(FACTS, {CHUNK.chunk_id: PASSAGE})
    assert [each.standing for each in found] == [Standing.STANDS, Standing.STANDS]
    assert {each.doc_id for each in found} == {CHUNK.doc_id}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (None, [Standing.MISSING, Standing.MISSING]),
        (f"x{CHUNK.chunk_text[1:]}", [Standing.TEXT_DIFFERS, Standing.CONTENT_DIFFERS]),
        (f"{CHUNK.chunk_text}!", [Standing.CONTENT_DIFFERS, Standing.CONTENT_DIFFERS]),
        (CHUNK.chunk_text.upper(), [Standing.TEXT_DIFFERS, Standing.TEXT_DIFFERS]),
    ],
)
def test_quotes_that_do_not_stand_are_told_apart(changed: str | None, expected: list[Standing]) -> None:
    passages = {}
    if changed is not None:
        passages = {CHUNK.chunk_id: replace(PASSAGE, chunk=replace(CHUNK, chunk_text=changed))}
    assert [each.standing for each in standings(FACTS, passages)] == expected


def test_today_is_the_same_or_its_differences_are_told() -> None:
    assert differences("answer", FACTS, ANSWER).is_same
    other = replace(
        ANSWER,
        statements=(Statement("Something new.", (1,), ()),),
        citations=(replace(CITATION, doc_id="acme_drinks_2026-07-01"),),
    )
    found = differences("answer", FACTS, other)
    assert not found.is_same
    assert (found.gone, found.come) == ((QUOTE.text,), ("Something new.",))
    assert (found.left, found.new) == ((CHUNK.doc_id,), ("acme_drinks_2026-07-01",))
    refused = differences("answer", FACTS, Refusal(SCOPE, RefusalReason.NOT_COVERED))
    assert (refused.is_same, refused.kinds) == (False, ("answer", "refusal"))


def test_rows_of_a_spreadsheet_are_no_formulas() -> None:
    assert [cell(each) for each in ("=1+1", "+x", "-x", "@x", "\tx", "\rx", "x=1", None, 3)] == [
        "'=1+1",
        "'+x",
        "'-x",
        "'@x",
        "'\tx",
        "'\rx",
        "x=1",
        "",
        "3",
    ]
    body = {
        **dict.fromkeys(("chain", "at", "kind", "origin", "subject", "record_id"), "x"),
        "sequence": 2,
        "facts": FACTS,
    }
    row = dict(zip(CSV_COLUMNS, csv_row(body, {"asked": {"salt": "00", "value": '=HYPERLINK("x")'}}, "h"), strict=True))
    assert (row["asked"], row["person"], row["shown"]) == ('\'=HYPERLINK("x")', "", "")
    assert (row["documents"], row["regions"], row["model"]) == (CHUNK.doc_id, "uk", "m")
