"""What goes to the bot over HTTP, and what it answered; invokes once, all else again where it was not taken, and
whatever disorder a test asks for."""

import asyncio
import itertools
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import aiohttp

from ops.sandbox.tasks import Tasks
from ops.sandbox.teams.messages import Clock, Message
from ops.sandbox.teams.tokens import Bad, Issuer

ANSWER_SECONDS = 15.0
"""Teams sends an activity again that was not answered by then."""

INVOKE_SECONDS = 5.0
MESSAGES_PATH = "/api/messages"
AGAIN_AFTER = timedelta(seconds=15)
MOST_ATTEMPTS = 3
"""Teams does not say how often; it is not for ever."""

_TRIED_AGAIN = frozenset({0, 408, 412, 429})


@dataclass(frozen=True, slots=True)
class Delivery:
    """One activity for the bot; the same one is sent again when it is redelivered. `bad`: what is wrong with its
    token."""

    activity: Mapping[str, object]
    bad: Bad | None = None

    @property
    def kind(self) -> str:
        """The activity's type; of an invoke "invoke/" and its name."""
        kind = str(self.activity.get("type"))
        return f"{kind}/{self.activity.get('name')}" if self.is_invoke else kind

    @property
    def is_invoke(self) -> bool:
        return self.activity.get("type") == "invoke"

    @property
    def id(self) -> str:
        return str(self.activity.get("id"))


@dataclass(frozen=True, slots=True)
class Answered:
    """What the bot answered. `status` 0: nothing in time, no connection, or not sent at all (`error` says which).
    `error`: what Teams would show or do about it, "" for all well. `message`: what the person wrote, as it was then."""

    delivery: Delivery | None
    status: int = 0
    body: str = ""
    seconds: float = 0.0
    error: str = ""
    attempt: int = 0
    message: Message | None = field(default=None, compare=False)

    @property
    def json(self) -> dict[str, Any]:
        """The body as an object; {} where it is none."""
        try:
            found = json.loads(self.body) if self.body else {}
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def about(self, message: Message | None) -> "Answered":
        return replace(self, message=message)

    @property
    def written(self) -> Message:
        """What the person wrote. Raises LookupError where he wrote nothing."""
        if self.message is None:
            raise LookupError("nothing was written")
        return self.message


def not_sent(why: str, message: Message | None = None) -> Answered:
    """Teams tells the bot nothing of it."""
    return Answered(None, error=why, message=message)


class Carrier:
    """Posts to the bot as Teams does; never raises. Does not close the session."""

    def __init__(self, session: aiohttp.ClientSession, bot_url: str, issuer: Issuer) -> None:
        self._session = session
        self._url = f"{bot_url.rstrip('/')}{MESSAGES_PATH}"
        self._issuer = issuer
        self.invoke_seconds = INVOKE_SECONDS

    async def carry(self, delivery: Delivery, attempt: int = 0) -> Answered:
        authorization = self._issuer.authorization(str(delivery.activity.get("serviceUrl")), delivery.bad)
        body = json.dumps(delivery.activity).encode()
        seconds = self.invoke_seconds if delivery.is_invoke else ANSWER_SECONDS
        started = time.perf_counter()
        status, text, error = await self.post(body, {"Authorization": authorization} if authorization else {}, seconds)
        return Answered(delivery, status, text, time.perf_counter() - started, error, attempt)

    async def post(
        self, body: bytes, headers: Mapping[str, str], seconds: float = ANSWER_SECONDS
    ) -> tuple[int, str, str]:
        """Status, body, and the word for a failure."""
        whole = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Microsoft-SkypeBotApi", **headers}
        timeout = aiohttp.ClientTimeout(total=seconds)
        try:
            async with self._session.post(self._url, data=body, headers=whole, timeout=timeout) as response:
                text = await response.text()
                return response.status, text, "" if 200 <= response.status < 300 else f"status {response.status}"
        except TimeoutError:
            return 0, "", "timeout"
        except aiohttp.ClientError:
            return 0, "", "no connection"


@dataclass(slots=True)
class Disorder:
    """What tests may ask for. `duplicate_every` n: each n-th activity comes twice. `slow`: seconds before each.
    `held` is None, or what is kept back until `Sending.release`."""

    duplicate_every: int = 0
    slow: float = 0.0
    held: list[Delivery] | None = None


class Sending:
    """`attempts`: everything that was sent, with what was answered."""

    def __init__(self, carrier: Carrier, clock: Clock) -> None:
        self.disorder = Disorder()
        self.attempts: list[Answered] = []
        self.tasks = Tasks(self._retry, clock)
        self._carrier = carrier
        self._clock = clock
        self._sent = itertools.count(1)

    async def once(self, delivery: Delivery, attempt: int = 0) -> Answered:
        """One attempt, whatever comes of it."""
        seen = await self._carrier.carry(delivery, attempt)
        self.attempts.append(seen)
        return seen

    async def deliver(self, delivery: Delivery) -> Answered:
        if self.disorder.held is not None and not delivery.is_invoke:
            self.disorder.held.append(delivery)
            return not_sent("held")
        if self.disorder.slow:
            await asyncio.sleep(self.disorder.slow)
        every = self.disorder.duplicate_every
        if every and not delivery.is_invoke and next(self._sent) % every == 0:
            self.tasks.start((delivery, MOST_ATTEMPTS))
        return await self._tried(delivery, 0)

    def hold(self) -> None:
        self.disorder.held = []

    async def release(self, *, reverse: bool = False) -> list[Answered]:
        """Sends what was held, one after the other, in order or the other way round."""
        held, self.disorder.held = self.disorder.held or [], None
        return [await self.deliver(each) for each in (reversed(held) if reverse else held)]

    async def _tried(self, delivery: Delivery, attempt: int) -> Answered:
        seen = await self.once(delivery, attempt)
        failed = seen.status in _TRIED_AGAIN or seen.status >= 500
        if failed and not delivery.is_invoke and attempt + 1 < MOST_ATTEMPTS:
            self.tasks.start_at(self._clock() + AGAIN_AFTER, (delivery, attempt + 1))
        return seen

    async def _retry(self, again: tuple[Delivery, int]) -> None:
        await self._tried(*again)
