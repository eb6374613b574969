"""The button under an alert, which ends what the alert was sent for."""

from collections.abc import Mapping
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.access import said_outside
from adapters.slack.client import called
from adapters.slack.commands import told
from adapters.slack.gate import refused
from adapters.slack.parts import SlackParts
from adapters.slack.payloads import installed_in
from bot.alerts.subscribing import SubscriptionSaid
from bot.model.messages import Actor
from bot.render.slack.view import SlackAction


def add_unsubscribe(bolt: AsyncApp, parts: SlackParts) -> None:
    """The button ends the subscriptions it was shown for, of the channel in which it is clicked."""

    async def stop(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        clicked = _clicked(body)
        if clicked is None or parts.subscribing is None:
            return BoltResponse(status=400)
        actor, channel, ids = clicked
        (team, enterprise, _), user = installed_in(body), actor.person
        outside = said_outside(body, team)
        if why := await refused(parts, team, channel, user, enterprise=enterprise, outside=outside):
            parts.tasks.start(_tell_user(parts, actor, channel, SubscriptionSaid((why,))), "unsubscribe")
            return await ack()
        found = await parts.subscribing.stop(actor, channel, ids)
        tell = _tell_channel if found.is_public else _tell_user
        parts.tasks.start(tell(parts, actor, channel, found), "unsubscribe")
        return await ack()

    bolt.action(SlackAction.UNSUBSCRIBE.value)(stop)


def _clicked(body: Mapping[str, Any]) -> tuple[Actor, str, tuple[str, ...]] | None:
    """Who clicked, where, and which subscriptions; None for what Slack does not send."""
    try:
        team, user, channel = installed_in(body)[0], body["user"]["id"], body["channel"]["id"]
        [action] = body["actions"]
        value = action["value"]
    except (KeyError, TypeError, ValueError):
        return None
    if not all(isinstance(each, str) and each for each in (team, user, channel, value)):
        return None
    ids = tuple(each for each in value.split(",") if each)
    return (Actor("slack", team, user), channel, ids) if ids else None


async def _tell_channel(parts: SlackParts, actor: Actor, channel: str, found: SubscriptionSaid) -> None:
    client = await parts.clients.of(actor.workspace)
    await called(client.chat_postMessage(channel=channel, unfurl_links=False, unfurl_media=False, **told(found)))


async def _tell_user(parts: SlackParts, actor: Actor, channel: str, found: SubscriptionSaid) -> None:
    client: AsyncWebClient = await parts.clients.of(actor.workspace)
    await called(client.chat_postEphemeral(channel=channel, user=actor.person, **told(found)))
