"""What calls of Slack's Web API end in."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from adapters.slack import client as slack_client
from adapters.slack.client import SlackClients, called
from adapters.slack.oauth.tokens import SingleWorkspace
from ops.sandbox.slack import SlackStandIn, slack_stand_in
from ops.sandbox.troubles import Trouble, cut, rate_limited, refused
from rag_core.errors import Rejected, Unavailable
from tests.fakes.slack import client


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with slack_stand_in() as made:
        yield made


@pytest.fixture
async def clients(slack: SlackStandIn) -> AsyncIterator[SlackClients]:
    async with client() as session:
        yield SlackClients(session, SingleWorkspace("xoxb-sandbox"), slack.api_url)


async def post(clients: SlackClients) -> object:
    return await called((await clients.of("T1")).chat_postMessage(channel="C1", text="hello"))


@pytest.mark.parametrize(
    ("trouble", "code", "details"),
    [
        (rate_limited(30), "slack_rate_limited", {"retry_after": 30.0}),
        (Trouble(429, "", None), "slack_rate_limited", {"retry_after": 1.0}),
        (Trouble(500), "slack_error", {"status": 500}),
        (refused("fatal_error"), "slack_error", {"error": "fatal_error"}),
        (cut(), "slack_unreachable", {"delivered": "unknown"}),
    ],
)
async def test_what_passes_may_be_tried_again(
    slack: SlackStandIn, clients: SlackClients, trouble: Trouble, code: str, details: dict[str, object]
) -> None:
    slack.trouble("chat.postMessage", trouble)
    with pytest.raises(Unavailable, match=code) as raised:
        await post(clients)
    assert details.items() <= raised.value.details.items()
    assert len(slack.calls_of("chat.postMessage")) <= 1  # nothing is tried again in here


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("not_in_channel", "slack_not_in_channel"),
        ("channel_not_found", "slack_not_in_channel"),
        ("is_archived", "slack_channel_closed"),
        ("is_inactive", "slack_channel_closed"),
        ("token_revoked", "slack_not_installed"),
        ("account_inactive", "slack_not_installed"),
        ("msg_too_long", "slack_refused"),
    ],
)
async def test_what_does_not_is_rejected(slack: SlackStandIn, clients: SlackClients, error: str, code: str) -> None:
    slack.trouble("chat.postMessage", refused(error))
    with pytest.raises(Rejected, match=code) as raised:
        await post(clients)
    assert raised.value.details["error"] == error


async def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_client, "CALL_SECONDS", 0.05)
    with pytest.raises(Unavailable, match="slack_unreachable") as raised:
        await called(asyncio.sleep(10))
    assert raised.value.details["delivered"] == "unknown"


async def test_where_nobody_listens_nothing_was_delivered() -> None:
    async with client() as session:
        clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), "http://127.0.0.1:9/api/")
        with pytest.raises(Unavailable) as raised:
            await post(clients)
    assert raised.value.details["delivered"] == "no"
