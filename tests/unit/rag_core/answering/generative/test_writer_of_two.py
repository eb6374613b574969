"""Two models: one writes, the other finds the quotes."""

import asyncio
import json

import pytest

from rag_core.answering.generative.writer import (
    TOO_SLOW,
    Writer,
    WriterSettings,
)
from tests.fakes.kites import BRITISH, TOYS, answer, said
from tests.fakes.model import FAILS, WAITS, FakeModel
from tests.fakes.policies import open_desk
from tests.fakes.writing import ASKED, IN_WORDS, Watcher, notes_of, reasons, watched

SENTENCES = f"{IN_WORDS} [doc1] Kites are banned in the UK. [doc1]"
CITED = json.dumps({"citations": [{"doc": "doc1", "quote": "may run if the audience is aged 18"}]})
JUDGED = json.dumps({"answers": "yes", "missing": []})


def two(extracted: str, judged: str = JUDGED, sentences: str = SENTENCES) -> tuple[Writer, FakeModel]:
    extractor = FakeModel(lambda request: judged if "judge" in request.system else extracted, name="fast")
    return Writer(FakeModel(sentences), extractor=extractor), extractor


async def test_two_models_end_in_the_same_check() -> None:
    writer, extractor = two(CITED)
    reply, notes = await notes_of(writer)
    assert said(reply)[0] == IN_WORDS
    assert reasons(notes) == ["negation_differs"]
    assert (notes["extractor"], notes["judged"], len(extractor.requests)) == ("fast", "yes", 3)
    assert notes["usage"]["cost"] == 2.0


@pytest.mark.parametrize(
    "extracted", ["", "{", '{"citations": []}', '{"citations": [{"doc": "doc1", "quote": "made up"}]}', FAILS]
)
async def test_citations_that_cannot_be_had_never_lose_the_answer(extracted: str) -> None:
    writer, _ = two(extracted)
    reply, notes = await notes_of(writer)
    assert said(reply)[0] == IN_WORDS
    assert notes["fallback"] is None


async def test_an_extractor_that_hangs_is_given_up() -> None:
    extractor = FakeModel(WAITS)
    writer = Writer(FakeModel(SENTENCES), WriterSettings(seconds=0.7), extractor)
    reply, notes = await notes_of(writer)
    assert said(reply)[0] == IN_WORDS
    assert notes["failure"] == TOO_SLOW
    assert len(asyncio.all_tasks()) == 1, "nothing is left behind"


async def test_the_second_model_judges_too() -> None:
    writer, _ = two(CITED, judged='{"answers": "no", "missing": ["kites"]}')
    reply, _ = await notes_of(writer)
    assert (reply.verdicts, reply.not_stated) == ((), ("kites",))


async def test_who_judges_can_be_told_from_who_finds_quotes() -> None:
    quotes, judge = FakeModel(CITED), FakeModel(JUDGED)
    _, notes = await notes_of(Writer(FakeModel(SENTENCES), extractor=quotes, judge=judge))
    assert (notes["judged"], len(judge.requests), len(quotes.requests)) == ("yes", 1, 2)


async def test_two_models_show_statements_in_order_too() -> None:
    writer, _ = two(CITED, sentences=f"{SENTENCES} Kite ads are not allowed. [doc2]")
    watcher = Watcher()
    reply = await watched(writer, watcher)
    assert [each.text for each in watcher.statements] == [IN_WORDS, "Kite ads are not allowed."]
    assert watcher.statements == list(reply.statements[:2])


async def test_the_plain_answer_of_the_fakes_is_what_these_tests_stand_on() -> None:
    assert said(await answer(open_desk(TOYS), ASKED))[0] == BRITISH
