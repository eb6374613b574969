"""The one terminal message of a slash command, sent to its `response_url`."""

import random
from collections.abc import Callable

import aiohttp

from adapters.slack.commands import RESPONSE_URL
from adapters.slack.response_url_posts import Patience as Patience
from adapters.slack.response_url_posts import ResponseUrlPosts
from adapters.slack.settings import SlackSettings
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome, concerns_asker_alone
from rag_core.errors import Rejected

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
