"""The rules of what was found, put to a reader."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from rag_core.answering.rule_reading import MOST_READ, READER, RuleReading, asked_text
from rag_core.errors import Unavailable
from rag_core.questions import AskRequest, Intent, Question, Turn
from rag_core.retrieval.found import Found
from rag_core.rules.reader import AskedText, Effect, Judgement, KeptReading, RuleText
from rag_core.rules.reader import RuleReading as Reading
from tests.fakes.kites import BRITISH, NO, TOYS, answer, ask, said
from tests.fakes.policies import open_desk
from tests.fakes.reader import FakeReader
from tests.fakes.rules import passage, question

REQUEST = AskRequest("kites", date(2026, 6, 1))
KITES = passage(NO, "Kites")


class CountingReader(FakeReader):
    """Remembers how many rules it was given at once."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []

    async def judge(self, asked: AskedText, rules: Sequence[RuleText]) -> list[Judgement]:
        self.given.append(len(rules))
        return await super().judge(asked, rules)


class KeptReadings:
    """`rag_core.rules.reader.RuleReadings` of one chunk."""

    def __init__(self, chunk_id: str, kept: dict[int, KeptReading]) -> None:
        self._kept = {chunk_id: kept}
        self.down = False

    async def kept(self, chunk_ids: Sequence[str], model: str) -> dict[str, dict[int, KeptReading]]:
        if self.down:
            raise Unavailable("store_down")
        return {each: self._kept[each] for each in chunk_ids if each in self._kept}


def found(*bodies: str) -> list[Found]:
    return [Found(passage(body, "Kites", document_id=f"acme_{at}"), 0.9) for at, body in enumerate(bodies)]


async def rules(reading: RuleReading, results: list[Found], asked: Question | None = None) -> list[str]:
    judged = await reading.judge(asked or question("kites"), REQUEST, None, results, None)
    return [each.rule.text for each in judged.rules]


async def test_further_rules_are_read_only_while_none_decides() -> None:
    reader = CountingReader()
    await rules(RuleReading(reader, None, "m"), found(*[NO] * 60))
    assert reader.given == [12]
    reader.given.clear()
    await rules(RuleReading(reader, None, "m"), found(*["Darts hit boards."] * 60), question("zeppelins"))
    assert reader.given == [12, 14, MOST_READ - 26]


@pytest.mark.parametrize("reader", [None, FakeReader()])
async def test_without_a_reader_rules_are_quoted_without_a_verdict_and_that_is_told(reader: FakeReader | None) -> None:
    if reader is not None:
        reader.down = True
    reply = await answer(open_desk(TOYS, reader=reader), "can I advertise kites in the UK?")
    assert (reply.degraded, reply.verdicts) == ((READER,), ())
    assert BRITISH in said(reply)


async def test_a_reader_that_is_down_keeps_nobody_from_asking() -> None:
    reader = FakeReader()
    reader.down = True
    reading = RuleReading(reader, None, "m")
    assert await reading.topic(question("weather"), REQUEST) == {}
    assert await RuleReading(None, None, "m").topic(question("weather"), REQUEST) == {}


async def test_what_was_read_as_no_rule_is_left_out_unless_an_operator_says_otherwise() -> None:
    none = Reading(dict.fromkeys(Effect, 0.0), 1.0)
    results = found(f"{NO} See also the help pages.")
    kept = KeptReading("fake-1", none)
    for reading, read in ((kept, [NO]), (replace(kept, corrected=Effect.INFORMS), [NO, "See also the help pages."])):
        readings = KeptReadings(results[0].passage.chunk.chunk_id, {1: reading})
        assert await rules(RuleReading(FakeReader(), readings, "m"), results) == read
        readings.down = True
        assert len(await rules(RuleReading(FakeReader(), readings, "m"), results)) == 2


async def test_an_operators_correction_decides() -> None:
    results = found("Kites: see the annex.")
    kept = KeptReading("fake-1", Reading(dict.fromkeys(Effect, 0.2), 0.0), corrected=Effect.PROHIBITS)
    readings = KeptReadings(results[0].passage.chunk.chunk_id, {0: kept})
    judged = await RuleReading(FakeReader(), readings, "m").judge(question("kites"), REQUEST, None, results, None)
    read = await RuleReading(FakeReader(), None, "m").judge(question("kites"), REQUEST, None, results, None)
    assert judged.rules[0].effects[Effect.PROHIBITS] > read.rules[0].effects[Effect.PROHIBITS]


async def test_a_rule_asked_for_by_its_number_is_stated_whatever_a_reader_says() -> None:
    chunk = replace(KITES.chunk, rule_number="4.2")
    asked = replace(question("4.2", intent=Intent.REQUIREMENT), rule_number="4.2")
    results = [Found(replace(KITES, chunk=chunk), 0.9), *found("Darts hit boards.")]
    judged = await RuleReading(FakeReader(), None, "m").judge(asked, REQUEST, None, results, None)
    assert [(each.rule.text, each.decides) for each in judged.rules] == [(NO, 1.0)]


def test_a_follow_up_is_read_behind_what_it_follows_and_a_question_alone() -> None:
    history = tuple(Turn(role, text) for role, text in (("user", "kites?"), ("assistant", "No."), ("user", "darts?")))
    asked = replace(REQUEST, history=history)
    assert asked_text(question("boats?"), asked) == AskedText("boats?")
    follow_up = replace(question("boats?"), rewritten="Boats in Peru?")
    assert asked_text(follow_up, asked) == AskedText("boats?", ("kites?", "darts?"))


@pytest.mark.parametrize("turns", [1, 3])
def test_a_follow_up_that_names_no_topic_is_read_as_completed(turns: int) -> None:
    before = ("can I advertise darts in Chile?", "and in Peru?", "and in Bolivia?")[:turns]
    asked = replace(REQUEST, history=tuple(Turn("user", each) for each in before))
    completed = "Can I advertise darts in Peru?"
    follow_up = replace(question("darts"), text="and in Peru?", rewritten=completed)
    assert asked_text(follow_up, asked) == AskedText(completed)


async def test_a_broad_question_gets_choices_though_rules_come_near() -> None:
    reply = await ask(open_desk(TOYS), "what are your ad policies in the UK?")
    assert [each.kind for each in reply.choices] == ["topic"] * len(reply.choices)
