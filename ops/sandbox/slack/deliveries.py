"""What goes to the bot: signed, with three seconds to answer; commands once, events again if they fail, and whatever
disorder a test asks for. Events tell what happens in a workspace: what the app subscribed to, and has scopes for."""

import hashlib
import hmac
import itertools
import json
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

import aiohttp

from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.workspace import ORGANISATION, Change, Clock, Message, Workspace, message_json
from ops.sandbox.slack.world import World
from ops.sandbox.tasks import Tasks

ACK_SECONDS = 3.0
FORM = "application/x-www-form-urlencoded"
RETRY_AFTER = (timedelta(0), timedelta(minutes=1), timedelta(minutes=5))
HOUR = timedelta(hours=1)
FEWEST_TO_DISABLE = 1_000
WORST_SHARE = 0.95


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
    status: int = 0
    body: str = ""
    seconds: float = 0.0
    error: str = ""
    retry: int = 0
    no_retry: bool = False

    @property
    def json(self) -> dict[str, object]:
        """The body as an object; empty when it is none."""
        try:
            found = json.loads(self.body) if self.body else {}
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def message(self) -> dict[str, object] | None:
        """The message in it: JSON or bare text; None when it is empty."""
        return self.json or {"text": self.body} if self.body else None

    @property
    def retry_reason(self) -> str:
        """`x-slack-retry-reason` of the next attempt."""
        if self.error == "operation_timeout":
            return "http_timeout"
        return "http_error" if self.status else "connection_failed"


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
        posting = self._session.post(self._events_url, data=body, headers=headers, timeout=self._timeout)
        try:
            async with posting as response:
                no_retry = response.headers.get("X-Slack-No-Retry") == "1"
                text = await response.text()
                return response.status, text, "" if response.status == 200 else "dispatch_failed", no_retry
        except TimeoutError:
            return 0, "", "operation_timeout", False
        except aiohttp.ClientError:
            return 0, "", "dispatch_failed", False


def signed_headers(
    signing_secret: str, body: bytes, clock: Clock, age_seconds: float = 0.0, content_type: str = FORM
) -> dict[str, str]:
    """Slack's signature, made here on its own: the bot's check is not used to check itself."""
    timestamp = str(int(clock().timestamp() - age_seconds))
    digest = hmac.new(signing_secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": content_type, "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}",
    }  # fmt: skip


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
    organisation = {"enterprise_id": enterprise, "enterprise_name": ORGANISATION} if enterprise else {}
    return {
        "token": "deprecated", "team_id": team, "team_domain": "sandbox", **organisation,
        "channel_id": channel, "channel_name": channel_name, "user_id": user, "user_name": user.lower(),
        "command": command, "text": escaped(text), "api_app_id": app_id,
        "is_enterprise_install": str(is_org).lower(), "response_url": response_url, "trigger_id": trigger_id,
    }  # fmt: skip


@dataclass(slots=True)
class Disorder:
    """What tests may ask for. `duplicate_every` n: each n-th event comes twice; `duplicates` times over.

    `held` is None, or the events that are kept back until `Sending.release`.
    """

    duplicate_every: int = 0
    duplicates: int = 1
    held: list[Delivery] | None = None


class Sending:
    """Events are tried four times: at once, again at once, after a minute, after five, by the stand-in's clock.

    An app that fails 95 of 100 in an hour of 1,000 events or more gets no more of them: `is_enabled` False.
    `attempts`: everything that was sent, with what was answered.
    """

    def __init__(self, carrier: Carrier, clock: Clock) -> None:
        self.is_enabled = True
        self.disorder = Disorder()
        self.attempts: list[Acknowledgement] = []
        self.tasks = Tasks(self._deliver, clock)
        self._carrier = carrier
        self._clock = clock
        self._events = itertools.count(1)
        self._outcomes: deque[tuple[datetime, bool]] = deque()

    async def once(self, delivery: Delivery, retry: Retry | None = None, age_seconds: float = 0.0) -> Acknowledgement:
        """One attempt, whatever comes of it."""
        seen = await self._carrier.carry(delivery, retry, age_seconds)
        self.attempts.append(seen)
        return seen

    def publish(self, delivery: Delivery) -> None:
        """An event, sent from a task of its own."""
        if self.disorder.held is not None:
            self.disorder.held.append(delivery)
        if self.disorder.held is not None or not self.is_enabled:
            return
        self.tasks.start((delivery, None))
        every = self.disorder.duplicate_every
        if every and next(self._events) % every == 0:
            for number in range(1, self.disorder.duplicates + 1):
                self.tasks.start((delivery, Retry(number)))

    def hold(self) -> None:
        """Events are kept back from now on."""
        self.disorder.held = []

    def release(self, *, reverse: bool = False) -> None:
        """Sends what was held, in order or the other way round."""
        held, self.disorder.held = self.disorder.held or [], None
        for each in reversed(held) if reverse else held:
            self.publish(each)

    async def _deliver(self, sent: tuple[Delivery, Retry | None]) -> None:
        delivery, retry = sent
        seen = await self.once(delivery, retry)
        self._count(not seen.error)
        number = retry.number if retry else 0
        if not seen.error or seen.no_retry or number >= len(RETRY_AFTER) or not self.is_enabled:
            return
        following = delivery, Retry(number + 1, seen.retry_reason)
        if RETRY_AFTER[number]:
            self.tasks.start_at(self._clock() + RETRY_AFTER[number], following)
        else:
            await self._deliver(following)

    def _count(self, went_well: bool) -> None:
        now, outcomes = self._clock(), self._outcomes
        outcomes.append((now, went_well))
        while outcomes[0][0] <= now - HOUR:
            outcomes.popleft()
        if not went_well and len(outcomes) >= FEWEST_TO_DISABLE:
            failed = sum(not well for _, well in outcomes)
            self.is_enabled = failed <= WORST_SHARE * len(outcomes)


Event = dict[str, object]

_SUBSCRIPTIONS = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}


class Events:
    """Listens to workspaces (`changed`), and tells the app by `Sending`."""

    def __init__(self, world: World, sending: Sending) -> None:
        self._world = world
        self._sending = sending
        self._numbers = itertools.count(1)

    def changed(self, space: Workspace, change: Change) -> None:
        channel, new, old = space.channels.get(change.channel), change.message, change.previous
        told = new or old
        if channel is None or BOT not in channel.members or (told is not None and told.visible_to):
            return
        if told is None:
            self._joined(space, channel, change.user)
        elif new is not None and old is None:
            self._posted(space, channel, new)
        elif new is not None and old is not None:
            self._edited(space, channel, new, old)
        else:
            self._tell_hidden(space, channel, "message_deleted", told, deleted_ts=told.ts)

    def opened_home(self, space: Workspace, user: str, tab: str) -> None:
        direct = space.conversation(frozenset({BOT, user}))
        event: Event = {"user": user, "channel": direct.channel_id, "tab": tab}
        home = self._world.views.home(space.team, user)
        if tab == "home" and home is not None:
            event["view"] = home.json(self._world.app.app_id)
        self.tell(space, "app_home_opened", event)

    def ended(self, space: Workspace, grant: Grant, *, uninstalled: bool) -> None:
        """The token ended; with `uninstalled` the app has left the workspace as well."""
        self.tell(space, "tokens_revoked", {"tokens": {"oauth": [], "bot": [grant.bot_user]}}, grant=grant)
        if uninstalled:
            self.tell(space, "app_uninstalled", {}, grant=grant)

    def _posted(self, space: Workspace, channel: Channel, message: Message) -> None:
        if self._mentions(channel, message):
            self._mentioned(space, channel, message)
        event = {**self._message(space, message), "event_ts": message.ts}
        if message.is_broadcast and message.thread_ts:
            root = space.find(message.channel, message.thread_ts)
            event["root"] = self._message(space, root) if root else {}
        self._tell_message(space, channel, event)

    def _edited(self, space: Workspace, channel: Channel, new: Message, old: Message) -> None:
        if self._mentions(channel, new) and not self._mentions(channel, old):
            self._mentioned(space, channel, new)
        self._tell_hidden(space, channel, "message_changed", old, message=self._message(space, new))

    def _mentions(self, channel: Channel, message: Message) -> bool:
        return not channel.is_im and f"<@{BOT}>" in message.text and message.author != BOT

    def _mentioned(self, space: Workspace, channel: Channel, message: Message) -> None:
        event = {**self._message(space, message), "channel": channel.channel_id}
        event.pop("subtype", None)
        event["event_ts"] = space.next_ts() if message.edited else message.ts
        self.tell(space, "app_mention", event, channel, scope="app_mentions:read")

    def _tell_hidden(self, space: Workspace, channel: Channel, subtype: str, old: Message, **more: object) -> None:
        event = {"type": "message", "subtype": subtype, "hidden": True, **more}
        self._tell_message(space, channel, {**event, "previous_message": self._message(space, old)})

    def _tell_message(self, space: Workspace, channel: Channel, event: Event) -> None:
        whole = {"ts": space.next_ts(), **event, "channel": channel.channel_id, "channel_type": channel.kind}
        whole.setdefault("event_ts", whole["ts"])
        self.tell(space, "message", whole, channel, scope=f"{channel.scopes}:history")

    def _joined(self, space: Workspace, channel: Channel, user: str) -> None:
        kind = "C" if channel.kind == "channel" else "G"
        event: Event = {"user": user, "channel": channel.channel_id, "channel_type": kind, "team": space.team}
        self.tell(space, "member_joined_channel", event, channel, scope=f"{channel.scopes}:read")

    def _message(self, space: Workspace, message: Message) -> Event:
        return message_json(space, message, self._world.app.app_id)

    def tell(
        self,
        space: Workspace,
        kind: str,
        event: Mapping[str, object],
        channel: Channel | None = None,
        *,
        scope: str = "",
        grant: Grant | None = None,
    ) -> None:
        """Sends `event` if the app is installed, subscribed, and has the scope."""
        acting = grant or self._world.grants.live(space.team, space.enterprise)
        subscription = _SUBSCRIPTIONS[channel.kind] if channel and kind == "message" else kind
        if acting is None or subscription not in self._world.app.events or scope not in {*acting.scopes, ""}:
            return
        whole = {"event_ts": space.next_ts(), **event, "type": kind}
        shared = channel is not None and channel.is_ext_shared
        envelope = self._envelope(space, whole, acting, shared)
        where, who = str(event.get("channel") or ""), str(event.get("user") or "")
        self._sending.publish(Delivery("events_api", envelope, space.team, where, who))

    def _envelope(self, space: Workspace, event: Mapping[str, object], grant: Grant, shared: bool) -> Event:
        app_id, enterprise = self._world.app.app_id, space.enterprise or None
        by: Event = {
            "enterprise_id": enterprise, "team_id": space.team, "user_id": grant.bot_user, "is_bot": True,
            "is_enterprise_install": grant.is_org,
        }  # fmt: skip
        return {
            "token": "deprecated", "team_id": space.team, **({"enterprise_id": enterprise} if enterprise else {}),
            "context_team_id": space.team, "context_enterprise_id": enterprise, "api_app_id": app_id,
            "event": event, "type": "event_callback", "event_id": f"Ev{next(self._numbers):09d}",
            "event_time": int(self._world.clock().timestamp()), "authorizations": [by],
            "is_ext_shared_channel": shared, "event_context": f"4-{space.team}-{app_id}",
        }  # fmt: skip
