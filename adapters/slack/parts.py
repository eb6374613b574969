"""Parts of the Slack app as its listeners hold them."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from adapters.slack.access import ExternalRule
from adapters.slack.client import SlackClients
from adapters.slack.commands import SlackSubscribing
from adapters.slack.payloads import Ended
from adapters.slack.settings import SlackSettings
from bot.answers.seen import AnswerPorts
from bot.commands.home import HomeReader
from bot.model.channels import ChannelSettings
from bot.model.subscriptions import Subscriptions
from bot.model.tasks import Background
from bot.people.answers import PeoplePorts
from bot.ports import Claims, Withdrawals
from bot.questions.inbox import Accept
from bot.questions.threads import ThreadsWithBot
from rag_core.documents import PolicySource


@dataclass(frozen=True, slots=True)
class ChannelPorts:
    """`platforms`: those of documents that everybody may see, slug -> name; raises Unavailable. `subscriptions`: None
    where nobody hears of changes."""

    settings: ChannelSettings
    admits: ExternalRule
    platforms: Callable[[], Awaitable[Mapping[str, str]]]
    home: HomeReader
    subscriptions: Subscriptions | None = None


"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""
Withdraw = Callable[[str, str, str, str], Awaitable[bool]]
"""Team, channel and ts of a message that was deleted, enterprise or "": removes the answer to it unless others replied;
whether it did. To be started as a task: it waits for an answer that is on its way. Raises Unavailable, Rejected."""
Clock = Callable[[], datetime]


async def nothing_to_withdraw(team: str, channel: str, ts: str, enterprise: str = "") -> bool:
    return False


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_question_id() -> str:
    return str(uuid.uuid4())


async def no_sources() -> Sequence[PolicySource]:
    return ()


@dataclass(frozen=True, slots=True)
class SlackParts:
    """Nothing in it is closed by the app. `answers`: without them nothing on an answer can be clicked.

    `claims`: what was told to somebody already, beside the inbox. `threads`: where follow-ups need no mention.
    `withdraw`: removes the answer to a deleted message, by team, channel, ts and enterprise. `sources`: the platforms
    that everybody may know of; it never waits long, and never raises. `people`: without them nobody can be asked.
    """

    settings: SlackSettings
    accept: Accept
    clients: SlackClients
    tasks: Background = field(default_factory=Background)
    clock: Clock = utc_now
    new_id: Callable[[], str] = new_question_id
    answers: AnswerPorts | None = None
    claims: Claims | None = None
    threads: ThreadsWithBot | None = None
    withdrawals: Withdrawals | None = None
    withdraw: Withdraw = nothing_to_withdraw
    sources: Callable[[], Awaitable[Sequence[PolicySource]]] = no_sources
    channels: ChannelPorts | None = None
    """None: no settings, no App Home, and nobody is turned away: for tests of other things."""
    people: PeoplePorts | None = None
    ended: Ended | None = None
    """None: there is one configured token, and Slack is asked whether it still works."""
    on_uninstalled: tuple[Callable[[str], Awaitable[object]], ...] = ()
    """What forgets a workspace, by its id; done again it changes nothing. Raises Unavailable."""
    subscribing: SlackSubscribing | None = None
