"""What changed, asked of a desk with a record of changes."""

from datetime import date
from typing import Any

import pytest

from ingest.ports import VersionWrite
from rag_core.answering import change_answers
from rag_core.answering.change_answers import MOST_SHOWN
from rag_core.answers import Answer, Changes, Clarification, ClarificationReason, Refusal, RefusalReason, WarningCode
from rag_core.errors import Unavailable
from rag_core.questions import Intent
from tests.fakes.changes import FakeChanges, desk_with_changes, read_as
from tests.fakes.documents import Section
from tests.fakes.kites import HIDDEN, answer, ask, document, kites, refusal, traced
from tests.fakes.policies import Desk, open_desk

JANUARY, MARCH, MAY = date(2026, 1, 1), date(2026, 3, 1), date(2026, 5, 1)
SAMPLE: dict[str, Any] = {"labels": {"stage": "sample"}}


def toys(day: date, body: str, until: date | None = None, **changes: Any) -> VersionWrite:
    sections = (kites(body), kites(f"In Belgium, {body.lower()}", "be", heading="Belgium"))
    return document("acme_toys", *sections, effective_from=day, effective_to=until, **changes)


FIRST = toys(JANUARY, "Ads for kites are allowed.", MAY)
SECOND = toys(MAY, "Ads for kites are not allowed.")
BOOKS = document("acme_books", Section("Books", "Ads for books are allowed."), effective_from=JANUARY)


KITES = ((JANUARY, "Strings are red.", date(2026, 4, 1)), (date(2026, 4, 1), "Strings are blue.", None))


@pytest.fixture
def desk() -> Desk:
    return desk_with_changes(FIRST, SECOND, BOOKS)[0]


@pytest.fixture(autouse=True)
def since_march(monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=MARCH)


def told(reply: Answer) -> Changes:
    assert reply.changes is not None
    return reply.changes


async def test_both_versions_are_quoted_with_their_sources(desk: Desk) -> None:
    reply = await answer(desk, "what changed for kites in France?")
    (rule,) = told(reply).rules
    assert (rule.before, rule.after) == ("Ads for kites are allowed.", "Ads for kites are not allowed.")
    assert (rule.changed_on, rule.direction) == (MAY, "stricter")
    cited = {each.number: each for each in reply.citations}
    assert rule.before_citation is not None
    assert rule.after_citation is not None
    assert cited[rule.before_citation].doc_id == FIRST.version.doc_id
    assert cited[rule.after_citation].doc_id == SECOND.version.doc_id
    for number, write in ((rule.before_citation, FIRST), (rule.after_citation, SECOND)):
        assert write.text[cited[number].char_start : cited[number].char_end] == cited[number].quote
    assert (reply.verdicts, reply.verdict) == ((), None)
    assert [each.text for each in reply.statements] == [rule.after]


async def test_the_trace_names_what_is_cited(desk: Desk) -> None:
    reply, trace = await traced(desk, "what changed for kites in Belgium?")
    assert isinstance(reply, Answer)
    cited = {each.chunk_id for each in trace.candidates if each.fate == "cited"}
    assert {each.chunk_id for each in reply.citations} <= cited
    assert "changes" in trace.timings_ms


async def test_another_places_rule_is_not_told(desk: Desk) -> None:
    assert "Belgium" not in repr((await answer(desk, "what changed for kites in France?")).changes)
    assert len(told(await answer(desk, "what changed for kites in Belgium?")).rules) == 2


async def test_only_the_days_and_platforms_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, changes = desk_with_changes(FIRST, SECOND, BOOKS)
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=MARCH, policy_sources=("acme",))
    await answer(desk, "what changed for kites?", as_of=date(2026, 5, 31), groups=frozenset({"legal"}))
    wanted, groups, limit = changes.asked[0]
    assert (wanted.since, wanted.until, wanted.policy_sources) == (
        MARCH,
        date(2026, 5, 31),
        frozenset({"acme"}),
    )
    assert wanted.newest_first
    assert groups == {"legal"}
    assert limit is not None


async def test_where_nothing_changed_that_is_said_with_the_rules_as_they_are(desk: Desk) -> None:
    reply = await answer(desk, "what changed for books?")
    assert told(reply) == Changes(MARCH, date(2026, 6, 1), last_before=JANUARY, looked_for=("books",))
    assert [each.text for each in reply.statements] == ["Ads for books are allowed."]
    assert reply.loose_statements == reply.statements
    assert reply.verdicts == (), "what may be done was not asked"


async def test_a_rule_on_what_was_changed_is_not_near_to_the_question_what_changed() -> None:
    altered = Section("Pictures", "Pictures that were changed must say so.")
    desk, _ = desk_with_changes(FIRST, SECOND, BOOKS, document("acme_pictures", altered, effective_from=JANUARY))
    reply, trace = await traced(desk, "what changed for books?")
    assert isinstance(reply, Answer)
    assert [each.text for each in reply.statements] == ["Ads for books are allowed."]
    assert (reply.rewritten_question, trace.question.text) == (None, "what changed for books?")


async def test_what_no_policy_speaks_of_did_not_stay_as_it_is(desk: Desk) -> None:
    reply = await refusal(desk, "what changed for zeppelin ads?")
    assert reply.reason is RefusalReason.NOT_COVERED


async def test_what_a_place_changed_is_shown_though_its_words_are_others(desk: Desk) -> None:
    reply = await answer(desk, "what changed for zeppelins in Belgium?")
    (rule,) = told(reply).rules
    assert rule.after == "In Belgium, ads for kites are not allowed."
    assert reply.not_stated == ("zeppelins",)


async def test_an_item_whose_lead_in_changed_did_change() -> None:
    items = "\n\n- box kites\n- razor kites"
    desk, _ = desk_with_changes(
        toys(JANUARY, f"If your shop ad is shown, we do not allow:{items}", MAY),
        toys(MAY, f"If your ad is shown, we do not allow:{items}"),
    )
    reply = await answer(desk, "what changed for razor things in France?")
    (rule,) = told(reply).rules
    assert rule.before == "If your shop ad is shown, we do not allow: razor kites"
    assert rule.after == "If your ad is shown, we do not allow: razor kites"


async def test_a_change_on_a_kind_of_it_is_a_change_on_it() -> None:
    desk, _ = desk_with_changes(
        toys(JANUARY, "Ads for bingo are allowed.", MAY), toys(MAY, "Ads for bingo are banned.")
    )
    reply = await answer(desk, "what changed for gambling in France?")
    assert [each.after for each in told(reply).rules] == ["Ads for bingo are banned."]


async def test_without_a_topic_and_without_a_change_the_days_are_named() -> None:
    desk, _ = desk_with_changes(BOOKS)
    reply = await answer(desk, "what changed?")
    assert told(reply) == Changes(MARCH, date(2026, 6, 1), last_before=JANUARY)
    assert (reply.statements, reply.citations) == ((), ())


async def test_restricted_versions_are_told_to_their_group_alone() -> None:
    hidden = [
        toys(day, body, until, title="Secret notes", **HIDDEN)
        for day, body, until in ((JANUARY, "Ads for kites are allowed.", MAY), (MAY, "Kites need counsel.", None))
    ]
    desk, _ = desk_with_changes(*hidden, BOOKS)
    for text in ("what changed for kites?", "what changed?", "what changed in the secret notes?"):
        reply = repr(await ask(desk, text))
        assert "counsel" not in reply
        assert "acme_toys" not in reply
    shown = await answer(desk, "what changed for kites?", groups=frozenset({"legal"}))
    assert any(each.after == "Kites need counsel." for each in told(shown).rules)


async def test_at_most_eight_and_the_others_are_counted() -> None:
    old = " ".join(f"Kite {number} is red." for number in range(12))
    desk, _ = desk_with_changes(toys(JANUARY, old, MAY), toys(MAY, old.replace("red", "blue")))
    changes = told(await answer(desk, "what changed for kites in France?"))
    assert (len(changes.rules), changes.left_out) == (MOST_SHOWN, 4)


async def test_what_cannot_be_quoted_is_counted_and_not_taken_for_nothing() -> None:
    desk, changes = desk_with_changes(FIRST, SECOND)
    other = FakeChanges(FIRST, toys(MAY, "Ads for kites are banned."))
    changes._rows = other._rows  # a record that does not fit the texts
    reply = told(await answer(desk, "what changed for kites in France?"))
    assert (reply.rules, reply.left_out) == ((), 1)


async def test_nothing_changed_is_said_only_of_the_whole_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_answers, "_READ", (1, 50))
    older = [document("acme_kites", kites(body), effective_from=day, effective_to=end) for day, body, end in KITES]
    desk, changes = desk_with_changes(*older, FIRST, SECOND)
    reply = await answer(desk, "what changed for strings?")
    assert [each.after for each in told(reply).rules] == ["Strings are blue."]
    assert [limit for _, _, limit in changes.asked] == [1, 50]


async def test_help_is_there_while_the_store_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.HELP)
    desk, _ = desk_with_changes(BOOKS)
    assert isinstance(await ask(desk, "help"), Clarification)  # its sources are known from now on

    async def down(*args: object) -> list[object]:
        raise Unavailable("store_silent")

    monkeypatch.setattr(desk.store, "versions", down)
    reply = await ask(desk, "help")
    assert isinstance(reply, Clarification)
    assert reply.choices == ()


async def test_samples_are_called_samples() -> None:
    desk, _ = desk_with_changes(toys(JANUARY, "Kites are red.", MAY, **SAMPLE), toys(MAY, "Kites are blue.", **SAMPLE))
    reply = await answer(desk, "what changed for kites?")
    assert [each.code for each in reply.warnings] == [WarningCode.SAMPLE]


async def test_a_gap_is_named(desk: Desk) -> None:
    reply = await answer(desk, "what changed for kites on zeppelins?")
    assert reply.not_stated == ("zeppelins",)


async def test_a_record_that_does_not_answer_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, changes = desk_with_changes(FIRST, SECOND)

    async def down(*args: object) -> list[object]:
        raise Unavailable("store_silent")

    monkeypatch.setattr(changes, "changes", down)
    with pytest.raises(Unavailable):
        await ask(desk, "what changed for kites?")


async def test_without_a_record_it_is_a_question_like_any_other() -> None:
    reply = await answer(open_desk(SECOND), "what is new for kites in France?")
    assert reply.changes is None
    assert reply.statements


async def test_documents_are_listed_with_the_days_of_their_versions(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, Intent.LIST_SOURCES)
    found = (await answer(desk, "which documents do you have?")).documents
    assert found is not None
    assert [(each.document_id, len(each.versions)) for each in found.documents] == [("acme_books", 1), ("acme_toys", 2)]
    assert [each.effective_from for each in found.documents[1].versions] == [MAY, JANUARY]
    on_kites = (await answer(desk, "which documents are on kites?")).documents
    assert on_kites is not None
    assert [each.document_id for each in on_kites.documents] == ["acme_toys"], "its text is on kites, not its title"


async def test_documents_that_may_not_be_seen_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.LIST_SOURCES)
    secret = document("acme_counsel", kites("Kites need counsel."), **HIDDEN)
    desk, _ = desk_with_changes(BOOKS, secret)
    assert "counsel" not in repr(await ask(desk, "which documents do you have?"))
    hidden = await ask(desk, "which documents are on kites?")
    assert isinstance(hidden, Refusal)
    assert "counsel" not in repr(hidden)


async def test_help_offers_what_there_is(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.HELP)
    reply = await ask(desk, "what can I ask?")
    assert isinstance(reply, Clarification)
    assert reply.reason is ClarificationReason.HELP
    assert {each.subject for each in reply.choices} == {"Acme Books", "Acme Toys"}
    assert desk.index.queries == [], "nothing is looked up"


async def test_small_talk_is_told_what_this_is_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.SMALL_TALK)
    assert (await refusal(desk, "good morning")).reason is RefusalReason.OFF_TOPIC
    assert desk.index.queries == []


async def test_a_day_to_come_is_warned_of(desk: Desk) -> None:
    reply = await answer(desk, "what changed for kites?", as_of=date(2027, 1, 1))
    assert WarningCode.FUTURE_DAY in [each.code for each in reply.warnings]
