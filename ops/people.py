"""People's answers on a chat platform, put together on what the rest of the server has open."""

from collections.abc import Callable, Mapping

from adapters.sql.answer_records import SqlGivenAnswers
from adapters.sql.curated import SqlCuratedAnswers
from adapters.sql.escalations import SqlEscalations
from adapters.sql.policy_store import SqlKeptPassages
from adapters.sql.vault import Vault
from bot.model.channels import ChannelSettings
from bot.model.notices import NoticeKind, NoticeQueue, Renderer
from bot.model.posted import PostedMessages
from bot.people.answers import AskingPeople, PeopleMessages, PeoplePorts, PeopleRendering
from bot.people.curation import SavingCurated
from bot.people.escalations import EscalationViews
from ops.curating import build_curating
from ops.parts import Answering, utc_now

USER_GROUP = "S"
"""How Slack's ids of user groups begin; those of channels begin with C or G."""


def is_user_group(id_: str) -> bool:
    """Whether Slack calls several people by it."""
    return id_.startswith(USER_GROUP)


def build_people(
    answering: Answering,
    vault: Vault,
    queue: NoticeQueue,
    posted: PostedMessages,
    settings: ChannelSettings,
    *,
    is_group: Callable[[str], bool],
    shown: PeopleRendering,
) -> PeoplePorts:
    """`is_group`: of the platform's ids; `shown`: how the platform shows what is said."""
    engine, known_as = answering.engine, answering.pseudonyms.of
    given, escalations = SqlGivenAnswers(engine), SqlEscalations(engine, vault)
    views = EscalationViews(given, answering.store, answering.access)
    return PeoplePorts(
        asking=AskingPeople(
            given,
            escalations,
            queue,
            settings,
            is_group=is_group,
            now=utc_now,
            known_as=known_as,
        ),
        escalations=escalations,
        views=views,
        messages=PeopleMessages(escalations, views, SqlCuratedAnswers(engine), answering.links.source_names, shown),
        posted=posted,
        saving=SavingCurated(build_curating(engine), SqlKeptPassages(engine), now=utc_now, known_as=known_as),
        known_as=known_as,
    )


def people_renderers(messages: PeopleMessages) -> Mapping[NoticeKind, Renderer]:
    """For the sink of notices, by kind."""
    return {
        NoticeKind.ESCALATION: messages.escalation,
        NoticeKind.PERSONS_ANSWER: messages.persons_answer,
        NoticeKind.CURATED_SUSPENDED: messages.suspended,
    }
