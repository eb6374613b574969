"""What goes to the bot, and how it goes over HTTP: signed, once, with three seconds to answer."""

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlencode

import aiohttp

from ops.sandbox.slack.workspace import Clock

ACK_SECONDS = 3.0
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to tell the bot; the same `payload` is sent again when it is redelivered.

    `kind` as Socket Mode calls it: "slash_commands", "events_api", "interactive".
    """

    kind: str
    payload: Mapping[str, object]
    team: str = "T1"
    channel: str = ""
    user: str = ""
    command: str = ""
    trigger_id: str = ""
    response_url: str = ""

    @property
    def body(self) -> bytes:
        """As it goes over HTTP."""
        if self.kind == "events_api":
            return json.dumps(self.payload).encode()
        if self.kind == "interactive":
            return urlencode({"payload": json.dumps(self.payload)}).encode()
        return urlencode({name: str(value) for name, value in self.payload.items()}).encode()

    @property
    def content_type(self) -> str:
        return "application/json" if self.kind == "events_api" else FORM

    @property
    def called(self) -> str:
        """ "app_mention", "message/message_changed", "block_actions", "/adpolicy" ..."""
        event = self.payload.get("event")
        if isinstance(event, dict):
            return "/".join(str(event[name]) for name in ("type", "subtype") if event.get(name))
        return self.command or str(self.payload.get("type"))


@dataclass(frozen=True, slots=True)
class Retry:
    number: int
    reason: str = "http_timeout"


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What the bot answered; `status` 0: nothing within 3 seconds, or no connection.

    `error` is Slack's word for it. `no_retry`: the bot asked not to be told again.
    """

    delivery: Delivery
    status: int
    body: str
    seconds: float
    error: str = ""
    retry: int = 0
    no_retry: bool = field(default=False, compare=False)

    @property
    def json(self) -> dict[str, object]:
        """The body as an object; empty when it is none."""
        try:
            found = json.loads(self.body) if self.body else {}
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


class Carrier(Protocol):
    """Brings a delivery to the bot, once. Never raises: what goes wrong is in the acknowledgement."""

    async def carry(self, delivery: Delivery, retry: Retry | None, age_seconds: float) -> Acknowledgement: ...


class HttpCarrier:
    """Posts to the bot as Slack does. Does not close the session."""

    def __init__(
        self, session: aiohttp.ClientSession, bot_url: str, signing_secret: str, clock: Clock, ack_seconds: float
    ) -> None:
        self._session = session
        self._events_url = f"{bot_url.rstrip('/')}/slack/events"
        self._signing_secret = signing_secret
        self._clock = clock
        self._timeout = aiohttp.ClientTimeout(total=ack_seconds)

    async def carry(self, delivery: Delivery, retry: Retry | None, age_seconds: float) -> Acknowledgement:
        """`age_seconds` dates the signature back."""
        body = delivery.body
        headers = signed_headers(self._signing_secret, body, self._clock, age_seconds, delivery.content_type)
        if retry is not None:
            headers |= {"X-Slack-Retry-Num": str(retry.number), "X-Slack-Retry-Reason": retry.reason}
        started = time.perf_counter()
        status, text, error, no_retry = await self.post(body, headers)
        seconds = time.perf_counter() - started
        return Acknowledgement(delivery, status, text, seconds, error, retry.number if retry else 0, no_retry)

    async def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str, str, bool]:
        """Status, body, Slack's word for a failure, and whether the bot wants no retry."""
        try:
            async with self._session.post(
                self._events_url, data=body, headers=headers, timeout=self._timeout
            ) as response:
                no_retry = response.headers.get("X-Slack-No-Retry") == "1"
                text = await response.text()
                return response.status, text, "" if response.status == 200 else "dispatch_failed", no_retry
        except TimeoutError:
            return 0, "", "operation_timeout", False
        except aiohttp.ClientError:
            return 0, "", "dispatch_failed", False


def acknowledged_message(body: str) -> dict[str, object] | None:
    """The message in an acknowledgement: JSON or bare text; None when it is empty."""
    if not body:
        return None
    try:
        found = json.loads(body)
    except ValueError:
        return {"text": body}
    return found if isinstance(found, dict) else {"text": body}


def signed_headers(
    signing_secret: str, body: bytes, clock: Clock, age_seconds: float = 0.0, content_type: str = FORM
) -> dict[str, str]:
    """Slack's signature, made here on its own: the bot's check is not used to check itself."""
    timestamp = str(int(clock().timestamp() - age_seconds))
    digest = hmac.new(signing_secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": content_type,
        "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": f"v0={digest}",
    }


def escaped(text: str) -> str:
    """What Slack makes of three characters, and only these."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def command_fields(
    *,
    team: str,
    channel: str,
    channel_name: str,
    user: str,
    command: str,
    text: str,
    response_url: str,
    trigger_id: str,
    app_id: str = "A1",
    enterprise: str = "",
    is_org: bool = False,
) -> dict[str, str]:
    """A slash command as Slack tells it."""
    organisation = {"enterprise_id": enterprise, "enterprise_name": "Sandbox organisation"} if enterprise else {}
    return {
        "token": "deprecated",
        "team_id": team,
        "team_domain": "sandbox",
        **organisation,
        "channel_id": channel,
        "channel_name": channel_name,
        "user_id": user,
        "user_name": user.lower(),
        "command": command,
        "text": escaped(text),
        "api_app_id": app_id,
        "is_enterprise_install": str(is_org).lower(),
        "response_url": response_url,
        "trigger_id": trigger_id,
    }


def command_body(
    *,
    team: str,
    channel: str,
    channel_name: str,
    user: str,
    command: str,
    text: str,
    response_url: str,
    trigger_id: str,
) -> bytes:
    """The form that Slack posts for a slash command."""
    return urlencode(
        command_fields(
            team=team,
            channel=channel,
            channel_name=channel_name,
            user=user,
            command=command,
            text=text,
            response_url=response_url,
            trigger_id=trigger_id,
        )
    ).encode()
