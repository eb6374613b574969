"""How replies get to Slack, put together."""

from dataclasses import dataclass, replace

import aiohttp

from adapters.slack.addresses import MESSAGE
from adapters.slack.client import SlackClients
from adapters.slack.commands import RESPONSE_URL
from adapters.slack.delivery.posting import SlackPoster
from adapters.slack.delivery.progress import SlackProgress
from adapters.slack.delivery.replies import AskerRoads, SlackMessageSink, Withdrawing
from adapters.slack.delivery.slash_replies import ResponseUrlPosts, SlackReplySink
from adapters.slack.settings import SlackSettings
from adapters.sql.chat.posted import SqlPostedMessages
from bot.model.channels import ChannelSettings, asks_people
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome
from bot.model.posted import PostedMessages
from bot.model.tasks import Background
from bot.ports import ReplyProgress, ReplySink
from bot.render.slack.message import slack_message
from bot.render.slack.view import SlackView
from ops.parts import ServerParts, utc_now


@dataclass(frozen=True, slots=True)
class SlackDelivery:
    """`poster` paces whatever is posted in Slack; `progress` is closed by the builder."""

    poster: SlackPoster
    posted: PostedMessages
    sinks: dict[str, ReplySink]
    progress: SlackProgress
    withdrawing: Withdrawing

    @property
    def progresses(self) -> dict[str, ReplyProgress]:
        return {MESSAGE: self.progress}


def build_delivery(
    parts: ServerParts,
    session: aiohttp.ClientSession,
    settings: SlackSettings,
    clients: SlackClients,
    tasks: Background,
    settings_of: ChannelSettings,
) -> SlackDelivery:
    answering, events = parts.answering, parts.events
    posted, pseudonyms = SqlPostedMessages(answering.engine), answering.pseudonyms
    poster = SlackPoster(parts.posting_pace, events)
    streams = answering.model is not None
    progress = SlackProgress(clients, poster, posted, pseudonyms, clock=utc_now, streams=streams)

    def render(question: InboundQuestion, answer_id: str, outcome: Outcome) -> dict[str, object]:
        return slack_message(question.text, answer_id, outcome, answering.links)

    async def render_view(
        question: InboundQuestion, answer_id: str, outcome: Outcome, view: SlackView
    ) -> dict[str, object]:
        view = replace(view, asks_people=await asks_people(settings_of, question.conversation))
        return slack_message(question.text, answer_id, outcome, answering.links, view)

    messages = SlackMessageSink(
        clients=clients,
        poster=poster,
        roads=AskerRoads.on(clients, ResponseUrlPosts(session, settings.api_url), utc_now),
        progress=progress,
        posted=posted,
        pseudonyms=pseudonyms,
        render=render_view,
        log=events,
        tasks=tasks,
        clock=utc_now,
    )
    sinks: dict[str, ReplySink] = {RESPONSE_URL: SlackReplySink(session, settings, render), MESSAGE: messages}
    return SlackDelivery(poster, posted, sinks, progress, Withdrawing(clients, posted, pseudonyms))
