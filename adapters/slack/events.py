"""Message events and uninstallation: which messages ask the bot, and what an edit changes."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.client import called
from adapters.slack.command_listener import CommandCall, only_to_asker, run_command
from adapters.slack.messages import Deleted, Edited, SlackMessage, happened
from adapters.slack.parts import SlackParts
from adapters.slack.payloads import APP_UNINSTALLED, TOKENS_REVOKED, Departure, departure, installed_in
from adapters.slack.people import taken_by_escalation
from adapters.slack.question_keeping import ACCEPT_SECONDS, asked_in_message, hearing_of
from bot.commands.grammar import Ask, Command, ShowHelp, command_name, parse
from bot.questions.inbox import is_kept
from bot.questions.threads import EDIT_SECONDS
from bot.render.blocks import Block
from bot.wording.commands import HELP_ASKED, MESSAGE_NOT_KEPT, failed_command
from bot.wording.slack import slack_problem
from rag_core.errors import Rejected, Unavailable

_TAKE_SECONDS = 2.5
"""For all that is done before Slack is acknowledged, together."""

_KEEP_SECONDS = 2.3
_RUN_SECONDS = 2.2


def add_messages(bolt: AsyncApp, parts: SlackParts) -> None:
    async def take(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        try:  # Bolt gives an event to the first listener only
            async with asyncio.timeout(_TAKE_SECONDS):
                if not await _for_people(parts, body):
                    await take_event(parts, body)
        except (TimeoutError, Unavailable):  # nobody was told, so it would be lost: Slack delivers it again
            return BoltResponse(status=503)
        return await ack()

    bolt.event("app_mention")(take)
    bolt.event("message")(take)


async def _for_people(parts: SlackParts, body: dict[str, object]) -> bool:
    """Whether it is said where people are asked, and so is no question to the bot. That is in no direct message."""
    event = body.get("event")
    if not isinstance(event, dict) or event.get("type") != "message" or event.get("channel_type") == "im":
        return False
    team, _, bot_user = installed_in(body)
    return await taken_by_escalation(parts, event, team, bot_user)


async def take_event(parts: SlackParts, body: dict[str, object]) -> None:
    """Keeps what is asked. Raises Unavailable."""
    match happened(body):
        case SlackMessage() as message:
            await _posted(parts, message)
        case Edited(new, old):
            await _edited(parts, new, old)
        case Deleted(old):
            await _deleted(parts, old)


async def _posted(parts: SlackParts, message: SlackMessage) -> None:
    if await _asks_bot(parts, message):
        await _asked(parts, message)


async def _asks_bot(parts: SlackParts, message: SlackMessage) -> bool:
    today = parts.clock().date()
    where, is_direct, is_reply = message.conversation, message.is_direct, message.is_reply
    return await hearing_of(parts).is_asked(message.said, where, today, is_direct=is_direct, is_reply=is_reply)


async def _asked(parts: SlackParts, message: SlackMessage) -> None:
    try:
        command = parse(message.said.text, parts.clock().date())
    except Rejected as exc:
        await _tell(parts, message, slack_problem(exc.code, exc.details))
        return
    if isinstance(command, ShowHelp):
        command = Ask(HELP_ASKED)
    if isinstance(command, Ask):
        await _keep(parts, message, command)
    elif message.is_direct or message.said.mentions_bot:
        await _run(parts, message, command)


async def _keep(parts: SlackParts, message: SlackMessage, ask: Ask, *, edits: bool = False) -> bool:
    if not await is_kept(parts.accept, asked_in_message(message, ask, parts, edits=edits), _KEEP_SECONDS):
        await _tell(parts, message, MESSAGE_NOT_KEPT)
        return False
    if parts.threads is not None and not message.is_direct and not ask.private:
        await parts.threads.enter(message.conversation)
    return True


async def _run(parts: SlackParts, message: SlackMessage, command: Command) -> None:
    """What is no question, but to be done."""
    if not await is_first_time(parts, message.claim_key):
        return
    call = CommandCall(
        command,
        message.team,
        message.channel,
        message.user,
        message.enterprise,
        message.thread_ts,
        outside=message.outside,
    )
    try:
        async with asyncio.timeout(_RUN_SECONDS):
            told = await run_command(parts, call)
    except (Unavailable, TimeoutError):
        told = only_to_asker(failed_command(command_name(command)))
    except Rejected as exc:
        told = only_to_asker(slack_problem(exc.code, exc.details))
    if told:
        parts.tasks.start(tell_there(parts, message, told), "slack command told")


async def _tell(parts: SlackParts, message: SlackMessage, text: str) -> None:
    async def once() -> None:
        if await is_first_time(parts, message.edit_key):
            await tell_writer(parts, message, text)

    parts.tasks.start(once(), "slack writer told")


async def _edited(parts: SlackParts, new: SlackMessage, old: SlackMessage) -> None:
    """A question that says something else is asked again, and what was answered is replaced. A message that becomes a
    question by it is one like any other. Previews of links are edits, too, and change nothing."""
    if new.said == old.said or not _is_recent(parts, new) or not await _asks_bot(parts, new):
        return
    if not await _asks_bot(parts, old):
        await _asked(parts, new)
        return
    try:
        command = parse(new.said.text, parts.clock().date())
    except Rejected as exc:
        await _tell(parts, new, slack_problem(exc.code, exc.details))
        return
    # kept first: what it said before is dropped only when what it says now cannot be lost any more
    if isinstance(command, Ask) and await _keep(parts, new, command, edits=True):
        await _withdraw(parts, old)


def _is_recent(parts: SlackParts, message: SlackMessage) -> bool:
    changed = float(message.edited) if message.edited else parts.clock().timestamp()
    return changed - float(message.ts) <= EDIT_SECONDS


async def _deleted(parts: SlackParts, old: SlackMessage) -> None:
    """What was asked by it is not answered any more; an answer that is there goes, if nobody goes on with it."""
    if not await _asks_bot(parts, old):
        return
    waited = await _withdraw(parts, old)
    if not waited:
        parts.tasks.start(_remove(parts, old), "slack answer removed")


async def _remove(parts: SlackParts, old: SlackMessage) -> None:
    await parts.withdraw(old.team, old.channel, old.ts, old.enterprise)


async def _withdraw(parts: SlackParts, old: SlackMessage) -> bool:
    """Whether its last wording still waited; none of its wordings is answered any more, whenever it comes."""
    if parts.withdrawals is None:
        return False
    waited = [await parts.withdrawals.withdraw(key) for key in dict.fromkeys((old.claim_key, old.edit_key))]
    return waited[-1]


def add_uninstalling(bolt: AsyncApp, parts: SlackParts) -> None:
    """The two events come in any order, twice, and late: each does all that is to be done, if it is so now."""

    async def take(body: dict[str, Any]) -> BoltResponse:
        gone = departure(body)
        if gone is None or not gone.place:
            return BoltResponse(status=200)
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                for workspace in await _ended(parts, gone):
                    for forget in parts.on_uninstalled:
                        await forget(workspace)
        except (Unavailable, TimeoutError):
            return BoltResponse(status=503)  # Slack tells it again
        return BoltResponse(status=200)

    bolt.event(APP_UNINSTALLED)(take)
    bolt.event(TOKENS_REVOKED)(take)


async def _ended(parts: SlackParts, gone: Departure) -> tuple[str, ...]:
    if parts.ended is not None:
        return await parts.ended(gone)
    client = await parts.clients.of(gone.team, gone.enterprise)
    try:
        await called(client.auth_test())
    except Rejected as exc:
        return (gone.place,) if exc.code == "slack_not_installed" else ()
    return ()  # it came late: the app was installed again


async def tell_writer(
    parts: SlackParts, message: SlackMessage, text: str, blocks: Sequence[Block] | None = None
) -> None:
    """Beside a message, for whoever wrote it alone; `text` is mrkdwn. Raises as `called`."""
    client = await parts.clients.of(message.team, message.enterprise)
    said: dict[str, Any] = {"channel": message.channel, "text": text, "blocks": blocks}
    thread = message.thread if message.is_reply or message.is_direct else None
    if message.is_direct:
        await called(client.chat_postMessage(**said, unfurl_links=False, unfurl_media=False, thread_ts=thread))
        return
    await called(client.chat_postEphemeral(**said, user=message.user, thread_ts=thread))


async def tell_there(parts: SlackParts, message: SlackMessage, told: Mapping[str, Any]) -> None:
    """What came of a command that was written as a message: for its writer alone, or for everybody there. Raises as
    `called`."""
    if told.get("response_type") != "in_channel" or message.is_direct:
        await tell_writer(parts, message, str(told.get("text", "")), told.get("blocks"))
        return
    client = await parts.clients.of(message.team, message.enterprise)
    await called(
        client.chat_postMessage(
            channel=message.channel,
            text=told.get("text"),
            blocks=told.get("blocks"),
            thread_ts=message.thread,
            unfurl_links=False,
            unfurl_media=False,
        )
    )


async def is_first_time(parts: SlackParts, what: str) -> bool:
    """False for what was told already, to be told once however often it is delivered."""
    return parts.claims is None or await parts.claims.claim(f"slack-told:{what}")
