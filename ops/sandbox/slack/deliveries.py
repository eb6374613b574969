"""What Slack sends to the bot: signed slash commands, once or again, and what comes of the acknowledgement."""

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from ops.sandbox.slack.block_kit import check_message
from ops.sandbox.slack.wording import command_failed
from ops.sandbox.slack.workspace import BOT, SLACKBOT, Clock, Workspace

ACK_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """A command as it was sent: the same `body` is sent again when it is redelivered."""

    channel: str
    user: str
    command: str
    trigger_id: str
    response_url: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What the bot answered; `status` 0: nothing within 3 seconds, or no connection. `error` is Slack's word for it."""

    delivery: Delivery
    status: int
    body: str
    seconds: float
    error: str = ""


class Sender:
    """Posts to the bot as Slack does and shows the people what Slack would show them. Does not close the session."""

    def __init__(self, session: aiohttp.ClientSession, workspace: Workspace, bot_url: str, signing_secret: str) -> None:
        self._session = session
        self._workspace = workspace
        self._events_url = f"{bot_url.rstrip('/')}/slack/events"
        self._signing_secret = signing_secret

    async def send(self, delivery: Delivery, *, retry: int = 0, age_seconds: float = 0.0) -> Acknowledgement:
        """Delivers once. `retry` > 0 marks Slack's own retry; `age_seconds` dates the signature back."""
        headers = signed_headers(self._signing_secret, delivery.body, self._workspace.clock, age_seconds)
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        started = time.perf_counter()
        status, body, error = await self._post(delivery.body, headers)
        seen = Acknowledgement(delivery, status, body, time.perf_counter() - started, error)
        self._show(seen)
        return seen

    async def _post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str, str]:
        timeout = aiohttp.ClientTimeout(total=ACK_SECONDS)
        try:
            async with self._session.post(self._events_url, data=body, headers=headers, timeout=timeout) as response:
                text = await response.text()
                return response.status, text, "" if response.status == 200 else "dispatch_failed"
        except TimeoutError:
            return 0, "", "operation_timeout"
        except aiohttp.ClientError:
            return 0, "", "dispatch_failed"

    def _show(self, seen: Acknowledgement) -> None:
        sent, error = seen.delivery, seen.error
        message = acknowledged_message(seen.body)
        if not error and message is not None and check_message(message):
            error = "dispatch_failed"
        if error:
            shown = {"text": command_failed(sent.command, error)}
            self._workspace.post(sent.channel, SLACKBOT, "slack", shown, visible_to=sent.user)
        elif message is not None:
            visible_to = None if message.get("response_type") == "in_channel" else sent.user
            self._workspace.post(sent.channel, BOT, "acknowledgement", message, visible_to=visible_to)


def acknowledged_message(body: str) -> dict[str, object] | None:
    """The message in an acknowledgement: JSON or bare text; None when it is empty."""
    if not body:
        return None
    try:
        found = json.loads(body)
    except ValueError:
        return {"text": body}
    return found if isinstance(found, dict) else {"text": body}


def signed_headers(signing_secret: str, body: bytes, clock: Clock, age_seconds: float = 0.0) -> dict[str, str]:
    """Slack's signature, made here on its own: the bot's check is not used to check itself."""
    timestamp = str(int(clock().timestamp() - age_seconds))
    digest = hmac.new(signing_secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": f"v0={digest}",
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
    """The form that Slack posts for a slash command; it escapes three characters of what was typed."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    fields = {
        "token": "deprecated",
        "team_id": team,
        "team_domain": "sandbox",
        "channel_id": channel,
        "channel_name": channel_name,
        "user_id": user,
        "user_name": user.lower(),
        "command": command,
        "text": escaped,
        "api_app_id": "A1",
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger_id,
    }
    return urlencode(fields).encode()
