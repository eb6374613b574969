"""`POST /api/v1/ask` and its event stream."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from adapters.web.api.streaming import wanted
from adapters.web.peers import Waiting
from bot.model.links import Links
from bot.model.messages import Conversation
from bot.questions.answerer import Answered, Asked
from bot.render.json import reply_json
from rag_core.answers import Refusal, RefusalReason, Reply, Statement
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters, Intent, Question, Scope, Turn
from tests.fakes.documents import make_write
from tests.fakes.web import PUBLIC_URL, TODAY, FakeAsk, Site, make_parts, serving, uk_answer

ANSWER = uk_answer(make_write(url=None))
AS_STREAM = {"Accept": "text/event-stream"}


class GrowingAsk(FakeAsk):
    """Tells whoever watches how its answer grows."""

    def __init__(self, reply: Reply, grow: Callable[[Asked], Awaitable[None]]) -> None:
        super().__init__(reply)
        self._grow = grow

    async def __call__(self, asked: Asked) -> Answered:
        await self._grow(asked)
        return await super().__call__(asked)


async def test_the_answer_is_the_rest_shape() -> None:
    async with serving(make_parts(FakeAsk(ANSWER))) as site:
        status, body = await site.post("/api/v1/ask", {"question": "alcohol in the uk"})
    assert status == 200
    assert body == reply_json("answer-1", ANSWER, Links(PUBLIC_URL, {"acme": "Acme Ads"}), {"retrieve": 1.5})


async def test_everything_asked_arrives() -> None:
    ask = FakeAsk(ANSWER)
    body = {
        "question": "and beer?",
        "history": [{"role": "user", "content": "alcohol"}, {"role": "assistant", "content": "Restricted"}],
        "filters": {
            "policy_source": "acme",
            "region": ["uk", "de"],
            "content_type": ["video"],
            "policy_section": "Alcohol",
            "labels": {"stage": "sample", "product": ["a", "b"]},
        },
        "as_of": "2026-01-31",
        "top_k": 5,
    }
    async with serving(make_parts(ask)) as site:
        status, _ = await site.post("/api/v1/ask", body)
    assert status == 200
    asked = ask.asked[0]
    assert asked.text == "and beer?"
    assert asked.history == (Turn("user", "alcohol"), Turn("assistant", "Restricted"))
    labels = {"stage": ("sample",), "product": ("a", "b")}
    assert asked.filters == Filters(("acme",), ("uk", "de"), ("video",), ("Alcohol",), labels)
    assert (asked.as_of, asked.top_k, asked.asked_from) == (date(2026, 1, 31), 5, "rest")
    assert asked.groups == frozenset()


async def test_optional_fields_may_be_null() -> None:
    ask = FakeAsk(ANSWER)
    nothing = {"filters": None, "history": None, "as_of": None, "conversation_id": None}
    async with serving(make_parts(ask)) as site:
        status, _ = await site.post("/api/v1/ask", {"question": "x"} | nothing)
        assert status == 200
        status, _ = await site.post("/api/v1/ask", {"question": "x", "filters": {"region": None}})
    assert status == 200
    assert [each.filters for each in ask.asked] == [Filters(), Filters()]


async def test_a_conversation_is_that_of_the_person_who_asks() -> None:
    ask = FakeAsk(ANSWER)
    async with serving(make_parts(ask)) as site:
        _, body = await site.post("/api/v1/ask", {"question": "x", "conversation_id": "c-1"})
        await site.post("/api/v1/ask", {"question": "x"})
    assert [each.conversation for each in ask.asked] == [Conversation("rest", "local", "anonymous", "c-1"), None]
    assert body["degraded"] == []


async def test_what_did_not_answer_is_in_the_reply() -> None:
    async with serving(make_parts(FakeAsk(replace(ANSWER, degraded=("redis", "record"))))) as site:
        _, body = await site.post("/api/v1/ask", {"question": "x", "conversation_id": "c-1"})
    assert body["degraded"] == ["redis", "record"]
    assert "could not be recorded" in str(body["text"])


async def test_one_question_too_many_is_429_with_a_time_to_wait() -> None:
    async with (
        serving(make_parts(FakeAsk(Rejected("rate_limited", seconds=8)))) as site,
        site.session.post("/api/v1/ask", json={"question": "x"}) as response,
    ):
        assert (response.status, response.headers["Retry-After"]) == (429, "8")
        assert response.content_type == "application/problem+json"
        body = await response.json(content_type=None)
    assert (body["code"], body["status"], body["seconds"]) == ("rate_limited", 429, 8)
    assert "8 seconds" in body["detail"]


async def test_one_question_too_many_on_the_page_is_429_too() -> None:
    async with serving(make_parts(FakeAsk(Rejected("rate_limited", seconds=1)))) as site:
        status, page = await site.page("/?q=alcohol")
    assert status == 429
    assert "Ask again in 1 second." in page


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("index_down", "The policies cannot be searched right now"),
        ("store_down", "The policies cannot be searched right now"),
        ("record_down", "Answers cannot be recorded right now"),
        ("too_slow", "The answer took too long"),
        ("stored_text_changed", "A stored policy text is not as it was read"),
    ],
)
async def test_what_is_down_is_said(code: str, title: str) -> None:
    async with serving(make_parts(FakeAsk(Unavailable(code)))) as site:
        status, body = await site.post("/api/v1/ask", {"question": "x"})
    assert (status, body["code"], body["title"]) == (503, code, title)


async def test_a_refusal_is_a_reply_not_an_error() -> None:
    refusal = Refusal(Scope(TODAY), RefusalReason.OFF_TOPIC)
    async with serving(make_parts(FakeAsk(refusal))) as site:
        status, body = await site.post("/api/v1/ask", {"question": "what's the weather"})
    assert (status, body["kind"]) == (200, "refusal")


async def test_rejected_is_422_with_what_is_known() -> None:
    ask = FakeAsk(Rejected("unknown_region", value="atlantis", known=["uk", "de"]))
    async with serving(make_parts(ask)) as site:
        status, body = await site.post("/api/v1/ask", {"question": "x", "filters": {"region": "atlantis"}})
    assert (status, body["status"], body["code"]) == (422, 422, "unknown_region")
    assert body["known"] == ["uk", "de"]
    assert "atlantis" in str(body["detail"])


async def test_unavailable_is_503_with_a_time_to_try_again() -> None:
    async with (
        serving(make_parts(FakeAsk(Unavailable("index_down")))) as site,
        site.session.post("/api/v1/ask", json={"question": "x"}) as response,
    ):
        assert response.status == 503
        assert int(response.headers["Retry-After"]) > 0
        assert response.content_type == "application/problem+json"
        assert (await response.json(content_type=None))["code"] == "index_down"


async def test_an_answer_that_takes_too_long_is_given_up() -> None:
    async with serving(make_parts(FakeAsk(Unavailable("too_slow", seconds=20)))) as site:
        status, body = await site.post("/api/v1/ask", {"question": "x"})
    assert (status, body["code"]) == (503, "too_slow")
    assert "too long" in str(body["title"])


async def test_a_defect_is_500_with_an_id_that_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(make_parts(FakeAsk(ZeroDivisionError("secret")))) as site:
        status, body = await site.post("/api/v1/ask", {"question": "x"})
    assert (status, body["code"]) == (500, "internal")
    assert "secret" not in json.dumps(body)
    assert "Traceback" not in json.dumps(body)
    assert str(body["id"]) in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def stream(site: Site, body: object) -> list[tuple[str, object]]:
    async with site.session.post("/api/v1/ask", json=body, headers={"Accept": "text/event-stream"}) as response:
        assert response.content_type == "text/event-stream"
        blocks = (await response.text()).split("\n\n")
    return [read_event(block) for block in blocks if block and not block.startswith(":")]


def read_event(block: str) -> tuple[str, object]:
    event, line = block.split("\n")
    return event.removeprefix("event: "), json.loads(line.removeprefix("data: "))


async def test_the_event_stream_ends_with_the_same_answer() -> None:
    answer = replace(ANSWER, statements=ANSWER.statements * 2)
    async with serving(make_parts(FakeAsk(answer))) as site:
        events = await stream(site, {"question": "x"})
        _, body = await site.post("/api/v1/ask", {"question": "x"})
    assert [name for name, _ in events] == ["status", "scope", "statement", "statement", "answer"]
    assert events[-1][1] == body
    assert events[1][1] == body["scope"]
    assert events[2][1] == body["statements"][0]  # type: ignore[index]


def growing(*statements: Statement, then: asyncio.Event | None = None, **scope: Any) -> Callable[[Asked], Any]:
    """An answer that grows by `statements`, and is finished once `then` is set."""

    async def tell(asked: Asked) -> None:
        assert asked.watching is not None
        question = Question(asked.text, replace(ANSWER.scope, **scope), Intent.PERMISSION, ())
        asked.watching.understood(question)
        for each in statements:
            asked.watching.stated(each)
        if then is not None:
            await then.wait()

    return tell


async def test_statements_are_sent_while_the_answer_is_still_made() -> None:
    finish = asyncio.Event()
    answer = replace(ANSWER, statements=(*ANSWER.statements, replace(ANSWER.statements[0], text="The end.")))
    ask = GrowingAsk(answer, growing(ANSWER.statements[0], then=finish))
    async with (
        serving(make_parts(ask)) as site,
        site.session.post("/api/v1/ask", json={"question": "x"}, headers=AS_STREAM) as response,
    ):
        begun = [await response.content.readuntil(b"\n\n") for _ in range(3)]
        assert [each.split(b"\n")[0] for each in begun] == [b"event: status", b"event: scope", b"event: statement"]
        assert not finish.is_set()
        finish.set()
        rest = (await response.text()).split("\n\n")
    events = [read_event(block) for block in [*(each.decode().strip() for each in begun), *rest] if block]
    assert [name for name, _ in events] == ["status", "scope", "statement", "statement", "answer"]
    final = events[-1][1]
    assert isinstance(final, dict)
    assert [payload for name, payload in events if name == "statement"] == final["statements"]
    assert events[1][1] == final["scope"]


async def test_statements_that_are_replaced_are_said_to_be() -> None:
    other = replace(ANSWER.statements[0], text="Something else.")
    async with serving(make_parts(GrowingAsk(ANSWER, growing(other, regions=("fr",))))) as site:
        events = await stream(site, {"question": "x"})
    names = [name for name, _ in events]
    assert names == ["status", "scope", "statement", "scope", "status", "statement", "answer"]
    assert events[4][1] == {"state": "replaced"}
    assert isinstance(events[-1][1], dict)
    assert [events[5][1]] == events[-1][1]["statements"]


async def of_the_api(site: Site) -> None:
    await site.post("/api/v1/ask", {"question": "x"})


async def of_the_stream(site: Site) -> None:
    await stream(site, {"question": "x"})


async def of_the_page(site: Site) -> None:
    await site.page("/?q=x")


@pytest.mark.parametrize("read", [of_the_api, of_the_stream, of_the_page])
async def test_the_work_stops_soon_after_the_client_has_gone(read: Callable[[Site], Coroutine[Any, Any, None]]) -> None:
    begun, gone = asyncio.Event(), asyncio.Event()

    async def until_cancelled(_: Asked) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    async with serving(make_parts(GrowingAsk(ANSWER, until_cancelled))) as site:
        post = asyncio.create_task(read(site))
        async with asyncio.timeout(5):
            await begun.wait()
            post.cancel()
            await gone.wait()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Rejected("question_empty"), "question_empty"),
        (Unavailable("index_down"), "index_down"),
        (Rejected("rate_limited", seconds=3), "rate_limited"),
        (KeyError("x"), "internal"),
    ],
)
async def test_an_error_ends_the_event_stream(error: Exception, code: str) -> None:
    async with serving(make_parts(FakeAsk(error))) as site:
        events = await stream(site, {"question": "x"})
    name, problem = events[-1]
    assert (name, len(events)) == ("error", 2)
    assert isinstance(problem, dict)
    assert problem["code"] == code


async def test_a_bad_body_is_refused_before_the_stream_begins() -> None:
    async with (
        serving(make_parts()) as site,
        site.session.post("/api/v1/ask", json={}, headers={"Accept": "text/event-stream"}) as response,
    ):
        assert response.status == 422
        assert response.content_type == "application/problem+json"


async def test_the_work_stops_when_the_client_of_a_stream_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.web.api.streaming._KEEP_ALIVE_SECONDS", 0.01)
    gone = asyncio.Event()

    async def until_cancelled() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    async with serving(make_parts(FakeAsk(ANSWER, wait=until_cancelled))) as site:
        headers = {"Accept": "text/event-stream"}
        async with site.session.post("/api/v1/ask", json={"question": "x"}, headers=headers) as response:
            await response.content.readline()
            response.close()
        async with asyncio.timeout(5):
            await gone.wait()


@pytest.mark.parametrize(
    ("accept", "as_stream"),
    [
        ("text/event-stream", True),
        ("application/json", False),
        ("*/*", False),
        ("", False),
        ("application/json, text/event-stream;q=0.5", False),
        ("application/json;q=0.5, text/event-stream", True),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=nonsense", False),
    ],
)
def test_who_wants_a_stream(accept: str, as_stream: bool) -> None:
    assert wanted(accept) is as_stream


async def test_callers_who_are_not_known_by_name_are_not_counted_as_one() -> None:
    ask = FakeAsk(ANSWER)
    async with serving(make_parts(ask)) as site:
        await site.post("/api/v1/ask", {"question": "kites?"})
        await site.page("/?q=kites")
    assert [each.counted for each in ask.asked] == [False, False]


async def test_one_address_has_so_many_questions_waiting_and_no_more() -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def wait(_: Asked) -> None:
        asked.set()
        await answered.wait()

    async with serving(make_parts(GrowingAsk(ANSWER, wait), waiting=Waiting(1))) as site:
        first = asyncio.create_task(site.post("/api/v1/ask", {"question": "alcohol"}))
        await asked.wait()
        async with site.session.post("/api/v1/ask", json={"question": "beer"}) as response:
            assert (response.status, response.headers["Retry-After"]) == (429, "5")
            assert (await response.json(content_type=None))["code"] == "questions_waiting"
        assert (await site.get("/?q=beer"))[0] == 429
        assert (await site.get("/?q="))[0] == 200
        answered.set()
        assert (await first)[0] == 200
        assert (await site.post("/api/v1/ask", {"question": "beer"}))[0] == 200
