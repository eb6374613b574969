"""What crosses to the reading process and back comes as it went, and nothing else is taken for an answer."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from ingest.chunkers.drafts import ChunkDraft
from ingest.model.facts import DocumentFacts
from ingest.parsers.parsed import ParseWarning
from ingest.places import Places
from ingest.reader import wire
from ingest.reader.contents import Contents, DraftNotes, ReadingTask
from rag_core.documents import Classification, ContentType
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

ODD = "Bier \ud800 \U0001f37a \u2028 \x00 “q” e\u0301"
TASK = ReadingTask(
    content=b"\xff\x00",
    mime_type="text/html; charset=latin-1",
    file_name="b\udce9er.html",
    facts={
        "title": ODD,
        "regions": ["uk", "fr"],
        "effective_from": date(2026, 3, 1),
        "posted_at": datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        "labels": {"stage": "draft", "time": "noon"},
        "post_number": 7,
        "author": None,
        "ratio": 0.5,
        "open": False,
    },
    chunked=False,
    region="be",
    chunker="auto",
    today=date(2026, 6, 1),
)
FULL = Contents(
    facts=DocumentFacts(
        title="Beer",
        document_id="acme_beer",
        policy_source="acme",
        url="https://acme.example/beer?a=b",
        effective_from=date(2026, 3, 1),
        regions=("uk", "us-tx"),
        content_type=ContentType.IMAGE,
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal", "ops"}),
        labels={"stage": "draft"},
        author="The editors",
        posted_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        post_number=0,
        effective_to=date(2026, 9, 1),
        supersedes=("acme_ale", "acme_stout_2025-01-01"),
    ),
    title=ODD,
    url="http://acme.example/",
    text=f"# Beer\n\n{ODD}\n",
    drafts=(
        ChunkDraft(
            8, 12, "lead:", ("Beer", ODD), 2, Places(("uk",), ("us-tx",), True), "4.2", "beer", True, "table_split"
        ),
        ChunkDraft(12, 14, "", ("Beer",), 0, Places()),
    ),
    notes=(DraftNotes(("de", "fr"), True, (1,), True, ODD), DraftNotes((), False, (), False, "")),
    found_day=date(2026, 2, 28),
    pages=((0, 1), (8, 2)),
    page_count=2,
    warnings=(ParseWarning("table_cut", {"rows": 3, "on": date(2026, 1, 1), "which": ["a", None]}),),
)
EMPTY = Contents(DocumentFacts(), "Beer", None, "", (), (), None, (), None, ())


def test_a_task_comes_as_it_went() -> None:
    assert wire.read_task(wire.written_task(TASK), TASK.content) == TASK


@pytest.mark.parametrize("contents", [FULL, EMPTY, replace(FULL, facts=DocumentFacts(allowed_groups=frozenset()))])
def test_what_was_read_comes_as_it_went(contents: Contents) -> None:
    assert wire.read(wire.written(contents)) == contents


def test_facts_of_document_and_source_together_need_not_make_sense() -> None:
    """The document states the beginning, its source an end before it: that is for the planner."""
    facts = DocumentFacts(effective_from=date(2026, 3, 1), effective_to=date(2026, 1, 1))
    contents = replace(EMPTY, facts=facts)
    assert wire.read(wire.written(contents)) == contents


@pytest.mark.parametrize("kind", [Rejected, Unavailable, Misconfigured])
def test_errors_come_as_they_went(kind: type[PolicyBotError]) -> None:
    error = wire.read(wire.written(kind("odd", line=None, known=["a"], day=date(2026, 1, 1))))
    assert type(error) is kind
    assert (error.code, error.details) == ("odd", {"line": None, "known": ["a"], "day": date(2026, 1, 1)})


def _with(change: Callable[[dict[str, Any]], object]) -> bytes:
    found = json.loads(wire.written(FULL).decode("utf-8", "surrogatepass"))
    change(found)
    return json.dumps(found).encode()


def _fact(name: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda found: found["facts"]["map"].append([name, value])


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff",
        b"[]",
        b"7",
        b"[" * 200_000,
        b'{"rejected": ["code"]}',
        b'{"rejected": ["code", {"map": [["code", 1]]}]}',
        _with(lambda found: found.pop("text")),
        _with(lambda found: found.update(url="javascript:alert(1)")),
        _with(lambda found: found.update(notes=[])),
        _with(lambda found: found.update(pages=[[float("inf"), 1]])),
        _with(lambda found: found["drafts"][0].__setitem__(1, 10_000)),
        _with(lambda found: found["drafts"][0].__setitem__(0, -1)),
        _with(lambda found: found["drafts"][0].__setitem__(3, [])),
        _with(lambda found: found["notes"][0].__setitem__(2, [2])),
        _with(_fact("url", "javascript:alert(1)")),
        _with(_fact("document_id", "../beer")),
        _with(_fact("regions", ["atlantis"])),
        _with(_fact("classification", "open")),
        _with(_fact("effective_from", "soon")),
    ],
)
def test_what_no_reader_says_is_no_answer(answer: bytes) -> None:
    with pytest.raises(ValueError):
        wire.read(answer)
