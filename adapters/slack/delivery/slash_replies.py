"""Replies of slash commands by `response_url`: how often each may be used, and for how long."""

import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import aiohttp
import stamina
from yarl import URL

from adapters.slack.commands import RESPONSE_URL
from adapters.slack.response_urls import SlackResponse, blocks_refused, post, raise_for, trusted
from adapters.slack.settings import SlackSettings
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome, concerns_asker_alone
from rag_core.errors import Rejected, Unavailable

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one `send` tries, in seconds. At the defaults it ends within 50 s: hold the lease longer."""

    attempts: int = 3
    total: float = 20.0
    first_wait: float = 0.5
    longest_wait: float = 4.0
    longest_retry_after: float = 10.0


class ResponseUrlPosts:
    """Posts to `response_url`s. Uses the session, does not close it. `jitter` gives a part between 0 and 1."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        api_url: str,
        *,
        patience: Patience | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._session = session
        self._api_url = api_url
        self._patience = patience or Patience()
        self._jitter = jitter

    async def send(self, address: str, message: Mapping[str, object], question_id: str) -> None:
        """Raises Unavailable: `slack_rate_limited` (`retry_after` in seconds), `slack_error`, `slack_unreachable`
        (`delivered` "unknown": the message may be there already). Raises Rejected: `reply_address_gone` (used, expired,
        no such channel), `reply_address_refused` (not Slack's), `reply_refused` (Slack does not take it)."""
        url = trusted(address, self._api_url)
        response = await self._post(url, message)
        if blocks_refused(response) and "blocks" in message:
            _log.error("slack refused blocks: error=%s question_id=%s", response.error, question_id)
            response = await self._post(url, {name: each for name, each in message.items() if name != "blocks"})
        raise_for(response)

    async def _post(self, url: URL, message: Mapping[str, object]) -> SlackResponse:
        """Posted, or blocks refused; tried again only where the message cannot be there already."""
        wait = self._patience
        async for attempt in stamina.retry_context(
            on=self._again,
            attempts=wait.attempts,
            timeout=wait.total,
            wait_initial=wait.first_wait,
            wait_max=wait.longest_wait,
            wait_jitter=wait.first_wait,
        ):
            with attempt:
                response = await post(self._session, url, message)
                if not blocks_refused(response):
                    raise_for(response)
        return response

    def _again(self, exc: Exception) -> bool | float:
        """True (back off), the seconds to wait, or False: what takes longer is left to the inbox."""
        if not isinstance(exc, Unavailable):
            return False
        if exc.code == "slack_rate_limited":
            asked = exc.details.get("retry_after")
            if not isinstance(asked, float) or asked > self._patience.longest_retry_after:
                return False
            return asked + self._jitter() * self._patience.first_wait
        return exc.code == "slack_error" or exc.details.get("delivered") == "no"


MOST_USES = 5
LIFETIME = timedelta(minutes=29)
"""Slack: five messages within 30 minutes. A minute is kept for ours and Slack's clocks."""


class ResponseUrlUses:
    """What this process has used of each; Slack says so for what others have."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._uses: dict[str, tuple[datetime, int]] = {}

    def take(self, address: str, received_at: datetime) -> bool:
        """One use; False: there is none left, or no address."""
        now = self._clock()
        if not address or now - received_at > LIFETIME:
            return False
        self._forget(now)
        _, uses = self._uses.get(address, (received_at, 0))
        if uses >= MOST_USES:
            return False
        self._uses[address] = (received_at, uses + 1)
        return True

    def _forget(self, now: datetime) -> None:
        """In order of use, so the first ones are the oldest, or nearly."""
        while self._uses:
            first = next(iter(self._uses))
            if now - self._uses[first][0] <= LIFETIME:
                return
            del self._uses[first]


Render = Callable[[InboundQuestion, str, Outcome], dict[str, object]]
"""Question, answer id and outcome -> `text` and `blocks`; `response_type` "ephemeral" shows it to the asker only."""


class SlackReplySink:
    """A `ReplySink`. Uses the session, does not close it. `jitter` gives a part between 0 and 1.

    Raises Unavailable: `slack_rate_limited` (`retry_after` in seconds), `slack_error`, `slack_unreachable`
    (`delivered` "unknown": the message may be there already). Raises Rejected: `reply_address_gone` (used,
    expired, no such channel), `reply_address_refused` (not Slack's), `reply_refused` (Slack does not take it).
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        settings: SlackSettings,
        render: Render,
        *,
        patience: Patience | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._posts = ResponseUrlPosts(session, settings.api_url, patience=patience, jitter=jitter)
        self._render = render

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None:
        address = question.reply_address
        if address.kind != RESPONSE_URL:
            raise Rejected("reply_address_refused", kind=address.kind)
        rendered = self._render(question, answer_id, outcome)
        shown_to = "ephemeral" if concerns_asker_alone(outcome) else "in_channel"
        message = {"response_type": shown_to, "unfurl_links": False, "unfurl_media": False, **rendered}
        await self._posts.send(address.fields.get("response_url", ""), message, question.question_id)
