"""Answers that were given, read again and spoken of by who got them; people are known there by pseudonyms."""

from collections.abc import Callable, Mapping

from adapters.sql.audit.answers import SqlGivenAnswers
from adapters.sql.database.vault import Vault
from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.people.escalations import SqlEscalations
from adapters.sql.people.feedback import SqlFeedback
from adapters.sql.policies.store import SqlKeptPassages
from bot.answers.feedback import GivingFeedback
from bot.answers.recorded import OwnAnswers
from bot.answers.seen import AnswerPorts, SeenAnswers
from bot.model.channels import ChannelSettings
from bot.model.notices import NoticeKind, NoticeQueue, Renderer
from bot.model.posted import PostedMessages
from bot.people.answers import AskingPeople, PeopleMessages, PeoplePorts, PeopleRendering
from bot.people.curation import SavingCurated
from bot.people.escalations import EscalationViews
from ops.chat.curated import build_curating
from ops.parts import Answering, new_id, utc_now


def own_answers(answering: Answering) -> OwnAnswers:
    return OwnAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)


def giving_feedback(answering: Answering) -> GivingFeedback:
    given, kept = SqlGivenAnswers(answering.engine), SqlFeedback(answering.engine)
    return GivingFeedback(given, kept, now=utc_now, new_id=new_id, known_as=answering.pseudonyms.of)


def answer_ports(answering: Answering) -> AnswerPorts:
    """What clicks on answers need, on any chat platform."""
    seen = SeenAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)
    return AnswerPorts(seen, answering.access, giving_feedback(answering), answering.store, answering.links)


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
