"""People's answers, settings, subscriptions and notices in Teams, put together."""

from collections.abc import Mapping

from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.subscriptions import SqlSubscriptions
from adapters.teams.delivery.notices import NamesInTeams, TeamsNoticeSink
from adapters.teams.directory import TeamOwners
from adapters.teams.parts import TeamsPeople
from adapters.teams.ports import TeamsDirectory, TeamsOutbound
from bot.access.signing import Signing
from bot.alerts.subscribing import SubscriptionCommands
from bot.model.channels import ChannelSettings, KnownConversations
from bot.model.posted import PostedMessages
from bot.render.teams import escalation, people
from bot.render.teams.alert import teams_alert
from bot.wording.teams import COMMAND
from ops.backends import build_vault
from ops.chat.alerts import alert_renderers, build_subscribing
from ops.chat.people import build_people, people_renderers
from ops.parts import ServerParts, utc_now


def nobodys_group(_: str) -> bool:
    """Teams has no groups that are called in a channel: what is set is a conversation."""
    return False


def build_teams_people(
    parts: ServerParts,
    directory: TeamsDirectory,
    known: KnownConversations,
    posted: PostedMessages,
    settings: ChannelSettings,
    owners: TeamOwners,
) -> TeamsPeople:
    """For `TeamsParts.people`."""
    answering = parts.answering
    store = answering.store

    async def platforms() -> Mapping[str, str]:
        return {each.slug: each.display_name for each in await store.sources(frozenset())}

    ports = build_people(
        answering,
        build_vault(parts.config),
        SqlNoticeQueue(answering.engine),
        posted,
        settings,
        is_group=nobodys_group,
        shown=escalation,
    )
    return TeamsPeople(
        ports=ports,
        settings=settings,
        platforms=platforms,
        subscriptions=SqlSubscriptions(answering.engine),
        owners=owners,
        names=NamesInTeams(directory, known),
    )


def build_teams_subscriptions(parts: ServerParts) -> SubscriptionCommands:
    """For `TeamsParts.subscriptions`."""
    answering = parts.answering
    names, hour = answering.links.source_names, parts.config.digest_hour
    return SubscriptionCommands(build_subscribing(answering), names, hour, COMMAND, people.here)


def build_teams_notices(
    parts: ServerParts,
    people: TeamsPeople,
    outbound: TeamsOutbound,
    known: KnownConversations,
    signing: Signing,
) -> TeamsNoticeSink:
    renderers = {**alert_renderers(parts.answering, teams_alert), **people_renderers(people.ports.messages)}
    posted, pace = people.ports.posted, parts.posting_pace
    return TeamsNoticeSink(outbound, renderers, posted, known, people.names, signing, pace, utc_now)
