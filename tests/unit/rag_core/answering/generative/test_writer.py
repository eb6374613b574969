"""A model's answer on its way: what is shown, what is dropped, and the extractive answer under it all."""

import asyncio
import json
import time

import pytest

from rag_core.answering.generative.prompt import REFUSAL
from rag_core.answering.generative.writer import (
    NO_ROOM,
    NO_TIME,
    NOTHING_HELD,
    TOO_SLOW,
    Writer,
    WriterSettings,
)
from rag_core.answers import Answer, Refusal, RefusalReason, Verdict, WarningCode
from rag_core.ask import Asker
from rag_core.deadlines import within
from rag_core.questions import AskRequest
from tests.fakes.kites import BELGIAN, BRITISH, TODAY, TOYS, document, kites, said, verdicts
from tests.fakes.model import FAILS, WAITS, FakeModel, answering, statement
from tests.fakes.policies import open_desk
from tests.fakes.writing import ASKED, GOOD, IN_WORDS, QUOTE, Watcher, ask, notes_of, reasons, watched


def left_out(reply: Answer) -> list[tuple[str, ...]]:
    return [each.subjects for each in reply.warnings if each.code is WarningCode.LEFT_OUT]


async def test_the_answer_is_put_in_the_models_words_and_keeps_its_verdict() -> None:
    model = FakeModel(answering(GOOD))
    reply, trace = await ask(Writer(model))
    plain, _ = await ask(None)
    assert said(reply)[0] == IN_WORDS
    assert verdicts(reply) == verdicts(plain) == {("uk", "acme"): Verdict.RESTRICTED}
    citation = reply.citations[reply.statements[0].citations[0] - 1]
    assert (citation.quote_type, citation.number) == ("paraphrase", 1)
    assert 0.7 <= citation.confidence < 1
    assert BRITISH not in said(reply), "its quote is the model's already"
    notes = trace.notes["model"]
    assert (notes["name"], notes["fallback"], notes["judged"]) == ("fake-model", None, "yes")
    assert notes["usage"]["prompt"] > 0
    assert notes["usage"]["cost"] == 0.5
    assert trace.timings_ms["model"] > 0


async def test_every_number_that_is_shown_points_to_a_citation() -> None:
    reply, _ = await ask(Writer(FakeModel(answering(GOOD))))
    numbers = [number for each in reply.statements for number in each.citations]
    numbers += [number for each in reply.verdicts for number in each.citations]
    numbers += [number for each in reply.verdicts for condition in each.conditions for number in condition.citations]
    assert [each.number for each in reply.citations] == list(range(1, len(reply.citations) + 1))
    assert set(numbers) == {each.number for each in reply.citations}
    for citation in reply.citations:
        assert TOYS.text[citation.char_start : citation.char_end] == citation.quote


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (statement("In the UK, kite ads may run if the audience is 21 or over.", QUOTE), "number_not_in_source"),
        (statement("In the UK, kite ads may not run.", QUOTE), "negation_differs"),
        (statement("In France, kite ads may run if the audience is 18 or over.", QUOTE), "other_place"),
        (statement("In the UK, kite ads may always run.", QUOTE), "against_verdict"),
        (statement("Kites are allowed in the UK.", ("doc1", "kites are allowed for everybody")), "against_verdict"),
        (statement(IN_WORDS, ("doc1", "may run for everybody and always")), "quote_not_found"),
        (statement(f"{IN_WORDS} See https://kites.example", QUOTE), "link"),
        (statement("**Yes!** Kites run.", QUOTE), "markup"),
        (statement(IN_WORDS, ("doc77", "may run if the audience is aged 18")), "unknown_document"),
        (statement(IN_WORDS), "no_citation"),
        (statement(""), "empty"),
    ],
)
async def test_what_does_not_hold_is_dropped_visibly(bad: dict[str, object], reason: str) -> None:
    reply, notes = await notes_of(Writer(FakeModel(answering(bad))))
    plain, _ = await ask(None)
    assert said(reply) == said(plain), "nothing survived: the extractive answer"
    assert verdicts(reply) == verdicts(plain)
    assert reasons(notes) == [reason]
    assert notes["fallback"] == NOTHING_HELD
    assert left_out(reply) == [("1",)]
    beside, notes = await notes_of(Writer(FakeModel(answering(bad, GOOD))))
    assert said(beside)[0] == IN_WORDS
    assert (reasons(notes), notes["fallback"]) == ([reason], None)


@pytest.mark.parametrize(
    ("output", "statements"),
    [
        (answering(GOOD)[:-3], 1),
        (answering(GOOD, GOOD)[:-9], 1),
        (f"```\n{answering(GOOD)}", 1),
        (f'{{"statements": [{json.dumps(GOOD)}, {{"text": "broken', 1),
        ("I think kites are fine.", 0),
        ("", 0),
        ("{" * 3000, 0),
    ],
)
async def test_broken_json_never_loses_the_answer(output: str, statements: int) -> None:
    reply, notes = await notes_of(Writer(FakeModel(output)))
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}
    assert len(notes["statements"]) == statements
    assert said(reply)[0] == (IN_WORDS if statements else BRITISH)


async def test_a_model_that_fails_in_the_middle_keeps_what_was_verified() -> None:
    whole = answering(GOOD)
    reply, notes = await notes_of(Writer(FakeModel(f"{whole[:-2]}, {FAILS}")))
    assert said(reply)[0] == IN_WORDS
    assert (notes["failure"], notes["fallback"], reply.degraded) == ("model_failed", None, ())
    reply, notes = await notes_of(Writer(FakeModel(f"{whole[:20]}{FAILS}")))
    assert said(reply)[0] == BRITISH
    assert (notes["failure"], notes["fallback"], reply.degraded) == ("model_failed", "model_failed", ("model",))


async def test_a_slow_model_is_given_up_and_stopped() -> None:
    model = FakeModel(f"{answering(GOOD)[:-2]}, {WAITS}")
    began = time.monotonic()
    reply, notes = await notes_of(Writer(model, WriterSettings(seconds=0.6)))
    assert time.monotonic() - began < 5
    assert said(reply)[0] == IN_WORDS, "what it had said by then"
    assert (notes["failure"], model.stopped) == (TOO_SLOW, 1)


async def test_the_askers_patience_leaves_time_for_the_extractive_answer() -> None:
    model = FakeModel(WAITS)
    async with within(3.0):
        reply, notes = await notes_of(Writer(model, WriterSettings(seconds=60)))
    assert (said(reply)[0], notes["fallback"]) == (BRITISH, TOO_SLOW)
    async with within(1.2):
        _, notes = await notes_of(Writer(model))
    assert notes["fallback"] == NO_TIME


async def test_documents_that_do_not_fit_are_not_sent() -> None:
    model = FakeModel(answering(GOOD), window=900)
    _, notes = await notes_of(Writer(model))
    assert (notes["fallback"], notes["documents"], model.requests) == (NO_ROOM, 0, [])
    _, notes = await notes_of(Writer(FakeModel(answering(GOOD)), WriterSettings(context_tokens=40)))
    assert notes["documents"] >= 1
    assert notes["context_tokens"] <= 40


async def test_a_model_may_take_a_verdict_away() -> None:
    for answers in ("partly", "no"):
        model = FakeModel(answering(GOOD, answers=answers, missing=["advertise", "moon", ""]))
        reply, notes = await notes_of(Writer(model))
        assert (reply.verdicts, reply.verdict) == ((), None)
        assert reply.not_stated == ("advertise",), "only words of the question"
        assert notes["judged"] == answers
    unnamed, _ = await notes_of(Writer(FakeModel(answering(GOOD, answers="no"))))
    assert unnamed.not_stated == ("kites",)
    refused, _ = await notes_of(Writer(FakeModel(answering(statement(REFUSAL), answers="yes"))))
    assert refused.verdicts == ()


@pytest.mark.parametrize(
    "output",
    [
        f"{answering(answers='no')[:-3]}{WAITS}",
        f"{answering(answers='no')[:-3]}{FAILS}",
        '{"answers": "perhaps", "statements": []}',
        '{"answers": "n',
        "no",
        WAITS,
    ],
)
async def test_a_judgement_that_fails_or_is_broken_changes_nothing(output: str) -> None:
    reply, notes = await notes_of(Writer(FakeModel(output), WriterSettings(seconds=0.6)))
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}
    assert (notes["judged"], notes["lowered"], reply.not_stated) == (None, None, ())


GAP = "can I advertise alcohol in a cinema?"
DRINKS = document("acme_drinks", kites("Ads for alcohol are allowed.", heading="Alcohol"))
ALLOWED = statement("Alcohol ads are allowed.", ("doc1", "Ads for alcohol are allowed"))


@pytest.mark.parametrize(
    ("answers", "step", "text"),
    [("yes", None, GAP), ("partly", None, GAP), ("no", "to_refusal", GAP), ("no", "to_nearest", ASKED)],
)
async def test_a_claim_is_lowered_a_step_at_a_time_and_never_raised(answers: str, step: str | None, text: str) -> None:
    desk = open_desk(TOYS, DRINKS)
    model = FakeModel(json.dumps({"answers": answers, "missing": [], "statements": []}))
    plain, _ = await Asker(desk.search, desk.store).ask(AskRequest(text, TODAY))
    reply, trace = await Asker(desk.search, desk.store, writer=Writer(model)).ask(AskRequest(text, TODAY))
    assert isinstance(plain, Answer)
    assert trace.notes["model"]["lowered"] == step
    if step == "to_refusal":
        assert isinstance(reply, Refusal)
        assert reply.reason is RefusalReason.NOT_COVERED
        return
    assert isinstance(reply, Answer)
    assert set(reply.verdicts) <= set(plain.verdicts)
    assert set(plain.not_stated) <= set(reply.not_stated)
    assert bool(reply.verdicts) == (bool(plain.verdicts) and step is None)


async def test_an_answer_in_which_the_model_has_its_say_is_not_taken_away() -> None:
    desk = open_desk(TOYS, DRINKS)
    model = FakeModel(answering(ALLOWED, answers="no"))
    asker = Asker(desk.search, desk.store, writer=Writer(model))
    reply, trace = await asker.ask(AskRequest(GAP, TODAY))
    assert isinstance(reply, Answer)
    assert said(reply)[0] == ALLOWED["text"]
    assert (reply.verdicts, trace.notes["model"]["lowered"]) == ((), None)


async def test_sentences_left_out_of_a_refusal_are_told_of() -> None:
    desk = open_desk(TOYS, DRINKS)
    model = FakeModel(
        answering(statement("Alcohol is sold in cinemas.", ("doc1", "Ads for alcohol are allowed")), answers="no")
    )
    reply, trace = await Asker(desk.search, desk.store, writer=Writer(model)).ask(AskRequest(GAP, TODAY))
    assert isinstance(reply, Refusal)
    assert [each.subjects for each in reply.warnings if each.code is WarningCode.LEFT_OUT] == [("1",)]
    assert any("Alcohol is sold in cinemas." in each for each in trace.dropped)


async def test_a_comparison_keeps_its_citations_and_loses_its_verdicts_with_the_rest() -> None:
    text = "compare kite ads in the UK and Belgium"
    desk = open_desk(TOYS)
    agreed = FakeModel(answering(GOOD))
    reply, _ = await Asker(desk.search, desk.store, writer=Writer(agreed)).ask(AskRequest(text, TODAY))
    assert isinstance(reply, Answer)
    assert reply.comparison is not None
    numbers = {each.number for each in reply.citations}
    assert all(set(row.citations) <= numbers for row in reply.comparison.rows)
    by_number = {each.number: each for each in reply.citations}
    cited = {row.region: {by_number[n].regions for n in row.citations} for row in reply.comparison.rows}
    assert ("uk",) in cited["uk"]
    denied = FakeModel(answering(GOOD, answers="no"))
    reply, _ = await Asker(desk.search, desk.store, writer=Writer(denied)).ask(AskRequest(text, TODAY))
    assert isinstance(reply, Answer)
    assert reply.comparison is not None
    assert {row.verdict for row in reply.comparison.rows} == {None}
    assert reply.verdicts == ()


async def test_a_model_that_does_not_judge_takes_nothing_away() -> None:
    model = FakeModel(answering(GOOD, answers="no"))
    reply, _ = await notes_of(Writer(model, WriterSettings(judges=False)))
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}


async def test_a_model_gives_no_verdict_where_the_judge_gave_none() -> None:
    desk = open_desk(document("acme_drinks", kites("Ads for alcohol are allowed.", heading="Alcohol")))
    model = FakeModel(answering(statement("Alcohol ads are allowed.", ("doc1", "for alcohol are allowed"))))
    asker = Asker(desk.search, desk.store, writer=Writer(model))
    request = AskRequest("can I advertise alcohol in a cinema?", TODAY)
    plain, _ = await desk.asker.ask(request)
    reply, _ = await asker.ask(request)
    assert isinstance(plain, Answer)
    assert isinstance(reply, Answer)
    assert plain.verdicts == reply.verdicts == ()
    assert reply.not_stated == plain.not_stated != ()


async def test_what_decides_is_shown_even_if_the_model_leaves_it_out() -> None:
    other = statement("Kite ads are not allowed.", ("doc2", "Ads for kites are not allowed"))
    desk = open_desk(TOYS)
    asker = Asker(desk.search, desk.store, writer=Writer(FakeModel(answering(other))))
    reply, _ = await asker.ask(AskRequest(ASKED, TODAY))
    assert isinstance(reply, Answer)
    assert BRITISH in said(reply)
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}
    assert BELGIAN not in said(reply)


async def test_without_an_answer_no_model_is_asked() -> None:
    model = FakeModel(answering(GOOD))
    desk = open_desk(TOYS)
    asker = Asker(desk.search, desk.store, writer=Writer(model))
    reply, trace = await asker.ask(AskRequest("can I advertise zeppelins?", TODAY))
    assert not isinstance(reply, Answer)
    assert (model.requests, trace.notes) == ([], {})


PRICED = statement("Kite ads must show the price of the string in Belgium.", ("doc3", "show the price of the string"))
BANNED = statement("Kite ads are not allowed.", ("doc2", "Ads for kites are not allowed"))


async def test_statements_are_shown_as_they_are_verified_and_stay_as_they_were_shown() -> None:
    written: list[int] = []
    model = FakeModel(answering(GOOD, statement("Kites fly.", QUOTE), BANNED), pieces=1)
    watcher = Watcher(lambda _: written.append(model.stopped))
    reply = await watched(Writer(model), watcher)
    assert [each.text for each in watcher.statements] == [IN_WORDS, "Kite ads are not allowed."]
    assert watcher.statements == list(reply.statements[:2]), "with the numbers that their citations have in the end"
    assert written == [0, 0], "while the model was still writing"
    assert [each.scope for each in watcher.questions] == [reply.scope]


@pytest.mark.parametrize("end", [FAILS, WAITS, "", '{"text": "broken', "]}"])
async def test_what_was_shown_stays_however_the_model_ends(end: str) -> None:
    watcher = Watcher()
    reply = await watched(Writer(FakeModel(f"{answering(GOOD)[:-2]}, {end}"), WriterSettings(seconds=0.7)), watcher)
    assert [each.text for each in watcher.statements] == [IN_WORDS]
    assert watcher.statements == list(reply.statements[:1])


async def test_nothing_is_shown_on_the_way_without_a_model_or_where_nothing_holds() -> None:
    for writer in (None, Writer(FakeModel(answering(statement("Kites fly.", QUOTE))))):
        watcher = Watcher()
        reply = await watched(writer, watcher)
        assert (watcher.statements, len(watcher.questions)) == ([], 1)
        assert said(reply)[0] == BRITISH


async def test_who_goes_away_stops_the_model() -> None:
    model = FakeModel(f"{answering(GOOD)[:-2]}, {WAITS}")
    shown = asyncio.Event()
    task = asyncio.create_task(watched(Writer(model), Watcher(lambda _: shown.set())))
    await shown.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.stopped == 1
    assert len(asyncio.all_tasks()) == 1
