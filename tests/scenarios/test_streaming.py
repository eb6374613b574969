"""From a language model to the event stream: its sentences arrive as they are verified, before the answer, and stay."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aiohttp

from bot.ports import RecordedAnswer
from bot.questions.answerer import Asking
from bot.render.json import reply_json
from rag_core.generation.reader import LanguageModelReader
from rag_core.rules.judging import warm_up
from tests.fakes.kites import TOYS
from tests.fakes.model import WAITS, FakeModel, reading
from tests.fakes.policies import open_desk
from tests.fakes.web import Site, make_parts, serving
from tests.fakes.writing import ADULTS, GOOD, IN_WORDS, LIMITS

BAD = ("Kites are allowed everywhere.", ADULTS)
QUESTION = {"question": "can I advertise kites in the UK?", "as_of": "2026-06-01"}
AS_STREAM = {"Accept": "text/event-stream"}
Event = tuple[str, object]


class Records:
    def __init__(self) -> None:
        self.saved: list[RecordedAnswer] = []

    async def save(self, record: RecordedAnswer) -> None:
        self.saved.append(record)


@asynccontextmanager
async def served(model: FakeModel, records: Records | None = None) -> AsyncIterator[Site]:
    warm_up()
    desk = open_desk(TOYS, language_model=LanguageModelReader(model, 20.0))
    numbers = itertools.count(1)
    parts = make_parts()
    asking = Asking(
        desk.asker,
        records or Records(),
        shape=lambda answer_id, reply, trace: reply_json(answer_id, reply, parts.links, trace.timings_ms),
        now=lambda: datetime(2026, 6, 1, tzinfo=UTC),
        new_id=lambda: f"answer-{next(numbers)}",
        deadline_seconds=30.0,
    )
    async with serving(make_parts(asking.ask)) as site:
        yield site


async def events(response: aiohttp.ClientResponse) -> AsyncIterator[Event]:
    while block := (await response.content.readuntil(b"\n\n")).decode().strip():
        if not block.startswith(":"):
            name, data = block.split("\n")
            yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))
            if name in ("event: answer", "event: error"):
                return


async def test_a_statement_is_sent_once_before_the_answer_which_has_it() -> None:
    records = Records()
    model = FakeModel(reading(LIMITS, BAD, GOOD), pieces=3)
    async with (
        served(model, records) as site,
        site.session.post("/api/v1/ask", json=QUESTION, headers=AS_STREAM) as sent,
    ):
        found = [event async for event in events(sent)]
    names = [name for name, _ in found]
    answer = found[-1][1]
    assert isinstance(answer, dict)
    assert names == ["status", "scope", *["statement"] * len(answer["statements"]), "answer"]
    assert [payload for name, payload in found if name == "statement"] == answer["statements"]
    assert answer["statements"][0]["text"] == IN_WORDS
    assert all("everywhere" not in each["text"] for each in answer["statements"])
    assert "left_out" in [each["code"] for each in answer["warnings"]]
    assert records.saved[0].reply["statements"] == answer["statements"]
    assert answer["verdict"] == "restricted"


async def test_who_leaves_the_stream_stops_the_model() -> None:
    model = FakeModel(WAITS)
    async with served(model) as site:
        async with site.session.post("/api/v1/ask", json=QUESTION, headers=AS_STREAM) as response:
            seen = [await anext(events(response)) for _ in range(2)]
            assert [name for name, _ in seen] == ["status", "scope"]
            async with asyncio.timeout(5):
                await model.begun.wait()
            assert model.stopped == 0
            response.close()
        async with asyncio.timeout(5):
            await model.ended.wait()


async def test_the_model_stops_when_who_waits_for_the_whole_answer_leaves() -> None:
    model = FakeModel(WAITS)
    async with served(model) as site:
        post = asyncio.create_task(site.post("/api/v1/ask", QUESTION))
        async with asyncio.timeout(5):
            await model.begun.wait()
            post.cancel()
            await model.ended.wait()
