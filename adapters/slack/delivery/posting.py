"""Posts to Slack: paced, retried where it asks us to wait, looked for before they are repeated."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.client import called
from bot.questions.delivery import DeliveryLog
from bot.questions.pace import PostingPace, PostingTurns
from bot.render.slack.message import EVENT_TYPE
from rag_core.errors import Rejected, Unavailable

_PAGE, _MOST_PAGES = 200, 5


@dataclass(frozen=True, slots=True)
class Found:
    """`is_whole`: it is the terminal message; else what a stream left behind."""

    ts: str
    is_whole: bool


async def find_reply(client: AsyncWebClient, channel: str, thread: str, since: str, answer_id: str) -> Found | None:
    """None: it is not there, or nobody lets us look. Raises Unavailable (`slack_rate_limited`: for apps outside the
    Marketplace Slack allows one look a minute)."""
    cursor = ""
    for _ in range(_MOST_PAGES):
        try:
            page = await called(_read(client, channel, thread, since, cursor))
        except Rejected:
            return None
        if found := _among(page.get("messages"), answer_id, in_thread=bool(thread)):
            return found
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return None
    return None


def _read(client: AsyncWebClient, channel: str, thread: str, since: str, cursor: str) -> Any:
    asked: dict[str, Any] = {"channel": channel, "oldest": since, "limit": _PAGE, "include_all_metadata": True}
    asked |= {"cursor": cursor} if cursor else {}
    return client.conversations_replies(ts=thread, **asked) if thread else client.conversations_history(**asked)


def _among(messages: object, answer_id: str, *, in_thread: bool) -> Found | None:
    half = ""
    for each in messages if isinstance(messages, list) else []:
        if not isinstance(each, Mapping):
            continue
        if _answers(each, answer_id):
            return Found(str(each.get("ts")), is_whole=True)
        # a stream has no metadata before its end; another app's we are not allowed to change
        if in_thread and each.get("streaming_state") and not each.get("metadata"):
            half = str(each.get("ts"))
    return Found(half, is_whole=False) if half else None


def _answers(message: Mapping[str, Any], answer_id: str) -> bool:
    metadata = message.get("metadata")
    if not isinstance(metadata, Mapping) or metadata.get("event_type") != EVENT_TYPE:
        return False
    payload = metadata.get("event_payload")
    return isinstance(payload, Mapping) and payload.get("answer_id") == answer_id


_log = logging.getLogger(__name__)

BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
_STILL_GROWS = "streaming_state_conflict"
_GROWS_NO_MORE = "message_not_in_streaming_state"

Look = Callable[[], Awaitable[Found | None]]
"""Whether the message is there already."""


@dataclass(frozen=True, slots=True)
class PostingPatience:
    """Seconds. `every`: between two messages in a channel. `longest_turn`, `longest_retry_after`: what is waited for
    here; what takes longer goes back to the inbox. `before_looking`: Slack may be about to
    show what it did not answer to."""

    attempts: int = 3
    every: float = 1.0
    longest_turn: float = 8.0
    longest_retry_after: float = 5.0
    first_wait: float = 0.5
    before_looking: float = 3.0


class SlackPoster:
    """Waits in its own task: see that it is nobody else's. Raises as `called`; `delivered` "no" in Unavailable means
    that Slack has nothing of it."""

    def __init__(
        self,
        pace: PostingPace,
        log: DeliveryLog,
        *,
        patience: PostingPatience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pace = pace
        self._log = log
        self._patience = patience or PostingPatience()
        self._sleep = sleep

    async def turn(self, name: str, longest: float | None = None) -> None:
        """Waits until something may be posted in a channel. Raises as `PostingTurns`."""
        patience = self._patience
        turns = PostingTurns(self._pace, patience.every, patience.longest_turn, "slack_pacing", self._sleep)
        await turns.wait(name, longest)

    async def post(
        self, client: AsyncWebClient, name: str, message: Mapping[str, Any], question_id: str, look: Look
    ) -> Mapping[str, Any] | Found:
        """What Slack answered to the post, or the message that was there already. `name`: of the channel's turns."""
        known: Unavailable | None = None
        for attempt in range(1, self._patience.attempts + 1):
            await self.turn(name)
            try:
                return await self._with_text_alone(client.chat_postMessage, message, question_id)
            except Unavailable as exc:
                known = exc
                self._log.delivery_retried(question_id, exc.code)
                found = await self._after(exc, attempt, question_id, look)
                if found is not None:
                    return found
        raise known or Unavailable("slack_error")

    async def update(
        self, client: AsyncWebClient, channel: str, ts: str, message: Mapping[str, Any], question_id: str
    ) -> None:
        """Puts `message` in place of one of ours; of a stream as well, which ends with it. May be done again."""
        arguments = {name: each for name, each in message.items() if name in ("text", "blocks", "metadata")}
        for attempt in range(1, self._patience.attempts + 1):
            try:
                await self._with_text_alone(
                    client.chat_update, {**arguments, "channel": channel, "ts": ts}, question_id
                )
                return
            except Rejected as exc:
                if exc.details.get("error") != _STILL_GROWS:
                    raise
                await self.stop(client, channel, ts)
            except Unavailable as exc:
                self._log.delivery_retried(question_id, exc.code)
                if attempt == self._patience.attempts or not await self._rested(exc, attempt):
                    raise
        raise Unavailable("slack_error", error=_STILL_GROWS)

    async def stop(self, client: AsyncWebClient, channel: str, ts: str) -> None:
        """A stream grows no more; one that ran out by itself does not, either."""
        try:
            await called(client.chat_stopStream(channel=channel, ts=ts))
        except Rejected as exc:
            if exc.details.get("error") != _GROWS_NO_MORE:
                raise

    async def _with_text_alone(
        self, call: Callable[..., Awaitable[Any]], message: Mapping[str, Any], question_id: str
    ) -> Mapping[str, Any]:
        """Blocks that Slack does not take are left out, once."""
        try:
            return await called(call(**message))
        except Rejected as exc:
            if exc.details.get("error") not in BLOCKS_REFUSED or not message.get("blocks"):
                raise
            _log.error("slack refused blocks: error=%s question_id=%s", exc.details["error"], question_id)
        # an update without blocks would leave those that are there
        return await called(call(**{**message, "blocks": []}))

    async def _after(self, error: Unavailable, attempt: int, question_id: str, look: Look) -> Found | None:
        """Waits, and looks where the message may be there. Raises `error` where nothing more is to be tried now."""
        if error.code == "slack_rate_limited":
            if attempt == self._patience.attempts or not await self._rested(error, attempt):
                raise Unavailable(error.code, retry_after=_asked(error), delivered="no") from error
            return None
        if error.details.get("delivered") == "no":
            if attempt == self._patience.attempts:
                raise error
            await self._rested(error, attempt)
            return None
        await self._sleep(self._patience.before_looking)
        found = await look()
        self._log.reconciled(question_id, found is not None)
        return found

    async def _rested(self, error: Unavailable, attempt: int) -> bool:
        """False: Slack asks for more than we wait here."""
        asked = _asked(error) if error.code == "slack_rate_limited" else self._patience.first_wait * attempt
        if asked > self._patience.longest_retry_after:
            return False
        await self._sleep(asked)
        return True


def _asked(error: Unavailable) -> float:
    asked = error.details.get("retry_after")
    return float(asked) if isinstance(asked, int | float) else 1.0
