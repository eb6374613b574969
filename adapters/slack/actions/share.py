"""Share to channel: a private answer's question, asked again for everybody who reads a channel."""

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.actions.asking import ask_there
from adapters.slack.actions.clicks import Click, view_values
from adapters.slack.actions.finding import found
from adapters.slack.actions.listening import Body, on_click, on_submit
from adapters.slack.actions.telling import open_modal, tell_later
from adapters.slack.addresses import SlackAddress
from adapters.slack.client import called
from adapters.slack.gate import refused
from adapters.slack.parts import SlackParts
from bot.answers.again import question_of, shared
from bot.answers.seen import SeenAnswer
from bot.render.slack.modals import CHANNEL, share_modal
from bot.render.slack.parts import BOT_NAME
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import answers as said
from bot.wording import slack as slack_said
from rag_core.errors import Rejected, Unavailable

_PAGE, _MOST_PAGES = 1_000, 5


class Standing(StrEnum):
    """`READ_ELSEWHERE`: another company reads the channel, or soon will. `UNKNOWN`: it is too large to be read."""

    BOTH_IN = "both_in"
    BOT_MISSING = "bot_missing"
    PERSON_MISSING = "person_missing"
    READ_ELSEWHERE = "read_elsewhere"
    UNKNOWN = "unknown"


_SHARED_FLAGS = ("is_ext_shared", "is_pending_ext_shared")


async def standing(client: AsyncWebClient, channel: str, person: str) -> Standing:
    """Raises Unavailable, Rejected."""
    if not channel:
        return Standing.UNKNOWN
    try:
        found = (await called(client.conversations_info(channel=channel))).get("channel")
        if not isinstance(found, dict) or found.get("is_member") is not True:
            return Standing.BOT_MISSING
        if any(found.get(each) for each in _SHARED_FLAGS):
            return Standing.READ_ELSEWHERE
        return await _person_in(client, channel, person)
    except Rejected as exc:
        if exc.code == "slack_not_in_channel":
            return Standing.BOT_MISSING
        raise


async def _person_in(client: AsyncWebClient, channel: str, person: str) -> Standing:
    cursor = ""
    for _ in range(_MOST_PAGES):
        page = await called(client.conversations_members(channel=channel, limit=_PAGE, cursor=cursor))
        if person in page.get("members", ()):
            return Standing.BOTH_IN
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return Standing.PERSON_MISSING
    return Standing.UNKNOWN


_LOOK_SECONDS = 0.6
"""Slack waits 3 s for what becomes of a form."""

_SENTENCES = {
    Standing.BOT_MISSING: slack_said.bot_not_in_channel(BOT_NAME),
    Standing.PERSON_MISSING: said.NOT_YOUR_CHANNEL,
    Standing.READ_ELSEWHERE: said.CHANNEL_READ_ELSEWHERE,
    Standing.UNKNOWN: slack_said.CHANNEL_NOT_CHECKED,
}


def add_share(bolt: AsyncApp, parts: SlackParts) -> None:
    if (ports := parts.answers) is None:
        return

    async def show(click: Click, seen: SeenAnswer) -> None:
        channel = "" if click.channel.startswith("D") else click.channel
        await open_modal(parts, click, share_modal(question_of(seen), channel, click.as_metadata(click.value)))

    async def take(click: Click) -> None:
        seen = await found(parts, ports, click, click.value)
        if seen is not None and not seen.is_own:
            tell_later(parts, click, said.ANSWER_UNREADABLE)
        elif seen is not None:
            parts.tasks.start(show(click, seen), "slack.share")

    async def submit(click: Click, body: Body) -> Mapping[str, str]:
        channel = _channel(view_values(body))
        seen = await found(parts, ports, click, click.value)
        if seen is None:
            return {}
        if refused := await _refused(parts, click, channel):
            return {CHANNEL: refused}
        told = await _shared(parts, click, seen, channel) if seen.is_own else said.ANSWER_UNREADABLE
        if told:
            tell_later(parts, click, told)
        return {}

    on_click(bolt, parts, str(SlackAction.SHARE), take)
    on_submit(bolt, parts, str(SlackModal.SHARE), submit)


async def _refused(parts: SlackParts, click: Click, channel: str) -> str:
    """Why it cannot be shared there; "" if it can. Who may ask here need not be one who may ask there."""
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            client = await parts.clients.of(click.team, click.enterprise)
            stands, told = await asyncio.gather(
                standing(client, channel, click.user),
                refused(
                    parts, click.team, channel, click.user, enterprise=click.enterprise, outside=click.outside,
                    seconds=_LOOK_SECONDS / 2,
                ),
            )  # fmt: skip
            return told or _SENTENCES.get(stands, "")
    except (Unavailable, Rejected, TimeoutError):
        return slack_said.CHANNEL_NOT_CHECKED


async def _shared(parts: SlackParts, click: Click, seen: SeenAnswer, channel: str) -> str:
    """Asks again, once for each channel; what the person is told."""
    address = SlackAddress(
        team=click.team,
        channel=channel,
        user=click.user,
        enterprise=click.enterprise,
        shared_by=click.user,
        outside=click.outside,
        shared_chunks=" ".join(seen.cited),
    )
    try:
        return "" if await ask_there(parts, click, address, shared(seen, channel)) else said.ALREADY_SHARED
    except Rejected:
        return said.ANSWER_UNREADABLE
    except (Unavailable, TimeoutError):
        return said.NOT_TAKEN


def _channel(values: Mapping[str, Any]) -> str:
    block = values.get(CHANNEL)
    state = block.get(CHANNEL) if isinstance(block, Mapping) else None
    found = state.get("selected_conversation") if isinstance(state, Mapping) else None
    return found if isinstance(found, str) else ""
