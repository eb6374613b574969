"""Answers read again over REST, and feedback, on the real store: only by who asked, only what he may see now."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.people.feedback import SqlFeedback
from adapters.sql.tables.policies import answers, versions
from adapters.web.callers import Caller
from bot.audit.entries import body_of
from bot.model.messages import Actor
from ops.config import Config
from ops.wiring import open_answering
from tests.fakes.callers import FakeCallers
from tests.fakes.ingested import web_parts
from tests.fakes.program import environment, run
from tests.fakes.web import Site, serving

LAWYER = Caller(Actor("rest", "local", "token:lawyer"), frozenset({"legal"}))
SELLER = Caller(Actor("rest", "local", "token:seller"))
KNOWN = {"lawyer": LAWYER, "seller": SELLER}
QUESTION = {"question": "can I advertise alcohol in the UK"}
AS_LAWYER, AS_SELLER = ({"Authorization": f"Bearer {name}"} for name in KNOWN)


@dataclass(frozen=True)
class Asked:
    site: Site
    engine: AsyncEngine
    answer: dict[str, Any]

    @property
    def answer_id(self) -> str:
        return str(self.answer["answer_id"])

    async def read(self, headers: dict[str, str]) -> tuple[int, str]:
        async with self.site.session.get(f"/api/v1/answers/{self.answer_id}", headers=headers) as response:
            return response.status, await response.text()

    async def rate(self, headers: dict[str, str], **said: object) -> tuple[int, dict[str, Any]]:
        body = {"answer_id": self.answer_id, "rating": "useful"} | said
        async with self.site.session.post("/api/v1/feedback", json=body, headers=headers) as response:
            return response.status, await response.json(content_type=None)

    async def change(self, **values: object) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(update(versions).values(values))


@pytest.fixture
async def asked(sample_copy: Path) -> AsyncIterator[Asked]:
    """Asked by the seller."""
    async with open_answering(Config(data_dir=sample_copy)) as answering:
        parts = replace(web_parts(answering), callers=FakeCallers(known=KNOWN))
        async with (
            serving(parts) as site,
            site.session.post("/api/v1/ask", json=QUESTION, headers=AS_SELLER) as response,
        ):
            yield Asked(site, answering.engine, await response.json())


async def test_who_asked_reads_it_again_and_nobody_else(asked: Asked) -> None:
    status, text = await asked.read(AS_SELLER)
    assert (status, json.loads(text)) == (200, asked.answer)
    assert asked.answer["citations"]
    status, text = await asked.read(AS_LAWYER)  # who may see more documents, and still not what others asked
    assert (status, json.loads(text)["code"]) == (404, "answer_not_found")


@pytest.mark.parametrize(
    "change",
    [
        {"classification": "restricted", "allowed_groups": ["legal"]},
        {"classification": "restricted", "allowed_groups": []},
        {"status": "held"},
    ],
    ids=["restricted", "for nobody", "not on file"],
)
async def test_what_is_hidden_meanwhile_is_hidden_in_old_answers(asked: Asked, change: dict[str, object]) -> None:
    await asked.change(**change)
    status, text = await asked.read(AS_SELLER)
    assert status == 404
    shown = [asked.answer["citations"][0][name] for name in ("title", "quote", "section_path")]
    assert not [each for each in shown if each in text]


async def test_feedback_is_kept_once_and_recorded_each_time(asked: Asked) -> None:
    status, kept = await asked.rate(AS_SELLER, rating="not_useful", reasons=["outdated"], comment="Old.\u202e")
    assert (status, kept["comment"]) == (200, "Old.")
    assert (await asked.rate(AS_SELLER, rating="useful"))[0] == 200
    assert (await asked.rate(AS_LAWYER))[0] == 404
    [opinion] = await SqlFeedback(asked.engine).of_answer(asked.answer_id)
    async with asked.engine.connect() as connection:
        asker = (await connection.execute(select(answers.c.workspace, answers.c.person))).one()
    assert (opinion.rating, opinion.workspace, opinion.person) == ("useful", *asker)
    records = await SqlAuditReading(asked.engine).of_subject(asked.answer_id)
    bodies = [body_of(each.canonical) for each in records]
    assert [body["facts"]["outcome"] for body in bodies if body["kind"] == "feedback"] == ["not_useful", "useful"]


async def test_the_answer_on_record_is_shown_with_its_asker(asked: Asked, sample_copy: Path) -> None:
    await asked.rate(AS_SELLER, rating="not_useful", comment="A comment.")
    ended = run(
        "ops", "audit", "show", asked.answer_id, "--not-today", env=environment(sample_copy), cwd=sample_copy.parent
    )
    assert ended.returncode == 0, ended.stderr
    assert "token:seller" in ended.stdout


async def test_without_its_trace_an_answer_is_not_shown(asked: Asked) -> None:
    async with asked.engine.begin() as connection:
        await connection.execute(update(answers).values(trace=None))
        assert (await connection.execute(select(answers.c.trace))).scalar_one() is None
    assert (await asked.read(AS_SELLER))[0] == 404
