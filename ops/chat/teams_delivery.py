"""How replies get to Teams, put together."""

import logging
from dataclasses import dataclass, replace

from adapters.sql.chat.posted import SqlPostedMessages
from adapters.teams.addresses import MESSAGE, PLATFORM, TeamsAddress, teams_address
from adapters.teams.delivery.posting import TeamsPoster
from adapters.teams.delivery.progress import TeamsProgress
from adapters.teams.delivery.replies import TeamsReplySink
from adapters.teams.delivery.sent import SentBefore
from adapters.teams.ports import Activity, TeamsOutbound
from bot.access.signing import Signing
from bot.model.channels import ChannelSettings, KnownConversations, asks_people
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome
from bot.model.posted import KeepingPosted, PostedMessages
from bot.model.tasks import Background
from bot.ports import ReplyProgress, ReplySink
from bot.render.teams.message import MESSAGE_UNITS, teams_message
from bot.render.teams.view import TeamsView
from ops.parts import ServerParts, utc_now
from rag_core.errors import Unavailable

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TeamsDelivery:
    """`poster` paces whatever is sent to Teams; `progress` is closed by the builder, before `tasks`."""

    poster: TeamsPoster
    posted: PostedMessages
    sink: TeamsReplySink
    progress: TeamsProgress

    @property
    def sinks(self) -> dict[str, ReplySink]:
        return {MESSAGE: self.sink}

    @property
    def progresses(self) -> dict[str, ReplyProgress]:
        return {MESSAGE: self.progress}


def build_teams_delivery(
    parts: ServerParts,
    outbound: TeamsOutbound,
    tasks: Background,
    settings_of: ChannelSettings,
    known: KnownConversations,
    signing: Signing,
    sent_before: SentBefore,
) -> TeamsDelivery:
    answering, events = parts.answering, parts.events
    posted, pseudonyms = SqlPostedMessages(answering.engine), answering.pseudonyms
    poster = TeamsPoster(outbound, parts.posting_pace, events, tasks)
    streams = answering.model is not None
    progress = TeamsProgress(poster, posted, pseudonyms, clock=utc_now, streams=streams)

    async def render(
        question: InboundQuestion,
        answer_id: str,
        outcome: Outcome,
        view: TeamsView,
        *,
        characters: int | None = None,
        begun: str = "",
    ) -> Activity:
        view = replace(view, asks_people=await asks_people(settings_of, question.conversation))
        where = teams_address(question.reply_address).reference.signed_for
        return teams_message(
            question.text,
            answer_id,
            outcome,
            answering.links,
            view,
            sign=lambda fields: signing.signed(fields, where),
            characters=characters or MESSAGE_UNITS,
            begun=begun,
        )

    sink = TeamsReplySink(
        poster=poster,
        progress=progress,
        posted=posted,
        keeping=KeepingPosted(posted, tasks),
        pseudonyms=pseudonyms,
        render=render,
        log=events,
        clock=utc_now,
        closed=Closed(known).forget,
        sent_before=sent_before,
        web_page=parts.config.public_url,
    )
    return TeamsDelivery(poster, posted, sink, progress)


@dataclass(frozen=True, slots=True)
class Closed:
    """Conversations in which the bot cannot speak any more: what was known of them goes."""

    known: KnownConversations

    async def forget(self, address: TeamsAddress) -> None:
        """Nothing depends on it: the next attempt to speak there finds the same."""
        where = address.conversation
        try:
            removed = await self.known.remove(PLATFORM, where.workspace, where.channel)
        except Unavailable as exc:
            _log.warning("closed conversation not forgotten: code=%s", exc.code)
            return
        if removed:
            _log.info("teams conversation closed, and forgotten: workspace=%s", where.workspace)
