"""App Home: made anew whenever somebody opens it, and a click on a question asks it in the direct message."""

import asyncio
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack.access import LookupsOf, said_outside
from adapters.slack.addresses import SlackAddress
from adapters.slack.client import called
from adapters.slack.directory import SlackLookups
from adapters.slack.parts import ChannelPorts, SlackParts
from adapters.slack.payloads import enterprise_of, installed_in, team_of, user_of
from adapters.slack.question_keeping import ACCEPT_SECONDS
from bot.model.messages import Actor, InboundQuestion
from bot.model.outcomes import Admitted
from bot.render.blocks import sections
from bot.render.mrkdwn import escape
from bot.render.slack.home import closed_home, home_view
from bot.render.slack.modal_parts import modal
from bot.render.slack.view import SlackAction
from bot.wording import home as words
from bot.wording import why_not
from rag_core.errors import Rejected, Unavailable

OPEN_SECONDS = 1.0
"""Of the time for an acknowledgement, what finding the direct message may take."""

_MOST_CHANNELS = 20
"""Of which it is looked up whether somebody is in them."""


def add_home(bolt: AsyncApp, parts: SlackParts) -> None:
    ports = parts.channels
    if ports is None:
        return

    async def opened(ack: AsyncAck, body: dict[str, Any], event: dict[str, Any]) -> None:
        await ack()
        user = event.get("user")
        if event.get("tab") == "home" and isinstance(user, str):
            team, enterprise, _ = installed_in(body)
            outside = said_outside(body, team)
            parts.tasks.start(publish_home(parts, ports, Actor("slack", team, user), enterprise, outside), "home")

    async def ask(ack: AsyncAck, body: dict[str, Any]) -> None:
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                question = await _question(parts, body)
                if question is not None:
                    await parts.accept(question)
        except (Unavailable, TimeoutError):
            parts.tasks.start(_say_not_taken(parts, body), "home: not accepted")
        await ack()

    bolt.event("app_home_opened")(opened)
    bolt.action(SlackAction.ASK_STARTER)(ask)


async def publish_home(
    parts: SlackParts, ports: ChannelPorts, actor: Actor, enterprise: str = "", outside: str = ""
) -> None:
    """Raises Unavailable, Rejected."""
    client = await parts.clients.of(actor.workspace, enterprise)
    admitted = await ports.admits(actor.workspace, "", actor.person, enterprise=enterprise, outside=outside)
    if admitted.is_refused:
        view = closed_home(why_not(admitted))
    else:
        home = await ports.home.read(actor, public_only=admitted is Admitted.PUBLIC_ONLY)
        view = home_view(home, await _names(ports))
    await called(client.views_publish(user_id=actor.person, view=view))


class InSlackChannels:
    """`bot.commands.home.InChannels`, by the lists of members, which are kept for a while."""

    def __init__(self, lookups_of: LookupsOf) -> None:
        self._lookups_of = lookups_of

    async def __call__(self, actor: Actor, channels: frozenset[str]) -> frozenset[str]:
        lookups: SlackLookups = self._lookups_of(actor.workspace)
        listed = sorted(channels)[:_MOST_CHANNELS]
        members = await asyncio.gather(*(lookups.channel(each) for each in listed))
        return frozenset(each for each, people in zip(listed, members, strict=True) if actor.person in people)


async def _question(parts: SlackParts, body: dict[str, Any]) -> InboundQuestion | None:
    """What was clicked, to be answered in the direct message that the person has with the bot."""
    team, user, enterprise = team_of(body), user_of(body), enterprise_of(body)
    actions = body.get("actions")
    text = actions[0].get("value") if isinstance(actions, list) and actions else None
    trigger = body.get("trigger_id")
    if not (team and user and isinstance(text, str) and text.strip() and isinstance(trigger, str)):
        return None
    direct = await _direct(parts, team, user, enterprise)
    address = SlackAddress(team, direct, user, enterprise, outside=said_outside(body, team))
    return InboundQuestion(
        question_id=parts.new_id(),
        claim_key=f"slack:{team}:{trigger}",
        actor=Actor("slack", team, user),
        conversation=address.conversation,
        text=text,
        reply_address=address.as_reply_address(),
        received_at=parts.clock(),
        private=True,  # nobody else reads a person's direct message with the bot
    )


async def _say_not_taken(parts: SlackParts, body: dict[str, Any]) -> None:
    """In a modal: nothing else can be said to somebody who clicks in the home tab."""
    client = await parts.clients.of(team_of(body), enterprise_of(body))
    view = modal("", words.NOT_TAKEN_TITLE, sections([escape(words.NOT_TAKEN)]))
    await called(client.views_open(trigger_id=str(body.get("trigger_id") or ""), view=view))


async def _direct(parts: SlackParts, team: str, user: str, enterprise: str) -> str:
    """The direct message; while Slack does not say which, the person, to whom messages can be posted as well."""
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            client = await parts.clients.of(team, enterprise)
            answer = await called(client.conversations_open(users=user))
    except (Unavailable, Rejected, TimeoutError):
        return user
    found = answer.get("channel")
    channel = found.get("id") if isinstance(found, dict) else None
    return channel if isinstance(channel, str) and channel else user


async def _names(ports: ChannelPorts) -> dict[str, str]:
    try:
        return dict(await ports.platforms())
    except Unavailable:
        return {}
