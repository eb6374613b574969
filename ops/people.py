"""People's answers in Slack, put together on what the rest of the server has open."""

from collections.abc import Awaitable, Callable, Mapping

from adapters.slack.parts import PeoplePorts
from adapters.slack.people_messages import PeopleMessages
from adapters.sql.curated import SqlCuratedAnswers
from adapters.sql.escalations import SqlEscalations
from adapters.sql.given_answers import SqlGivenAnswers
from adapters.sql.kept_passages import SqlKeptPassages
from adapters.sql.vault import Vault
from bot.asking_people import AskingPeople
from bot.channel_settings import ChannelSettings
from bot.escalation_views import EscalationViews
from bot.notices import Notice, NoticeKind, NoticeQueue
from bot.posted import PostedMessages
from bot.saving_curated import SavingCurated
from ops.curating import build_curating
from ops.parts import Answering, utc_now

USER_GROUP = "S"
"""How Slack's ids of user groups begin; those of channels begin with C or G."""


def build_people(
    answering: Answering, vault: Vault, queue: NoticeQueue, posted: PostedMessages, settings: ChannelSettings
) -> PeoplePorts:
    """For `SlackParts.people`."""
    engine, known_as = answering.engine, answering.pseudonyms.of
    given, escalations = SqlGivenAnswers(engine), SqlEscalations(engine, vault)
    views = EscalationViews(given, answering.store, answering.access)
    return PeoplePorts(
        asking=AskingPeople(
            given,
            escalations,
            queue,
            settings,
            is_group=lambda id_: id_.startswith(USER_GROUP),
            now=utc_now,
            known_as=known_as,
        ),
        escalations=escalations,
        views=views,
        messages=PeopleMessages(escalations, views, SqlCuratedAnswers(engine), answering.links.source_names),
        posted=posted,
        saving=SavingCurated(build_curating(engine), SqlKeptPassages(engine), now=utc_now, known_as=known_as),
        known_as=known_as,
    )


Renderer = Callable[[Notice], Awaitable[Mapping[str, object] | None]]
"""As the sink of notices takes them."""


def people_renderers(messages: PeopleMessages) -> Mapping[NoticeKind, Renderer]:
    """For the sink of notices, by kind."""
    return {
        NoticeKind.ESCALATION: messages.escalation,
        NoticeKind.PERSONS_ANSWER: messages.persons_answer,
        NoticeKind.CURATED_SUSPENDED: messages.suspended,
    }
