"""Requests of Teams: who is let in, and what each of them is answered with over HTTP."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from adapters.teams.app import MESSAGES_PATH, MOST_BYTES, teams_routes
from adapters.teams.listening import InvokeReply, Listeners
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.model.messages import InboundQuestion
from bot.wording.teams import NOT_OFFERED
from rag_core.errors import Rejected, Unavailable
from tests.fakes.teams import OTHER_TENANT, TOKEN, FakeDirectory, FakeInbound, FakeOutbound, raw_activity, settings


async def _accept(question: InboundQuestion) -> bool:
    return True


@asynccontextmanager
async def _app(listeners: Listeners) -> AsyncIterator["TestClient[Any, Any]"]:
    parts = TeamsParts(settings(), FakeInbound(), FakeOutbound(), FakeDirectory(), _accept)
    app = web.Application()
    app.add_routes(teams_routes(parts, listeners))
    async with TestClient(TestServer(app)) as client:
        yield client


async def _posted(listeners: Listeners, body: object, token: str = TOKEN) -> int:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with (
        _app(listeners) as client,
        client.post(MESSAGES_PATH, data=io.BytesIO(raw), headers={"Authorization": token}) as seen,
    ):
        return seen.status


def _raising(error: Exception) -> Listeners:
    async def listener(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
        raise error

    return {"message": listener, "invoke/task/fetch": listener}


async def test_the_listener_for_it_is_called() -> None:
    heard: list[str] = []

    async def listener(parts: TeamsParts, activity: TeamsActivity) -> None:
        heard.append(activity.text)

    assert await _posted({"message": listener}, raw_activity("hello")) == 200
    assert heard == ["hello"]


async def test_an_invoke_is_answered_in_the_response() -> None:
    async def listener(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
        return InvokeReply({"task": {"type": "continue"}})

    body = json.dumps(raw_activity("", kind="invoke", name="task/fetch")).encode()
    async with (
        _app({"invoke/task/fetch": listener}) as client,
        client.post(MESSAGES_PATH, data=body, headers={"Authorization": TOKEN}) as seen,
    ):
        assert (seen.status, await seen.json()) == (200, {"task": {"type": "continue"}})


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer x", "Basic abc", "\u00e9"])
async def test_a_stranger_is_not_let_in(token: str) -> None:
    assert await _posted({}, raw_activity("hello"), token) == 401


async def test_another_tenant_is_not_let_in() -> None:
    heard: list[str] = []

    async def listener(parts: TeamsParts, activity: TeamsActivity) -> None:
        heard.append(activity.text)

    told: list[object] = [{"tenant": {"id": OTHER_TENANT}}, {"tenant": {}}, {}]
    for data in told:
        assert await _posted({"message": listener}, raw_activity("hello", channelData=data)) == 403
    assert heard == []


async def test_what_is_unreadable_is_a_bad_request() -> None:
    assert await _posted({}, b"{") == 400
    assert await _posted({}, b"x" * (MOST_BYTES + 1)) == 400


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize(("token", "status"), [(TOKEN, 400), ("Bearer x", 401), ("", 401)])
async def test_a_compressed_body_that_is_none_is_no_error_of_ours(encoding: str, token: str, status: int) -> None:
    headers = {"Authorization": token, "Content-Encoding": encoding}
    async with _app({}) as client, client.post(MESSAGES_PATH, data=io.BytesIO(b"none"), headers=headers) as seen:
        assert seen.status == status


async def test_a_stranger_is_one_whatever_he_sends() -> None:
    for body in (b"", b"{", b"x" * (MOST_BYTES + 1)):
        assert await _posted({}, body, "Bearer x") == 401


async def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.teams.app.READ_SECONDS", 0.05)

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(5)

    async with (
        _app({}) as client,
        client.post(MESSAGES_PATH, data=slowly(), headers={"Authorization": TOKEN}) as seen,
    ):
        assert seen.status == 408


async def test_what_nobody_listens_to_is_acknowledged() -> None:
    assert await _posted({}, raw_activity("", kind="messageReaction")) == 200
    assert await _posted({}, raw_activity("", kind="event", name="application/vnd.microsoft.meetingStart")) == 200


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("composeExtension/queryLink", {"composeExtension": {"type": "message", "text": NOT_OFFERED}}),
        ("task/unknown", {"task": {"type": "message", "value": NOT_OFFERED}}),
        ("fileConsent/invoke", {}),
        ("signin/verifyState", {}),
        ("unknown/thing", {}),
        ("", {}),
    ],
)
async def test_an_invoke_that_nobody_listens_to_is_no_error(name: str, answer: object) -> None:
    body = json.dumps(raw_activity("", kind="invoke", name=name)).encode()
    async with _app({}) as client, client.post(MESSAGES_PATH, data=body, headers={"Authorization": TOKEN}) as seen:
        assert (seen.status, await seen.json()) == (200, answer)


async def test_what_was_not_kept_is_sent_again() -> None:
    assert await _posted(_raising(Unavailable("store_down")), raw_activity("hello")) == 503
    assert await _posted(_raising(TimeoutError()), raw_activity("", kind="invoke", name="task/fetch")) == 503


async def test_what_can_never_work_is_not_sent_again() -> None:
    assert await _posted(_raising(Rejected("teams_unreadable")), raw_activity("hello")) == 400


async def test_a_listener_is_not_waited_for_until_teams_sends_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.teams.app.MESSAGE_SECONDS", 0.05)

    async def listener(parts: TeamsParts, activity: TeamsActivity) -> None:
        await asyncio.sleep(5)

    assert await _posted({"message": listener}, raw_activity("hello")) == 503
