"""A bot as Slack meets it: the real routes on loopback, behind a hand-written inbox."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import aiohttp
from aiohttp.test_utils import TestServer
from aiohttp.web import Application
from slack_sdk.signature import SignatureVerifier

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.client import SlackClients
from adapters.slack.oauth.tokens import SingleWorkspace
from adapters.slack.parts import SlackParts
from adapters.slack.settings import SlackSettings
from bot.model.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from rag_core.answers import Refusal, RefusalReason
from rag_core.questions import Scope

SIGNING_SECRET = "a-signing-secret"
SETTINGS = SlackSettings("xoxb-sandbox", SIGNING_SECRET)
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PATIENT_SECONDS = 30.0
"""Where a running bot waits shortly: on a busy machine that would decide what a test sees."""
REFUSAL = Refusal(Scope(as_of=date(2026, 3, 2)), RefusalReason.OFF_TOPIC)


class FakeClock:
    """Stands still until moved."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


class FakeInbox:
    """Accepts each claim key once; `failure` is raised in its place. `calls` counts every delivery."""

    def __init__(self) -> None:
        self.accepted: list[InboundQuestion] = []
        self.withdrawn: list[str] = []
        self.taken: set[str] = set()
        """Claim keys of what is worked on or answered."""
        self.calls = 0
        self.failure: Exception | None = None
        self.before: Callable[[], Awaitable[object]] | None = None

    async def accept(self, question: InboundQuestion) -> bool:
        self.calls += 1
        if self.before:
            await self.before()
        if self.failure:
            raise self.failure
        if any(each.claim_key == question.claim_key for each in self.accepted):
            return False
        if question.claim_key in self.withdrawn:
            return False
        self.accepted.append(question)
        return True

    async def withdraw(self, claim_key: str) -> bool:
        self.withdrawn.append(claim_key)
        return claim_key not in self.taken and any(each.claim_key == claim_key for each in self.accepted)

    async def edits_of(self, claim_key: str) -> tuple[str, ...]:
        known = dict.fromkeys((*(each.claim_key for each in self.accepted), *self.withdrawn))
        return tuple(each for each in known if each.startswith(f"{claim_key}:edit:"))

    @property
    def waiting(self) -> list[InboundQuestion]:
        """What is not withdrawn."""
        return [each for each in self.accepted if each.claim_key not in self.withdrawn]


class FakeSlackClock:
    """The clock that the Slack SDK's signer asks for."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock().timestamp()


def signed(body: bytes, timestamp: str) -> dict[str, str]:
    """Headers as the Slack SDK signs them."""
    signature = SignatureVerifier(SIGNING_SECRET).generate_signature(timestamp=timestamp, body=body)
    return {
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": str(signature),
        "Content-Type": "application/x-www-form-urlencoded",
    }


@asynccontextmanager
async def bot_server(
    accept: Callable[[InboundQuestion], Awaitable[bool]],
    clock: FakeClock,
    settings: SlackSettings = SETTINGS,
    **ports: Any,
) -> AsyncIterator[str]:
    """The address of a bot with numbered question ids; `ports` are fields of its parts."""
    numbers = iter(range(1, 10_000))
    app = Application()
    async with client() as session:
        clients = SlackClients(session, SingleWorkspace(settings.bot_token), settings.api_url)
        parts = SlackParts(settings, accept, clients, clock=clock, new_id=lambda: f"question-{next(numbers)}", **ports)
        app.add_routes(slack_routes(parts, slack_app(parts)))
        server = TestServer(app)
        await server.start_server()
        try:
            yield str(server.make_url("")).rstrip("/")
        finally:
            await parts.tasks.aclose()
            await server.close()


@asynccontextmanager
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def question(response_url: str, kind: str = "slack.response_url") -> InboundQuestion:
    fields = {"response_url": response_url, "team": "T1", "channel": "C1", "user": "U1"}
    return InboundQuestion(
        question_id="question-1",
        claim_key="slack:T1:1.2",
        actor=Actor("slack", "T1", "U1"),
        conversation=Conversation("slack", "T1", "C1"),
        text="can I advertise alcohol in the UK",
        reply_address=ReplyAddress(kind, fields),
        received_at=NOW,
    )
