"""What the Slack app is made of, as its listeners hold it."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from adapters.slack.settings import SlackSettings
from adapters.slack.subscription_commands import SlackSubscribing
from adapters.slack.tasks import SlackTasks
from adapters.slack.web_api import SlackClients
from bot.messages import InboundQuestion

Accept = Callable[[InboundQuestion], Awaitable[bool]]
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""
Clock = Callable[[], datetime]


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
    clock: Clock = utc_now
    new_id: Callable[[], str] = new_question_id
    subscribing: SlackSubscribing | None = None
