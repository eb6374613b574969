"""Sending a reply: against the stand-in, which refuses what Slack refuses."""

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.slack import response_urls
from adapters.slack.delivery.slash_replies import Patience, SlackReplySink
from adapters.slack.response_urls import trusted
from adapters.slack.settings import SlackSettings
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome, Postponed
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.troubles import Trouble, rate_limited
from rag_core.errors import Rejected, Unavailable
from tests.fakes.slack import REFUSAL, SIGNING_SECRET, FakeClock, client, question

QUICK = Patience(first_wait=0.01, longest_wait=0.02)
Payload = dict[str, object]


def section(text: str) -> Payload:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


FINE: Payload = {"text": "plain", "blocks": [section("*bold*")]}


class Slack:
    """A stand-in, a response_url of it, and a sink that posts there."""

    def __init__(self, stand_in: SlackStandIn, session: aiohttp.ClientSession, clock: FakeClock) -> None:
        self.stand_in = stand_in
        self.clock = clock
        self._session = session
        self.question = question(self.new_url())

    def new_url(self, channel: str = "C1") -> str:
        return self.stand_in.response_urls.issue(self.stand_in.base_url, channel, "U1")

    @property
    def settings(self) -> SlackSettings:
        return SlackSettings("xoxb-sandbox", SIGNING_SECRET, self.stand_in.api_url)

    def sink(self, rendered: Payload | None = None, patience: Patience = QUICK) -> SlackReplySink:
        def render(_question: InboundQuestion, _answer_id: str, _outcome: Outcome) -> Payload:
            return rendered or FINE

        return SlackReplySink(self._session, self.settings, render, patience=patience, jitter=lambda: 0.5)

    async def send(self, rendered: Payload | None = None) -> None:
        await self.sink(rendered).send(self.question, "answer-1", REFUSAL)


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    clock = FakeClock()
    stand_in = SlackStandIn("http://127.0.0.1:9", SIGNING_SECRET, clock=clock)
    await stand_in.start()
    async with client() as session:
        yield Slack(stand_in, session, clock)
    await stand_in.stop()


async def test_the_message_is_posted_for_everybody_without_previews(slack: Slack) -> None:
    await slack.send()
    [message] = slack.stand_in.messages
    assert message.visible_to is None
    assert message.blocks == FINE["blocks"]
    assert message.payload["unfurl_links"] is message.payload["unfurl_media"] is False


async def test_a_renderer_may_show_it_to_the_asker_alone(slack: Slack) -> None:
    await slack.send({**FINE, "response_type": "ephemeral"})
    assert slack.stand_in.messages[0].visible_to == "U1"


async def test_that_a_question_is_kept_concerns_the_asker_alone_and_the_answer_follows(slack: Slack) -> None:
    await slack.sink().send(slack.question, "answer-1", Postponed("answer-1"))
    await slack.send()
    assert [message.visible_to for message in slack.stand_in.messages] == ["U1", None]


async def test_the_renderer_gets_question_answer_id_and_outcome(slack: Slack) -> None:
    given: list[tuple[str, str, Outcome]] = []

    def render(asked: InboundQuestion, answer_id: str, outcome: Outcome) -> Payload:
        given.append((asked.question_id, answer_id, outcome))
        return FINE

    async with client() as session:
        await SlackReplySink(session, slack.settings, render).send(slack.question, "answer-1", REFUSAL)
    assert given == [("question-1", "answer-1", REFUSAL)]


async def test_retry_after_is_waited_for(slack: Slack) -> None:
    slack.stand_in.trouble("response_url", rate_limited(1))
    started = time.monotonic()
    await slack.send()
    assert time.monotonic() - started >= 1.0
    assert len(slack.stand_in.messages) == 1


async def test_a_long_retry_after_is_left_to_the_inbox(slack: Slack) -> None:
    slack.stand_in.trouble("response_url", rate_limited(600))
    with pytest.raises(Unavailable) as found:
        await asyncio.wait_for(slack.send(), 1)
    assert found.value.details == {"retry_after": 600.0}
    assert slack.stand_in.messages == []


async def test_an_error_of_slack_is_tried_again(slack: Slack) -> None:
    slack.stand_in.trouble("response_url", Trouble(503, "service_unavailable"), times=2)
    await slack.send()
    assert len(slack.stand_in.messages) == 1


async def test_after_three_errors_it_is_left_to_the_inbox(slack: Slack) -> None:
    slack.stand_in.trouble("response_url", Trouble(500), times=3)
    with pytest.raises(Unavailable, match="slack_error"):
        await slack.send()
    await slack.send()
    assert len(slack.stand_in.messages) == 1


async def test_an_answer_that_never_comes_ends_and_is_not_sent_twice(
    slack: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_urls, "_TIMEOUT", aiohttp.ClientTimeout(total=0.2))
    slack.stand_in.trouble("response_url", Trouble(200, delay=0.5, after_doing=True))
    with pytest.raises(Unavailable) as found:
        await slack.send()
    assert found.value.details == {"delivered": "unknown"}
    assert len(slack.stand_in.messages) == 1


async def test_slack_out_of_reach_is_unavailable_and_surely_not_delivered(slack: Slack) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gone = replace(slack.settings, api_url=f"http://127.0.0.1:{port}/api/")
    async with client() as session:
        sink = SlackReplySink(session, gone, lambda *_: FINE, patience=QUICK)
        with pytest.raises(Unavailable) as found:
            await sink.send(question(f"http://127.0.0.1:{port}/commands/T1/x"), "answer-1", REFUSAL)
    assert found.value.details == {"delivered": "no"}


async def test_a_used_up_address_is_gone(slack: Slack) -> None:
    for _ in range(5):
        await slack.send()
    with pytest.raises(Rejected) as found:
        await slack.send()
    assert (found.value.code, found.value.details) == ("reply_address_gone", {"error": "used_url"})


async def test_an_expired_address_is_gone(slack: Slack) -> None:
    slack.clock.move(minutes=30, seconds=1)
    with pytest.raises(Rejected) as found:
        await slack.send()
    assert found.value.details == {"error": "expired_url"}


async def test_an_archived_channel_is_gone(slack: Slack) -> None:
    slack.question = question(slack.new_url("C3"))
    with pytest.raises(Rejected, match="reply_address_gone"):
        await slack.send()


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        ([section("x" * 3001)], "invalid_blocks"),
        ([section("x" * 2900)] * 5, "msg_blocks_too_long"),
        ("no list", "invalid_blocks_format"),
    ],
)
async def test_refused_blocks_are_sent_as_text_and_logged(
    slack: Slack, caplog: pytest.LogCaptureFixture, blocks: object, code: str
) -> None:
    with caplog.at_level(logging.ERROR, "adapters.slack.delivery.slash_replies"):
        await slack.send({"text": "plain", "blocks": blocks})
    [message] = slack.stand_in.messages
    assert (message.text, message.blocks, message.visible_to) == ("plain", [], None)
    assert code in caplog.text
    assert "question-1" in caplog.text
    assert "http" not in caplog.text


async def test_text_that_slack_refuses_too_is_rejected(slack: Slack) -> None:
    with pytest.raises(Rejected, match="msg_too_long"):
        await slack.send({"text": "x" * 40_001, "blocks": [section("fine")]})
    with pytest.raises(Rejected, match="reply_refused"):
        await slack.send({"text": "", "blocks": [section("")]})


async def test_another_kind_of_address_is_refused(slack: Slack) -> None:
    with pytest.raises(Rejected, match="reply_address_refused"):
        await slack.sink().send(question(slack.new_url(), kind="teams.conversation"), "answer-1", REFUSAL)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "nonsense",
        "/commands/T1/x",
        "http://hooks.slack.com/commands/T1/x",
        "https://hooks.slack.com:8443/commands/T1/x",
        "https://hooks.slack.com.example/commands",
        "https://hooks.slack.com@example.com/commands",
        "https://me:you@hooks.slack.com/commands",
        "https://127.0.0.1:3001/commands",
        "http://127.0.0.1:3002/commands",
        "http://169.254.169.254/latest",
        "file:///etc/hosts",
        "http://[",
    ],
)
def test_an_answer_goes_nowhere_but_to_slack(address: str) -> None:
    with pytest.raises(Rejected, match="reply_address_refused"):
        trusted(address, "http://127.0.0.1:3001/api/")


@pytest.mark.parametrize("address", ["https://hooks.slack.com/commands/T1/1/x", "http://127.0.0.1:3001/commands/T1/x"])
def test_slack_and_the_configured_stand_in_are_believed(address: str) -> None:
    assert str(trusted(address, "http://127.0.0.1:3001/api/")) == address


async def test_a_redirect_is_not_followed() -> None:
    reached: list[str] = []

    async def redirect(_request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": "/elsewhere"})

    async def elsewhere(request: web.Request) -> web.Response:
        reached.append(request.path)
        return web.Response(text="ok")

    app = web.Application()
    app.add_routes([web.post("/commands", redirect), web.post("/elsewhere", elsewhere)])
    async with TestServer(app) as server, client() as session:
        settings = SlackSettings("xoxb-sandbox", SIGNING_SECRET, str(server.make_url("/api/")))
        with pytest.raises(Rejected, match="reply_refused"):
            await SlackReplySink(session, settings, lambda *_: FINE).send(
                question(str(server.make_url("/commands"))), "answer-1", REFUSAL
            )
    assert reached == []


async def test_no_log_line_holds_the_address(
    slack: Slack, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    slack.stand_in.trouble("response_url", Trouble(500))
    with caplog.at_level(logging.DEBUG):
        await slack.send()
    secret = slack.question.reply_address.fields["response_url"].rpartition("/")[2]
    printed = capsys.readouterr()
    assert secret not in caplog.text + printed.out + printed.err
