"""What the Slack app is made of, as its listeners hold it."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from adapters.slack.settings import SlackSettings
from adapters.slack.tasks import SlackTasks
from adapters.slack.web_api import SlackClients
from bot.messages import InboundQuestion

Accept = Callable[[InboundQuestion], Awaitable[bool]]
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""
Withdraw = Callable[[str, str, str, str], Awaitable[bool]]
"""Team, channel and ts of a message that was deleted, enterprise or "": removes the answer to it unless others replied;
whether it did. To be started as a task: it waits for an answer that is on its way. Raises Unavailable, Rejected."""
Clock = Callable[[], datetime]


async def _nothing_to_withdraw(team: str, channel: str, ts: str, enterprise: str = "") -> bool:
    return False


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_question_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class SlackParts:
    """Nothing in it is closed by the app."""

    settings: SlackSettings
    accept: Accept
    clients: SlackClients
    tasks: SlackTasks = field(default_factory=SlackTasks)
    withdraw: Withdraw = _nothing_to_withdraw
    clock: Clock = utc_now
    new_id: Callable[[], str] = new_question_id
