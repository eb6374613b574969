"""Comparisons and questions for changes to the sample policies, through everything real."""

import asyncio
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from ops.config import Config
from ops.wiring import open_answering
from rag_core.answers import Answer, Citation, Reply, Verdict
from rag_core.ports import VersionText
from rag_core.questions import AskRequest, Intent
from tests.fakes.changes import read_as
from tests.fakes.samples import sample_copy

pytestmark = pytest.mark.timeout(300)

TODAY = date(2026, 6, 1)
MARCH, JANUARY = date(2026, 3, 1), date(2026, 1, 1)
RESTRICTED = "quillmoor_gambling_preclearance"
LEGAL = frozenset({"legal"})


@dataclass(frozen=True)
class Library:
    """The sample, ingested once; each question opens it anew."""

    config: Config

    def ask(self, text: str, groups: frozenset[str] = frozenset(), **changes: Any) -> Reply:
        return asyncio.run(self._ask(AskRequest(text, TODAY, groups, **changes)))

    def answer(self, text: str, groups: frozenset[str] = frozenset(), **changes: Any) -> Answer:
        reply = self.ask(text, groups, **changes)
        assert isinstance(reply, Answer), reply
        asyncio.run(self._check(reply, groups))
        return reply

    async def _ask(self, request: AskRequest) -> Reply:
        async with open_answering(self.config) as answering:
            return (await answering.asker.ask(request))[0]

    async def _check(self, reply: Answer, groups: frozenset[str]) -> None:
        """Every citation is verbatim in its version."""
        async with open_answering(self.config) as answering:
            for citation in reply.citations:
                version = await answering.store.version_text(citation.doc_id, groups)
                assert isinstance(version, VersionText)
                assert version.text[citation.char_start : citation.char_end] == citation.quote


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(Config(data_dir=sample_copy(tmp_path_factory.mktemp("samples") / "data")))


def rows(reply: Answer) -> dict[str | None, Verdict | None]:
    assert reply.comparison is not None
    return {row.region: row.verdict for row in reply.comparison.rows}


def numbered(reply: Answer) -> dict[int, Citation]:
    return {each.number: each for each in reply.citations}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("compare alcohol rules in the UK and France", {"uk": Verdict.RESTRICTED, "fr": Verdict.RESTRICTED}),
        (
            "gambling in Denmark vs Norway",
            {"dk": Verdict.RESTRICTED, "no": Verdict.RESTRICTED},
        ),  # but for the state lottery
        ("crypto exchange ads: Japan, Turkey", {"jp": Verdict.RESTRICTED, "tr": Verdict.PROHIBITED}),
    ],
)
def test_places_are_compared(library: Library, text: str, expected: dict[str, Verdict]) -> None:
    reply = library.answer(text)
    found = rows(reply)
    assert found.keys() == expected.keys()
    assert all(found[place] in (None, verdict) for place, verdict in expected.items()), "never another one"
    sources = numbered(reply)
    assert reply.comparison is not None
    for row in reply.comparison.rows:
        assert row.region is not None
        assert row.citations
        assert all(set(sources[number].regions) & {row.region, "global", "eu"} for number in row.citations)


def test_a_place_that_no_rule_allows_is_not_passed_over(library: Library) -> None:
    reply = library.answer("compare alcohol rules in the UK, France, Germany, Sweden, Norway")
    assert set(rows(reply)) == {"uk", "fr", "de", "se", "no"}


def test_both_versions_of_a_rule_are_told_for_the_place_asked(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=MARCH)
    reply = library.answer("what changed for alcohol in the UK?")
    assert reply.changes is not None
    rules = reply.changes.rules
    sources = numbered(reply)
    (age,) = (rule for rule in rules if "aged 21" in rule.after)
    assert age.before_citation is None or "2025-03-01" in sources[age.before_citation].doc_id
    assert age.after_citation is not None
    assert sources[age.after_citation].doc_id.endswith("2026-05-04")
    assert all(rule.changed_on == date(2026, 5, 4) for rule in rules)
    said = repr(reply)
    assert "Germany" not in said
    assert "Australia" not in said


@pytest.mark.parametrize("text", ["what changed for gambling?", "what changed?", "what is new in pre-clearance?"])
def test_what_is_restricted_is_told_to_nobody_else(
    library: Library, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=MARCH)
    assert RESTRICTED not in repr(library.ask(text))


def test_its_group_is_told_of_it(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=MARCH)
    reply = library.answer("what is new in gambling pre-clearance?", LEGAL)
    assert reply.changes is not None
    assert [each.document_id for each in reply.changes.rules] == [RESTRICTED]


def test_where_nothing_changed_the_last_change_is_named(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=MARCH)
    reply = library.answer("what changed for weapons?")
    assert reply.changes is not None
    assert (reply.changes.rules, reply.changes.left_out) == ((), 0)
    assert reply.changes.last_before == date(2025, 3, 1)
    assert {each.document_id for each in reply.citations} == {"quillmoor_weapons"}
    assert reply.verdicts == ()


def test_days_before_the_change_do_not_have_it(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.WHAT_CHANGED, since=JANUARY)
    reply = library.answer("what changed for political ads?", as_of=date(2026, 3, 31))
    assert reply.changes is not None
    assert {rule.document_id for rule in reply.changes.rules} == {"quillmoor_political"}
    assert {rule.changed_on for rule in reply.changes.rules} == {date(2026, 1, 15)}


def test_all_documents_are_listed_but_the_restricted_one(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as(monkeypatch, Intent.LIST_SOURCES)
    found = library.answer("which documents do you have?").documents
    assert found is not None
    ids = {each.document_id for each in found.documents}
    assert {"quillmoor_alcohol", "quillmoor_gambling"} <= ids
    assert RESTRICTED not in ids
    for_legal = library.answer("which documents do you have?", LEGAL).documents
    assert for_legal is not None
    assert len(for_legal.documents) + for_legal.left_out == len(found.documents) + found.left_out + 1
