"""The stand-in itself: what it sends, what it takes, what it shows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.mark_up import text_html
from ops.sandbox.slack.page import Drawing
from ops.sandbox.troubles import Trouble, rate_limited
from tests.fakes.slack import SIGNING_SECRET, FakeClock, FakeSlackClock, client

BOT_TOKEN = "xoxb-sandbox"
Answer = Callable[[web.Request], Awaitable[web.Response]]


@asynccontextmanager
async def listening(
    answer: Answer, clock: FakeClock | None = None, ack_seconds: float = 3.0
) -> AsyncIterator[SlackStandIn]:
    """A stand-in that sends to a bot which answers `answer`."""
    app = web.Application()
    app.add_routes([web.post("/slack/events", answer)])
    async with TestServer(app) as server:
        stand_in = SlackStandIn(
            str(server.make_url("")), SIGNING_SECRET, clock=clock or FakeClock(), ack_seconds=ack_seconds
        )
        await stand_in.start()
        try:
            yield stand_in
        finally:
            await stand_in.stop()


async def empty(_request: web.Request) -> web.Response:
    return web.Response()


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with listening(empty) as stand_in:
        yield stand_in


async def test_a_command_is_what_slack_sends_and_signed_as_the_sdk_checks_it() -> None:
    clock = FakeClock()
    seen: list[tuple[bool, dict[str, list[str]], str | None]] = []

    async def check(request: web.Request) -> web.Response:
        body = await request.text()
        verifier = SignatureVerifier(SIGNING_SECRET, FakeSlackClock(clock))  # type: ignore[arg-type]
        valid = verifier.is_valid_request(body, dict(request.headers))
        seen.append((valid, parse_qs(body), request.headers.get("X-Slack-Retry-Num")))
        return web.Response()

    async with listening(check, clock) as slack:
        sent = await slack.send_command("a & <b>", channel="C2", user="U2", trigger_id="7.8")
        clock.move(minutes=6)
        await slack.redeliver(sent.delivery, retry=2)
        await slack.redeliver(sent.delivery, age_seconds=400)
    assert (sent.status, sent.error) == (200, "")
    assert [valid for valid, _, _ in seen] == [True, True, False]
    assert [retry for _, _, retry in seen] == [None, "2", "1"]
    fields = seen[0][1]
    assert fields["text"] == ["a &amp; &lt;b&gt;"]
    assert (fields["channel_id"], fields["user_id"], fields["trigger_id"]) == (["C2"], ["U2"], ["7.8"])
    assert seen[1][1] == fields


async def test_an_acknowledgement_with_text_is_shown_to_the_asker_alone() -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response({"text": "usage", "response_type": "ephemeral"})

    async with listening(answer) as slack:
        await slack.send_command("help")
        assert [each.text for each in slack.workspace.seen_by("U1", "C1")] == ["usage"]
        assert slack.workspace.seen_by("U2", "C1") == []


async def test_an_error_is_shown_as_slack_shows_it() -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=500)

    async with listening(answer) as slack:
        sent = await slack.send_command("a question")
        assert (sent.status, sent.error) == (500, "dispatch_failed")
        [shown] = slack.messages
    assert shown.text == '/adpolicy failed with the error "dispatch_failed"'
    assert (shown.via, shown.visible_to) == ("slack", "U1")


async def test_a_bot_that_answers_late_or_not_at_all() -> None:
    async def answer(_request: web.Request) -> web.Response:
        await asyncio.sleep(0.3)
        return web.Response()

    async with listening(answer, ack_seconds=0.1) as slack:
        assert (await slack.send_command("a question")).error == "operation_timeout"
    nobody = SlackStandIn("http://127.0.0.1:9", SIGNING_SECRET)
    await nobody.start()
    assert (await nobody.send_command("a question")).error == "dispatch_failed"
    await nobody.stop()


@asynccontextmanager
async def web_client(slack: SlackStandIn, token: str = BOT_TOKEN) -> AsyncIterator[AsyncWebClient]:
    async with client() as session:
        yield AsyncWebClient(token, base_url=slack.api_url, session=session)


async def test_the_sdk_posts_a_message(slack: SlackStandIn) -> None:
    async with web_client(slack) as web_api:
        assert (await web_api.auth_test())["team_id"] == "T1"
        posted = await web_api.chat_postMessage(
            channel="C1",
            text="hi",
            thread_ts="1.2",
            blocks=[{"type": "divider"}],
            metadata={"event_type": "a", "event_payload": {}},
        )
    [message] = slack.messages
    assert (message.ts, message.text, message.thread_ts) == (posted["ts"], "hi", "1.2")
    assert message.blocks == [{"type": "divider"}]
    assert message.visible_to is None


@pytest.mark.parametrize(
    ("channel", "text", "code"),
    [
        ("C2", "hi", "not_in_channel"),
        ("C9", "hi", "channel_not_found"),
        ("G1", "hi", "channel_not_found"),
        ("C3", "hi", "is_archived"),
        ("C1", "", "no_text"),
        ("C1", "x" * 40_001, "msg_too_long"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*text.* argument is missing:UserWarning")
async def test_what_slack_refuses(slack: SlackStandIn, channel: str, text: str, code: str) -> None:
    async with web_client(slack) as web_api:
        with pytest.raises(SlackApiError, match=code):
            await web_api.chat_postMessage(channel=channel, text=text)
    assert slack.messages == []


async def test_tokens(slack: SlackStandIn) -> None:
    for token, code in (("", "not_authed"), ("xoxb-other", "invalid_auth")):
        async with web_client(slack, token) as web_api:
            with pytest.raises(SlackApiError, match=code):
                await web_api.auth_test()
    slack.revoke_token()
    async with web_client(slack) as web_api:
        with pytest.raises(SlackApiError, match="token_revoked"):
            await web_api.auth_test()
        with pytest.raises(SlackApiError, match="unknown_method"):
            await web_api.api_call("chat.unheardOf")


async def test_a_rate_limit_on_demand(slack: SlackStandIn) -> None:
    slack.trouble("chat.postMessage", rate_limited(7))
    async with web_client(slack) as web_api:
        with pytest.raises(SlackApiError) as found:
            await web_api.chat_postMessage(channel="C1", text="hi")
        assert found.value.response.status_code == 429
        assert found.value.response.headers["Retry-After"] == "7"
        await web_api.chat_postMessage(channel="C1", text="hi")


async def test_a_response_url_takes_five_messages_in_thirty_minutes() -> None:
    clock = FakeClock()
    async with listening(empty, clock) as slack, client() as session:
        url = slack.response_urls.issue(slack.base_url, "C2", "U1")
        assert await _post(session, url, {"text": ""}) == (400, "no_text")
        assert [await _post(session, url, {"text": "hi"}) for _ in range(5)] == [(200, "ok")] * 5
        assert await _post(session, url, {"text": "hi"}) == (404, "used_url")
        fresh = slack.response_urls.issue(slack.base_url, "C2", "U1")
        clock.move(minutes=30)
        assert await _post(session, fresh, {"text": "hi", "response_type": "in_channel"}) == (200, "ok")
        clock.move(seconds=1)
        assert await _post(session, fresh, {"text": "hi"}) == (404, "expired_url")
        assert await _post(session, fresh + "x", {"text": "hi"}) == (404, "no_service")
        assert [each.visible_to for each in slack.messages] == ["U1"] * 5 + [None]


async def test_what_a_response_url_does_not_take() -> None:
    async with listening(empty) as slack, client() as session:
        url = slack.response_urls.issue(slack.base_url, "C1", "U1")
        slack.trouble("response_url", Trouble(500))
        assert await _post(session, url, {"text": "hi"}) == (500, "internal_error")
        for body in ("no JSON", "[]"):
            async with session.post(url, data=body) as answer:
                assert (answer.status, (await answer.json())["error"]) == (400, "invalid_payload")
        archived = slack.response_urls.issue(slack.base_url, "C3", "U1")
        assert await _post(session, archived, {"text": "hi"}) == (404, "is_archived")
        assert slack.messages == []


async def test_message_ids_rise_and_differ() -> None:
    clock = FakeClock()
    async with listening(empty, clock) as slack:
        for seconds in (0, 0, -5, 10):
            clock.move(seconds=seconds)
            slack.workspace.post("C1", "U1", "slack", {"text": "hi"})
        ids = [each.ts for each in slack.messages]
    assert ids == sorted(set(ids))


async def _post(session: aiohttp.ClientSession, url: str, message: dict[str, str]) -> tuple[int, str]:
    async with session.post(url, json=message) as response:
        if response.content_type == "application/json":
            return response.status, str((await response.json())["error"])
        return response.status, await response.text()


async def test_the_page_shows_the_channel_and_sends_what_is_typed(slack: SlackStandIn) -> None:
    slack.workspace.post("C1", "UBOT", "response_url", {"text": "<script>alert(1)</script> *bold*"})
    slack.workspace.post("C1", "UBOT", "response_url", {"text": "for U2"}, visible_to="U2")
    async with client() as session:
        async with session.get(slack.base_url, params={"channel": "C1", "user": "U1"}) as page:
            text = await page.text()
            assert "script-src 'self'" in page.headers["Content-Security-Policy"]
        assert "<strong>bold</strong>" in text
        assert "alert(1)" in text
        assert "<script>" not in text
        assert "for U2" not in text
        typed = {"channel": "C1", "user": "U1", "typed": "/adpolicy hello"}
        async with session.post(f"{slack.base_url}/say", data=typed, headers={"Origin": slack.base_url}) as said:
            assert said.status == 200
        for asset in ("page.js", "page.css"):
            async with session.get(f"{slack.base_url}/static/{asset}") as found:
                assert found.status == 200


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}])
async def test_the_page_takes_nothing_from_other_sites(slack: SlackStandIn, origin: dict[str, str]) -> None:
    async with client() as session:
        async with session.post(f"{slack.base_url}/say", data={"typed": "/adpolicy x"}, headers=origin) as said:
            assert said.status == 403
        async with session.get(f"{slack.base_url}/channel?channel=C9") as missing:
            assert missing.status == 404
        async with session.get(f"{slack.base_url}/static/page.py") as missing:
            assert missing.status == 404


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a &amp; b &lt;i&gt;", "a &amp; b &lt;i&gt;"),
        ("*<https://e.example/?a=1&amp;b=2|A *b*>*", "<strong><a href="),
        ('<javascript:alert(1)|x">', '<span class="mention">x&quot;</span>'),
        ('<https://e.example/"onclick="x|label>', "https://e.example/&quot;onclick=&quot;x"),
        ("<!channel>", '<span class="mention">!channel</span>'),
        ("&amp;lt;b&amp;gt;", "&amp;lt;b&amp;gt;"),
        ("`<b` and ~x~ and _y_", "<s>x</s> and <em>y</em>"),
        ("&gt; quoted", "<blockquote>quoted</blockquote>"),
        ("\ue0009\ue001", ""),
    ],
)
def test_mrkdwn_is_drawn_and_everything_else_escaped(text: str, shown: str) -> None:
    drawn = str(text_html(text))
    assert shown in drawn
    assert "<b>" not in drawn
    assert "<!" not in drawn
    assert 'href="javascript' not in drawn


@pytest.mark.parametrize(
    "block",
    [
        {"type": "header", "text": {"type": "plain_text", "text": "<b>"}},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "<b>"},
            "fields": [{"type": "plain_text", "text": "<b>"}],
        },
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "<b>"}]},
        {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "<b>"}}]},
        {"type": "markdown", "text": "<b>"},
        {"type": "<b>", "text": "<b>"},
    ],
)
def test_blocks_are_escaped(block: dict[str, object]) -> None:
    drawn = str(Drawing("m:C1:1.2", "").blocks([block]))
    assert "<b>" not in drawn
    assert "b" in drawn
