"""What goes to the bot over HTTP, and what it answered."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp

from ops.sandbox.teams.issuing import Bad, Issuer
from ops.sandbox.teams.messages import Message

ANSWER_SECONDS = 15.0
"""Teams sends an activity again that was not answered by then."""

INVOKE_SECONDS = 5.0
MESSAGES_PATH = "/api/messages"
Json = dict[str, Any]


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
        return f"{kind}/{self.activity.get('name')}" if kind == "invoke" else kind

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
    def json(self) -> Json:
        """The body as an object; {} where it is none."""
        try:
            found = json.loads(self.body) if self.body else {}
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def is_taken(self) -> bool:
        return not self.error

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
        self.answer_seconds = ANSWER_SECONDS
        self.invoke_seconds = INVOKE_SECONDS

    async def carry(self, delivery: Delivery, attempt: int = 0) -> Answered:
        authorization = self._issuer.authorization(str(delivery.activity.get("serviceUrl")), delivery.bad)
        body = json.dumps(delivery.activity).encode()
        seconds = self.invoke_seconds if delivery.is_invoke else self.answer_seconds
        started = time.perf_counter()
        status, text, error = await self.post(body, {"Authorization": authorization} if authorization else {}, seconds)
        return Answered(delivery, status, text, time.perf_counter() - started, error, attempt)

    async def post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> tuple[int, str, str]:
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
