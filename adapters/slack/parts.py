"""What the Slack app is made of, as its listeners hold it."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from adapters.slack.people_messages import PeopleMessages
from adapters.slack.settings import SlackSettings
from adapters.slack.tasks import SlackTasks
from adapters.slack.web_api import SlackClients
from bot.asking_people import AskingPeople
from bot.escalation_views import EscalationViews
from bot.escalations import Escalations
from bot.messages import InboundQuestion
from bot.own_answers import KnownAs
from bot.posted import PostedMessages
from bot.saving_curated import SavingCurated

Accept = Callable[[InboundQuestion], Awaitable[bool]]
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_question_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class PeoplePorts:
    """What is needed to ask people and to bring back what they answer."""

    asking: AskingPeople
    escalations: Escalations
    views: EscalationViews
    messages: PeopleMessages
    posted: PostedMessages
    saving: SavingCurated
    known_as: KnownAs


@dataclass(frozen=True, slots=True)
class SlackParts:
    """Nothing in it is closed by the app. `people`: without them nobody can be asked."""

    settings: SlackSettings
    accept: Accept
    clients: SlackClients
    tasks: SlackTasks = field(default_factory=SlackTasks)
    clock: Clock = utc_now
    new_id: Callable[[], str] = new_question_id
    people: PeoplePorts | None = None
