"""What is refused before Bolt sees it. Every case goes over HTTP to the real routes."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import aiohttp
import pytest

from adapters.slack import requests
from adapters.slack.requests import MAX_BODY_BYTES
from tests.fakes.slack import NOW, FakeClock, FakeInbox, bot_server, client, signed

COMMAND = {
    "team_id": "T1",
    "channel_id": "C1",
    "user_id": "U1",
    "command": "/adpolicy",
    "text": "can I advertise alcohol in the UK",
    "response_url": "https://hooks.slack.com/commands/T1/1/x",
    "trigger_id": "1.2.3",
}
BODY = urlencode(COMMAND).encode()
SECOND = str(int(NOW.timestamp()))


class Bot:
    """The routes behind an address; `post` and what came of it."""

    def __init__(self, url: str, session: aiohttp.ClientSession, inbox: FakeInbox) -> None:
        self.url = f"{url}/slack/events"
        self.session = session
        self.inbox = inbox

    async def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        async with self.session.post(self.url, data=body, headers=headers) as response:
            return response.status, await response.text()


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    inbox = FakeInbox()
    async with bot_server(inbox.accept, FakeClock()) as url, client() as session:
        yield Bot(url, session, inbox)


async def test_a_signed_command_is_accepted_and_acknowledged_with_nothing(bot: Bot) -> None:
    assert await bot.post(BODY, signed(BODY, SECOND)) == (200, "")
    assert len(bot.inbox.accepted) == 1


@pytest.mark.parametrize("age", [-300, -299, 299, 300])
async def test_a_signature_holds_for_300_seconds(bot: Bot, age: int) -> None:
    status, _ = await bot.post(BODY, signed(BODY, str(int(SECOND) - age)))
    assert status == 200


@pytest.mark.parametrize(
    "change",
    [
        {"X-Slack-Signature": ""},
        {"X-Slack-Signature": "v0=" + "0" * 64},
        {"X-Slack-Signature": "v0=é" + "0" * 63},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Request-Timestamp": "soon"},
        {"X-Slack-Request-Timestamp": "١٧٧٢٤٤٢٠٠٠"},
        {"X-Slack-Request-Timestamp": "1e9"},
        {"X-Slack-Request-Timestamp": "²"},  # a digit that is no number
        {"X-Slack-Request-Timestamp": "9" * 5000},
        signed(BODY, str(int(SECOND) - 301)),
        signed(BODY, str(int(SECOND) + 301)),
        signed(b"another body", SECOND),
    ],
    ids=lambda change: str(sorted(change.items()))[:60],
)
async def test_what_slack_did_not_sign_now_is_401(bot: Bot, change: dict[str, str]) -> None:
    status, _ = await bot.post(BODY, signed(BODY, SECOND) | change)
    assert status == 401
    assert bot.inbox.calls == 0


@pytest.mark.parametrize("right", [0, 1, 8, 32, 40, 63])
async def test_a_signature_of_which_only_a_part_is_right_is_401(bot: Bot, right: int) -> None:
    """Cut off after its first digits, and filled up with wrong ones, at its end or at its beginning."""
    headers = signed(BODY, SECOND)
    digits = headers["X-Slack-Signature"].removeprefix("v0=")
    wrong = "".join("0" if each != "0" else "1" for each in digits)
    for given in (digits[:right], digits[:right] + wrong[right:], wrong[: 64 - right] + digits[64 - right :]):
        status, _ = await bot.post(BODY, headers | {"X-Slack-Signature": f"v0={given}"})
        assert status == 401
    assert bot.inbox.calls == 0


@pytest.mark.parametrize("at", [0, len(BODY) // 2, len(BODY) - 1])
async def test_a_body_of_which_one_byte_is_another_is_401(bot: Bot, at: int) -> None:
    changed = BODY[:at] + bytes([BODY[at] ^ 1]) + BODY[at + 1 :]
    status, _ = await bot.post(changed, signed(BODY, SECOND))
    assert (status, bot.inbox.calls) == (401, 0)


async def test_a_signature_of_bytes_that_are_no_text_is_401(bot: Bot) -> None:
    headers = {k.encode(): v.encode() for k, v in signed(BODY, SECOND).items()} | {b"X-Slack-Signature": b"v0=\xff\xfe"}
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers.items())
    status = await _raw(bot.url, b"Host: x\r\nContent-Length: %d\r\n" % len(BODY) + lines + b"\r\n" + BODY)
    assert status == 401


async def test_no_headers_at_all_is_401(bot: Bot) -> None:
    assert (await bot.post(BODY, {}))[0] == 401


@pytest.mark.parametrize("extra", [1, 900_000])
async def test_a_body_over_the_limit_is_413(bot: Bot, extra: int) -> None:
    body = BODY + b"&x=" + b"x" * (MAX_BODY_BYTES + extra)
    assert (await bot.post(body, signed(body, SECOND)))[0] == 413
    assert bot.inbox.calls == 0


async def test_a_body_over_the_limit_without_its_length_is_413(bot: Bot) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b"x" * 10_000

    async with bot.session.post(bot.url, data=pieces(), headers=signed(BODY, SECOND)) as response:
        assert response.status == 413


async def test_a_body_that_does_not_come_is_408(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "READ_SECONDS", 0.05)
    assert await asyncio.wait_for(_raw(bot.url, b"Host: x\r\nContent-Length: 10\r\n\r\nabc"), 2) == 408


async def test_headers_that_steer_bolt_are_not_passed_on(bot: Bot) -> None:
    headers = signed(BODY, SECOND) | {"X-Slack-Bolt-Lazy-Only": "1", "X-Slack-Bolt-Lazy-Function-Name": "take"}
    assert await bot.post(BODY, headers) == (200, "")
    assert len(bot.inbox.accepted) == 1


async def test_a_compressed_body_that_is_none_is_400(bot: Bot) -> None:
    status, _ = await bot.post(BODY, signed(BODY, SECOND) | {"Content-Encoding": "gzip"})
    assert status == 400


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", "application/x-www-form-urlencoded"),
        (b"no form", "application/x-www-form-urlencoded"),
        (b"payload=%7Bnot+json", "application/x-www-form-urlencoded"),
        (b"{not json", "application/json"),
        (b'["a list"]', "application/json"),
        (b"[" * 90_000, "application/json"),
        (b'{"team": 5}', "application/json"),
        *(
            (each, "application/json")
            for kind in ("view_submission", "view_closed")
            for each in (
                b'{"type": "%b", "view": {"callback_id": "a"}}' % kind.encode(),
                b'{"type": "%b", "view": {"callback_id": [], "type": "modal"}}' % kind.encode(),
                b'{"type": "%b", "view": "callback_id"}' % kind.encode(),
                b'{"type": "%b"}' % kind.encode(),
            )
        ),
        (b'{"type": "block_actions", "actions": []}', "application/json"),
        (b'{"type": "block_actions", "actions": {}}', "application/json"),
        (b'{"type": "block_actions", "actions": 5}', "application/json"),
        (b'{"type": "block_actions", "actions": ["a"]}', "application/json"),
    ],
)
async def test_a_signed_body_that_cannot_be_read_is_400(
    bot: Bot, body: bytes, content_type: str, caplog: pytest.LogCaptureFixture
) -> None:
    status, _ = await bot.post(body, signed(body, SECOND) | {"Content-Type": content_type})
    assert status == 400
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("missing", ["team_id", "channel_id", "user_id", "trigger_id", "response_url"])
async def test_a_command_without_a_field_that_slack_always_sends_is_400(bot: Bot, missing: str) -> None:
    body = urlencode({name: each for name, each in COMMAND.items() if name != missing}).encode()
    assert (await bot.post(body, signed(body, SECOND)))[0] == 400
    assert bot.inbox.calls == 0


async def test_a_question_with_the_word_payload_is_a_question(bot: Bot) -> None:
    body = urlencode(COMMAND | {"text": "may an ad name its payload"}).encode()
    assert (await bot.post(body, signed(body, SECOND)))[0] == 200
    assert bot.inbox.accepted[0].text == "may an ad name its payload"


async def test_slack_may_check_the_certificate_without_signing(bot: Bot) -> None:
    assert (await bot.post(b"ssl_check=1&token=x", {}))[0] == 200
    async with bot.session.get(bot.url, params={"ssl_check": "1"}) as response:
        assert response.status == 200
    async with bot.session.get(bot.url) as response:
        assert response.status == 405


async def test_a_certificate_check_does_nothing_else(bot: Bot) -> None:
    assert (await bot.post(BODY + b"&ssl_check=1", {}))[0] == 200
    assert bot.inbox.calls == 0


async def test_a_question_about_ssl_check_must_be_signed(bot: Bot) -> None:
    body = urlencode(COMMAND | {"text": "&ssl_check=1&"}).encode()
    assert (await bot.post(body, {}))[0] == 401


async def test_url_verification_is_answered_when_signed(bot: Bot) -> None:
    body = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()
    status, text = await bot.post(body, signed(body, SECOND) | {"Content-Type": "application/json"})
    assert (status, json.loads(text)) == (200, {"challenge": "abc"})
    assert (await bot.post(body, {"Content-Type": "application/json"}))[0] == 401


async def test_another_command_is_not_ours(bot: Bot) -> None:
    body = urlencode(COMMAND | {"command": "/other"}).encode()
    assert (await bot.post(body, signed(body, SECOND)))[0] == 404
    assert bot.inbox.calls == 0


async def _raw(url: str, rest: bytes) -> int:
    """The status of a request written byte by byte: a client library would refuse such headers."""
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /slack/events HTTP/1.1\r\n" + rest)
    await writer.drain()
    line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return int(line.split()[1])
