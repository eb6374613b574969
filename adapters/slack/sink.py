"""The one terminal message of a slash command, sent to its `response_url`."""

import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import aiohttp
import stamina
from yarl import URL

from adapters.slack.commands import RESPONSE_URL
from adapters.slack.response_urls import SlackResponse, blocks_refused, post, raise_for, trusted
from adapters.slack.settings import SlackSettings
from bot.messages import InboundQuestion
from bot.outcomes import Outcome, Postponed
from rag_core.errors import Rejected, Unavailable

_log = logging.getLogger(__name__)

Render = Callable[[InboundQuestion, str, Outcome], dict[str, object]]
"""Question, answer id and outcome -> `text` and `blocks`; `response_type` "ephemeral" shows it to the asker only."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one `send` tries, in seconds. At the defaults it ends within 50 s: hold the lease longer."""

    attempts: int = 3
    total: float = 20.0
    first_wait: float = 0.5
    longest_wait: float = 4.0
    longest_retry_after: float = 10.0


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
        self._session = session
        self._api_url = settings.api_url
        self._render = render
        self._patience = patience or Patience()
        self._jitter = jitter

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None:
        url = self._url(question)
        rendered = self._render(question, answer_id, outcome)
        # that the answer is still to come concerns the asker alone
        shown_to = "ephemeral" if isinstance(outcome, Postponed) else "in_channel"
        message = {"response_type": shown_to, "unfurl_links": False, "unfurl_media": False, **rendered}
        response = await self._post(url, message)
        if blocks_refused(response) and "blocks" in message:
            _log.error("slack refused blocks: error=%s question_id=%s", response.error, question.question_id)
            response = await self._post(url, {name: each for name, each in message.items() if name != "blocks"})
        raise_for(response)

    def _url(self, question: InboundQuestion) -> URL:
        address = question.reply_address
        if address.kind != RESPONSE_URL:
            raise Rejected("reply_address_refused", kind=address.kind)
        return trusted(address.fields.get("response_url", ""), self._api_url)

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
