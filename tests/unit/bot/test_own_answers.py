"""Answers read again: by who asked, and only while everything behind them may be seen."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from bot.answers.recorded import OwnAnswers, belongs_to
from bot.model.jsonable import jsonable
from bot.model.links import Links
from bot.model.messages import Actor
from bot.ports import RecordedAnswer
from bot.render.json import reply_json
from ingest.ports import VersionWrite
from rag_core.answers import (
    Answer,
    AskTrace,
    Candidate,
    Changes,
    Choice,
    DocumentList,
    ListedDocument,
    ListedVersion,
    Nearest,
    Refusal,
    RefusalReason,
    Reply,
)
from rag_core.documents import Classification
from rag_core.questions import Filters, Intent, Question, Scope
from tests.fakes import replies
from tests.fakes.documents import make_version, make_write, passages_of
from tests.fakes.feedback import FakeGivenAnswers, make_answer
from tests.fakes.web import FakePolicyStore, uk_answer

ASKER = Actor("rest", "T1", "U1")
NOBODY: frozenset[str] = frozenset()
LEGAL = frozenset({"legal"})
CITED = make_write()
OTHER = make_write(make_version("acme_other"))


def restricted(write: VersionWrite) -> VersionWrite:
    version = replace(write.version, classification=Classification.RESTRICTED, allowed_groups=LEGAL)
    return replace(write, version=version)


def recorded(reply: Reply, *looked_at: VersionWrite, **changes: Any) -> RecordedAnswer:
    """`reply` as it is put on record, with the chunks of `looked_at` as its candidates."""
    passages = [each for write in looked_at for each in passages_of(write)]
    candidates = tuple(Candidate(each.chunk.chunk_id, each.chunk.doc_id, "h", 0.5, None, "unused") for each in passages)
    trace = AskTrace(Question("wine", reply.scope, Intent.PERMISSION, ()), candidates)
    shape = reply_json("a1", reply, Links("https://policies.example"), {})
    return make_answer(reply=shape, trace=jsonable(trace), **changes)


async def read(answer: RecordedAnswer, *writes: VersionWrite, groups: frozenset[str] = NOBODY) -> object:
    return await OwnAnswers(FakeGivenAnswers(answer), FakePolicyStore(writes)).read("a1", ASKER, groups)


def refusal(**changes: Any) -> Refusal:
    return replace(Refusal(Scope(date(2026, 6, 1)), RefusalReason.NOT_COVERED), **changes)


def nearest(write: VersionWrite) -> Nearest:
    chunk = passages_of(write)[0].chunk
    return Nearest(
        chunk.chunk_id, chunk.doc_id, "acme", "Title", None, None, "Path", ("global",), date(2026, 1, 1), None
    )


def listed(*doc_ids: str) -> Answer:
    versions = tuple(ListedVersion(each, date(2026, 1, 1), None) for each in doc_ids)
    version = CITED.version
    document = ListedDocument(version.document_id, "acme", version.title, None, versions, version.checked_at)
    return Answer(Scope(date(2026, 6, 1)), (), (), documents=DocumentList((document,)))


async def test_who_asked_reads_what_was_answered() -> None:
    answer = recorded(uk_answer(CITED), CITED)
    assert await read(answer, CITED) == answer.reply


@pytest.mark.parametrize(
    ("actor", "theirs"),
    [
        (ASKER, True),
        (replace(ASKER, platform="web"), True),
        (replace(ASKER, platform="slack"), False),
        (replace(ASKER, workspace="T2"), False),
        (replace(ASKER, person="U2"), False),
    ],
)
async def test_an_answer_belongs_to_one_person_on_one_platform(actor: Actor, theirs: bool) -> None:
    answer = recorded(uk_answer(CITED), CITED)
    assert belongs_to(answer, actor) is theirs
    found = await OwnAnswers(FakeGivenAnswers(answer), FakePolicyStore([CITED])).read("a1", actor, NOBODY)
    assert (found is not None) is theirs


async def test_there_is_nothing_under_an_unknown_id() -> None:
    assert await OwnAnswers(FakeGivenAnswers(), FakePolicyStore([CITED])).read("a1", ASKER, LEGAL) is None


async def test_what_is_restricted_meanwhile_takes_the_answer_with_it() -> None:
    answer = recorded(uk_answer(CITED), CITED)
    assert await read(answer, restricted(CITED)) is None
    assert await read(answer, restricted(CITED), groups=LEGAL) == answer.reply


async def test_what_was_answered_for_a_group_is_for_nobody_outside_it() -> None:
    answer = recorded(uk_answer(CITED), CITED)
    answer = replace(answer, trace={**(answer.trace or {}), "notes": {"groups": ["legal"]}})
    assert await read(answer, CITED) is None
    assert await read(answer, CITED, groups=frozenset({"safety"})) is None
    assert await read(answer, CITED, groups=LEGAL) == answer.reply


async def test_so_does_what_is_gone() -> None:
    assert await read(recorded(uk_answer(CITED), CITED)) is None


async def test_so_does_a_passage_that_was_only_looked_at() -> None:
    answer = recorded(uk_answer(CITED), CITED, OTHER)
    assert await read(answer, CITED, OTHER) == answer.reply
    assert await read(answer, CITED, restricted(OTHER)) is None


async def test_so_does_a_passage_that_is_gone_from_a_version_that_stays() -> None:
    near = replace(nearest(OTHER), chunk_id="00000000-0000-5000-8000-000000000000")
    assert await read(recorded(refusal(nearest=(near,))), OTHER) is None


async def test_so_does_a_document_of_which_no_version_is_named() -> None:
    rule = replies.changed_rule(document_id=OTHER.version.document_id, policy_source="acme")
    changes = Changes(None, date(2026, 6, 1), (rule,))
    answer = recorded(Answer(Scope(date(2026, 6, 1)), (), (), changes=changes))
    assert await read(answer, CITED, OTHER) == answer.reply
    assert await read(answer, CITED, restricted(OTHER)) is None


async def test_so_does_a_section_that_a_refusal_names() -> None:
    answer = recorded(refusal(nearest=(nearest(OTHER),)))
    assert await read(answer, OTHER) == answer.reply
    assert await read(answer, restricted(OTHER)) is None


async def test_so_does_a_version_in_a_list_of_documents() -> None:
    answer = recorded(listed(CITED.version.doc_id))
    assert await read(answer, CITED) == answer.reply
    assert await read(answer, restricted(CITED)) is None
    assert await read(recorded(listed(CITED.version.doc_id, "acme_hidden_2026-01-01")), CITED) is None


async def test_so_does_a_platform_that_is_offered_as_a_choice() -> None:
    choice = Choice("policy_source", "acme", "wine on Acme", Filters(policy_sources=("acme",)))
    answer = recorded(refusal(choices=(choice,)))
    assert await read(answer, CITED) == answer.reply
    assert await read(answer, restricted(CITED)) is None


async def test_the_platform_that_was_asked_for_need_not_be_on_file() -> None:
    answer = recorded(refusal(scope=Scope(date(2026, 6, 1), policy_sources=("nowhere",))))
    assert await read(answer) == answer.reply


@pytest.mark.parametrize(
    "reply",
    [
        refusal(reason=RefusalReason.OTHER_DAY),
        Answer(Scope(date(2026, 6, 1)), (), (), changes=Changes(None, date(2026, 6, 1), last_before=date(2026, 1, 1))),
    ],
    ids=["rules of another day", "an earlier change"],
)
async def test_what_tells_of_something_unnamed_cannot_be_checked_and_is_not_shown(reply: Reply) -> None:
    assert await read(recorded(reply), CITED) is None


@pytest.mark.parametrize("trace", [None, {}, {"candidates": None}])
async def test_without_its_trace_nothing_is_shown(trace: dict[str, object] | None) -> None:
    answer = replace(recorded(uk_answer(CITED), CITED), trace=trace)
    assert await read(answer, CITED) is None


async def test_where_answers_know_people_by_pseudonyms_their_ids_open_nothing() -> None:
    answer = recorded(uk_answer(CITED), CITED, person="p1:U1")
    own = OwnAnswers(FakeGivenAnswers(answer), FakePolicyStore([CITED]), lambda actor: f"p1:{actor.person}")
    assert await own.read("a1", ASKER, NOBODY) == answer.reply
    for stranger in ("U2", "p1:U1"):
        assert await own.read("a1", replace(ASKER, person=stranger), NOBODY) is None
