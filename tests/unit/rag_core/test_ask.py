"""The whole way of a question, over a store and an index in memory."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from rag_core.answers import Answer, Clarification, Refusal, RefusalReason, Verdict, WarningCode
from rag_core.documents import Classification, VersionStatus
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters, Turn
from tests.fakes.documents import Section
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.kites import (
    BRIM,
    BRITISH,
    DARTS,
    HIDDEN,
    NO,
    ONLY,
    QUESTIONS,
    ROWS,
    SECRET,
    TOYS,
    YES,
    answer,
    ask,
    document,
    kites,
    refusal,
    said,
    traced,
    two_chunks,
    verdicts,
)
from tests.fakes.policies import Desk, FakePolicyStore, SilentEmbedder, SilentIndex, open_desk
from tests.fakes.reader import FakeReader


async def test_the_place_asked_decides_and_no_other_place_is_seen() -> None:
    reply = await answer(open_desk(TOYS, DARTS), "can I advertise kites in the UK?")
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}
    assert said(reply)[0] == BRITISH
    assert "Belgium" not in repr(reply)


async def test_a_citation_points_to_the_very_words_in_the_versions_text() -> None:
    reply = await answer(open_desk(TOYS), "can I advertise kites in the UK?")
    for citation in reply.citations:
        assert TOYS.text[citation.char_start : citation.char_end] == citation.quote
    assert {number for each in reply.statements for number in each.citations} <= {c.number for c in reply.citations}


async def test_without_a_place_the_general_rule_decides_and_others_are_offered() -> None:
    general = document("acme_toys", kites(YES), kites("Ads for kites are not allowed here.", "be", heading="Belgium"))
    reply = await answer(open_desk(general), "can I advertise kites?")
    assert verdicts(reply) == {(None, "acme"): Verdict.RESTRICTED}
    assert [(each.kind, each.subject) for each in reply.choices] == [("region", "be")]


async def test_two_places_get_a_verdict_each() -> None:
    reply = await answer(open_desk(TOYS), "can I advertise kites in the UK and Peru?")
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED, ("pe", "acme"): Verdict.PROHIBITED}
    assert reply.verdict is None
    assert [each.subjects for each in reply.warnings if each.code is WarningCode.NO_RULE_FOR_PLACE] == [("pe",)]


@pytest.mark.parametrize("text", ["kites on Acme and Brim in Peru?", "can I advertise kites in Peru?"])
async def test_two_platforms_get_a_verdict_each(text: str) -> None:
    reply = await answer(open_desk(TOYS, BRIM), text)
    assert verdicts(reply) == {("pe", "acme"): Verdict.PROHIBITED, ("pe", "brim"): Verdict.ALLOWED}


async def test_a_platform_asked_about_without_a_rule_is_named() -> None:
    desk = open_desk(TOYS, document("brim_darts", Section("Darts", "Ads for darts must show the board.")))
    reply = await answer(desk, "kites on Acme or Brim?")
    assert [each.policy_source for each in reply.verdicts] == ["acme"]
    (notice,) = [each for each in reply.warnings if each.code is WarningCode.NOTHING_FOUND]
    assert notice.subjects == ("brim",)


async def test_a_day_to_come_is_said() -> None:
    reply = await answer(open_desk(TOYS), "kites in the UK in 2099?")
    assert WarningCode.FUTURE_DAY in {each.code for each in reply.warnings}


async def test_the_platform_asked_is_not_lost_to_another_with_better_scores() -> None:
    others = [document(f"acme_{n}", kites(NO, heading=f"Kites kites {n}")) for n in range(40)]
    reply = await answer(open_desk(*others, BRIM), "kites on Brim and Acme?")
    assert {source for _, source in verdicts(reply)} == {"acme", "brim"}
    only = await answer(open_desk(*others, BRIM), "kites on Brim?")
    assert {each.policy_source for each in only.citations} == {"brim"}


async def test_a_place_is_not_lost_among_general_rules() -> None:
    others = [document(f"acme_{n}", kites(f"Can I advertise kites in the UK? {n}")) for n in range(40)]
    british = document("acme_uk", kites("Words of another kind, on kites: they are not allowed in ads.", "uk"))
    reply, trace = await traced(open_desk(*others, british), "can I advertise kites in the UK?", top_k=3)
    assert british.chunks[0].chunk_id in {each.chunk_id for each in trace.candidates}
    assert reply.scope.regions == ("uk",)


@pytest.mark.parametrize(
    ("day", "verdict"),
    [(None, Verdict.PROHIBITED), (date(2025, 6, 1), Verdict.ALLOWED), (date(2026, 1, 1), Verdict.PROHIBITED)],
)
async def test_the_day_picks_the_version(day: date | None, verdict: Verdict) -> None:
    old = document("acme_toys", kites(YES), effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1))
    reply = await answer(open_desk(old, document("acme_toys", kites(NO))), "can I advertise kites?", as_of=day)
    assert reply.verdict is verdict
    assert len({each.doc_id for each in reply.citations}) == 1
    past = [each for each in reply.warnings if each.code is WarningCode.PAST_DAY]
    assert bool(past) is (verdict is Verdict.ALLOWED)


async def test_what_is_said_on_another_day_only_is_refused_as_that() -> None:
    desk = open_desk(document("acme_toys", kites(NO), effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1)))
    assert (await refusal(desk, "can I advertise kites?")).reason is RefusalReason.OTHER_DAY
    early = await refusal(desk, "can I advertise kites?", as_of=date(2024, 1, 1))
    assert (early.reason, early.scope.as_of) == (RefusalReason.OTHER_DAY, date(2024, 1, 1))
    assert (await refusal(desk, "can I advertise zeppelins?")).reason is RefusalReason.NOT_COVERED


async def test_a_rule_for_single_places_is_an_answer_though_an_older_version_says_it_too() -> None:
    days = {"effective_from": date(2025, 1, 1), "effective_to": date(2026, 1, 1)}
    desk = open_desk(document("acme_toys", kites(BRITISH, "uk"), **days), document("acme_toys", kites(BRITISH, "uk")))
    assert said(await answer(desk, "what must ads for kites have?")) == [BRITISH]


async def test_what_is_only_like_the_question_gives_way_to_what_is_said_of_another_day() -> None:
    near = document("acme_boats", Section("Boats", "Ads for red boats need a note.", ("global",)))
    desk = open_desk(near, reader=FakeReader(all_words=True))
    assert (await answer(desk, "can I advertise red pencils?")).not_stated == ("pencils",)
    red = document("acme_red", kites("Ads for red kites may run."), effective_to=date(2026, 1, 2))
    reply = await refusal(open_desk(red, near, reader=FakeReader(all_words=True)), "can I advertise red kites?")
    assert reply.reason is RefusalReason.OTHER_DAY


async def test_what_no_policy_covers_is_refused_with_what_is_nearest() -> None:
    reply = await refusal(open_desk(DARTS, BRIM), "can I advertise zeppelin flights?")
    assert (reply.reason, reply.looked_for) == (RefusalReason.NOT_COVERED, ("zeppelin", "flights"))
    assert reply.searched == ("acme", "brim")


@pytest.mark.parametrize("text", ["what's the weather like", "who won the cup"])
async def test_what_is_off_topic_is_refused_without_neighbours(text: str) -> None:
    reply = await refusal(open_desk(TOYS, BRIM, reader=FakeReader(off_topic="weather cup")), text)
    assert (reply.reason, reply.nearest) == (RefusalReason.OFF_TOPIC, ())


async def test_nothing_ingested_is_a_refusal() -> None:
    reply = await refusal(open_desk(), "can I advertise kites?")
    assert (reply.reason, reply.searched) == (RefusalReason.NOT_COVERED, ())


async def test_a_question_without_a_topic_is_asked_back() -> None:
    reply = await ask(open_desk(TOYS, DARTS, BRIM), "what are your ad policies?")
    assert isinstance(reply, Clarification | Refusal)
    offered = await ask(open_desk(TOYS, DARTS, BRIM), "what are your ad policies in the UK?", history=())
    assert isinstance(offered, Clarification)
    assert 2 <= len(offered.choices) <= 5
    assert all(each.filters.regions == ("uk",) for each in offered.choices)


async def test_a_follow_up_keeps_the_topic_and_is_shown_completed() -> None:
    turns = (Turn("user", "can I advertise kites in Peru?"), Turn("assistant", "Ads for darts are fine."))
    reply = await answer(open_desk(TOYS, DARTS), "and in the UK?", history=turns)
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}
    assert reply.rewritten_question == "Can I advertise kites in the UK?"


async def test_a_rule_that_only_comes_near_is_quoted_without_a_verdict_and_what_it_lacks_is_named() -> None:
    reply = await answer(open_desk(TOYS, reader=FakeReader(all_words=True)), "can I advertise red kites?")
    assert (reply.verdicts, said(reply)[0]) == ((), NO)
    assert reply.not_stated == ("red",)


async def test_a_silent_embedder_is_told_and_survived() -> None:
    desk = open_desk(TOYS, embedder=SilentEmbedder())
    reply, trace = await traced(desk, "can I advertise kites in Peru?")
    assert isinstance(reply, Answer)
    assert (reply.verdict, reply.degraded) == (Verdict.PROHIBITED, ("embedder",))
    assert all(each.cosine is None for each in trace.candidates)
    assert (await refusal(desk, "can I advertise zeppelins?")).degraded == ("embedder",)


async def test_a_silent_index_is_an_error_and_so_is_a_question_that_cannot_work() -> None:
    desk = open_desk(TOYS)
    silent = replace(desk, index=SilentIndex(embedder=FakeEmbedder()))
    silent.search._index = silent.index
    with pytest.raises(Unavailable):
        await ask(silent, "can I advertise kites?")
    with pytest.raises(Rejected, match="unknown_region"):
        await ask(desk, "can I advertise kites?", filters=Filters(regions=("atlantis",)))


@pytest.mark.parametrize(
    "stale",
    [{"status": VersionStatus.HELD}, {"effective_to": date(2026, 5, 1)}, {"classification": Classification.RESTRICTED}],
)
async def test_what_the_index_still_has_and_the_store_does_not_show_is_never_used(stale: dict[str, Any]) -> None:
    indexed = document("acme_old", kites(YES), title="Old notes")
    stored = replace(indexed, version=replace(indexed.version, **stale))
    reply, trace = await traced(
        open_desk(indexed, TOYS, store=FakePolicyStore(stored, TOYS)), "can I advertise kites in Peru?"
    )
    assert isinstance(reply, Answer)
    assert verdicts(reply) == {("pe", "acme"): Verdict.PROHIBITED}
    assert "acme_old" not in repr(reply)
    assert "acme_old" not in repr(trace)


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("groups", [frozenset[str](), frozenset({"sales"})])
async def test_a_restricted_document_shows_nowhere_outside_its_group(text: str, groups: frozenset[str]) -> None:
    for desk in (open_desk(TOYS, DARTS, BRIM, SECRET), _careless_index()):
        shown = repr(await traced(desk, text, groups=groups))
        assert "acme_counsel" not in shown
        assert "Secret" not in shown
        assert "blessing of counsel." not in shown


def _careless_index() -> Desk:
    """The index takes the restricted document for a public one; only the store knows better."""
    public = replace(SECRET, version=replace(SECRET.version, classification=Classification.PUBLIC))
    return open_desk(TOYS, DARTS, BRIM, public, store=FakePolicyStore(TOYS, DARTS, BRIM, SECRET))


async def test_a_source_whose_documents_are_all_hidden_is_no_source() -> None:
    desk = open_desk(TOYS, document("vault_rules", kites(NO), **HIDDEN))
    assert (await refusal(desk, "can I advertise zeppelins?")).searched == ("acme",)
    assert (await ask(desk, "kites on Vault in Peru?")).scope.policy_sources == ()
    assert (await refusal(desk, "can I advertise zeppelins?", groups=frozenset({"legal"}))).searched == (
        "acme",
        "vault",
    )


async def test_a_restricted_document_answers_its_group() -> None:
    reply = await answer(open_desk(TOYS, SECRET), QUESTIONS[1], groups=frozenset({"legal"}))
    assert "Ads for kites need the blessing of counsel." in said(reply)


async def test_a_hidden_document_and_a_missing_one_are_answered_alike() -> None:
    text = "do kites need the blessing of counsel?"
    assert await ask(open_desk(DARTS, SECRET), text) == await ask(open_desk(DARTS), text)


@pytest.mark.parametrize(
    ("place", "verdict"), [("France", (Verdict.ALLOWED, Verdict.RESTRICTED)), ("Peru", (Verdict.PROHIBITED,))]
)
async def test_a_list_that_stands_in_the_next_chunk_is_read_too(place: str, verdict: tuple[Verdict, ...]) -> None:
    write = two_chunks(Section("Table", ROWS))
    alone = FakePolicyStore(write)
    index_knows = replace(write, chunks=write.chunks[:1])
    reply, trace = await traced(open_desk(index_knows, store=alone), f"can I advertise kites in {place}?")
    assert isinstance(reply, Answer)
    assert reply.verdict in verdict
    assert write.chunks[1].chunk_id in {each.chunk_id for each in trace.candidates}


async def test_the_next_section_is_not_the_rest_of_this_one() -> None:
    write = document("acme_toys", kites(ONLY), Section("Darts", ROWS.replace("Kites", "Darts")))
    desk = open_desk(replace(write, chunks=write.chunks[:1]), store=FakePolicyStore(write))
    reply, trace = await traced(desk, "can I advertise kites in France?")
    assert isinstance(reply, Answer)
    assert reply.verdict is Verdict.RESTRICTED
    assert [each.chunk_id for each in trace.candidates] == [write.chunks[0].chunk_id]


async def test_a_platform_whose_rules_only_come_near_gives_way_to_one_that_answers() -> None:
    full = document("acme_red", kites("Ads for red kites are not allowed.", heading="Red kites"))
    half = document("brim_toys", kites("Ads for kites may run."), Section("Balloons", "Balloons are red."))
    desk = open_desk(full, half, reader=FakeReader(all_words=True))
    reply = await answer(desk, "can I advertise red kites in Peru?")
    assert reply.not_stated == ()
    assert {each.policy_source for each in reply.citations} == {"acme"}


async def test_the_rest_of_a_section_brings_no_other_places_rule() -> None:
    french = two_chunks(Section("Table", "Ads for kites are allowed with pleasure.", ("fr",)))
    reply = await answer(open_desk(french), "can I advertise kites in Peru?")
    assert verdicts(reply) == {("pe", "acme"): Verdict.RESTRICTED}
    assert all(each.regions == ("global",) for each in reply.citations)


async def test_the_trace_tells_what_was_seen_used_and_how_long_it_took() -> None:
    reply, trace = await traced(open_desk(TOYS, DARTS), "can I advertise kites in the UK?")
    assert isinstance(reply, Answer)
    fates = {each.chunk_id: each.fate for each in trace.candidates}
    cited = {quote.chunk_id for each in reply.statements for quote in each.quotes}
    assert {id_ for id_, fate in fates.items() if fate == "cited"} == cited
    assert set(fates.values()) == {"cited", "unused"}
    assert {"understand", "embed", "topic", "retrieve", "read", "compose", "total"} <= set(trace.timings_ms)
    assert trace.question.text == "can I advertise kites in the UK?"
    assert all(0 <= each.score <= 1 for each in trace.candidates)


async def test_no_more_than_five_places_and_six_targets_are_answered_for() -> None:
    text = "can I advertise kites in the UK, Peru, Chile, Spain, France and Italy?"
    reply = await answer(open_desk(TOYS, BRIM), text)
    assert len(reply.scope.regions) == 5
    assert len(reply.verdicts) <= 6


async def test_top_k_bounds_what_is_looked_at() -> None:
    many = [document(f"acme_{n}", kites(f"Ads for kites need sticker {n}.")) for n in range(20)]
    _, trace = await traced(open_desk(*many), "can I advertise kites?", top_k=3)
    assert len(trace.candidates) == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("darf ich in Peru für kites werben", RefusalReason.UNSUPPORTED_LANGUAGE),
        ("thanks a lot!", RefusalReason.OFF_TOPIC),
    ],
)
async def test_what_needs_no_search_is_said_without_one(text: str, reason: RefusalReason) -> None:
    desk = open_desk(TOYS)
    assert (await refusal(desk, text)).reason is reason
    assert desk.index.queries == []


async def test_an_embedder_for_many_languages_serves_them() -> None:
    desk = open_desk(TOYS, multilingual=True)
    await ask(desk, "darf ich in Peru für kites werben")
    assert desk.index.queries


async def test_a_place_that_may_be_two_is_asked_back() -> None:
    desk = open_desk(TOYS)
    reply = await ask(desk, "can I advertise kites in Austrlia?", filters=Filters(policy_sources=("acme",)))
    assert isinstance(reply, Clarification)
    assert [(each.kind, each.subject, each.question, each.filters) for each in reply.choices] == [
        ("place", "at", "can I advertise kites in Austria?", Filters(("acme",), ("at",))),
        ("place", "au", "can I advertise kites in Australia?", Filters(("acme",), ("au",))),
    ]
    assert desk.index.queries == []


async def test_a_rule_asked_for_by_its_number_is_the_only_one_shown() -> None:
    write = document(
        "acme_book",
        Section("4.2 Kites", "Ads for kites are not allowed."),
        Section("14.2 Darts", "Ads for darts must show rule 4.2 in red."),
    )
    first, last = write.chunks
    write = replace(write, chunks=(replace(first, rule_number="4.2"), replace(last, rule_number="14.2")))
    reply = await answer(open_desk(write), "what does rule 4.2 say?")
    assert [each.rule_number for each in reply.citations] == ["4.2"]


@pytest.mark.parametrize("question", ["can I advertise kites?", "help", "hello", "what changed?"])
async def test_the_trace_says_for_which_groups_it_was_answered(question: str) -> None:
    _, trace = await traced(open_desk(TOYS, BRIM), question, groups=frozenset({"legal", "audit"}))
    assert trace.notes["groups"] == ["audit", "legal"]
    assert "groups" not in (await traced(open_desk(TOYS, BRIM), question))[1].notes


async def test_a_question_without_a_topic_gets_choices_also_for_a_place() -> None:
    reply = await ask(open_desk(TOYS, DARTS), "what are the rules in Peru?")
    assert isinstance(reply, Clarification)
    assert 2 <= len(reply.choices) <= 5
    assert {each.filters.regions for each in reply.choices} == {("pe",)}


async def test_a_rule_number_that_an_older_version_only_has_as_a_number_is_no_other_day() -> None:
    near = "Ads for kites are not allowed within 5 km of airports."
    old = document("acme_toys", kites(near), effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1))
    desk = open_desk(old, document("acme_toys", kites(NO)))
    for text in ("can I advertise kites in the UK article 5?", "kites in the UK, rule 5: may I advertise?"):
        reply = await ask(desk, text)
        assert not isinstance(reply, Refusal) or reply.reason is RefusalReason.NOT_COVERED, text


async def test_a_document_without_a_day_answers_for_earlier_days_with_a_warning() -> None:
    undated = document("acme_toys", kites(NO), date_stated=False, open_start=True)
    early = await answer(open_desk(undated), "can I advertise kites?", as_of=date(2024, 1, 1))
    assert early.verdict is Verdict.PROHIBITED
    assert [each.subjects for each in early.warnings if each.code is WarningCode.DATE_NOT_STATED] == [("2026-01-01",)]
    assert [each.date_stated for each in early.citations] == [False]
    today = await answer(open_desk(undated), "can I advertise kites?")
    assert WarningCode.DATE_NOT_STATED not in {each.code for each in today.warnings}
