"""Shortcuts: a message is checked against the policies, and a question is asked with its scope in a modal."""

from dataclasses import replace

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.addresses import SlackAddress
from adapters.slack.audience import SECONDS
from adapters.slack.gate import refused
from adapters.slack.keeping import asked_at, preferences_of
from adapters.slack.parts import SlackParts
from adapters.slack.shortcut_forms import Sender, check_address, copy_to_check, direct_of, read_question, sender
from adapters.slack.web_api import called
from bot.model.channels import ShownTo
from bot.model.messages import InboundQuestion
from bot.questions.inbox import is_kept
from bot.render.blocks import Block
from bot.render.slack.question_modal import QUESTION, loading_modal, note_modal, question_modal
from bot.render.slack.view import SlackModal, SlackShortcut
from bot.wording import slack as wording
from rag_core.errors import PolicyBotError, Rejected

_KEEP_SECONDS = 2.2


def add_shortcuts(bolt: AsyncApp, parts: SlackParts) -> None:
    async def check(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        try:
            await _check(parts, body)
        except Rejected:
            return BoltResponse(status=400)
        return await ack()

    async def ask(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        try:
            parts.tasks.start(_open_form(parts, sender(body)), "slack question form")
        except Rejected:
            return BoltResponse(status=400)
        return await ack()

    async def submit(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        try:
            errors = await _submitted(parts, body)
        except Rejected:
            return BoltResponse(status=400)
        return await ack(response_action="errors", errors=errors) if errors else await ack()

    bolt.message_shortcut(SlackShortcut.CHECK_MESSAGE.value)(check)
    bolt.global_shortcut(SlackShortcut.ASK.value)(ask)
    bolt.view(SlackModal.QUESTION.value)(submit)


async def _check(parts: SlackParts, body: dict[str, object]) -> None:
    """Raises Rejected for what Slack does not send."""
    by = sender(body)
    ask, address = copy_to_check(body), check_address(body, by)
    if ask is None:
        parts.tasks.start(_note(parts, by, wording.nothing_to_check()), "slack nothing to check")
        return
    ask = replace(ask, as_of=parts.clock().date())
    if not await is_kept(parts.accept, asked_at(address, by.claim_key, ask, parts), _KEEP_SECONDS):
        parts.tasks.start(_note(parts, by, wording.check_not_kept()), "slack check not kept")


async def _note(parts: SlackParts, by: Sender, text: str) -> None:
    await _open(parts, by, note_modal(wording.check_title(), text))


async def _open(parts: SlackParts, by: Sender, view: Block) -> str:
    client = await parts.clients.of(by.team, by.enterprise)
    opened = await called(client.views_open(trigger_id=by.trigger_id, view=view))
    return str(opened["view"]["id"])


async def _open_form(parts: SlackParts, by: Sender) -> None:
    """At once, then filled with what has to be looked up: a `trigger_id` lives 3 s."""
    view_id = await _open(parts, by, loading_modal())
    form = await _form(parts, by)
    client = await parts.clients.of(by.team, by.enterprise)
    await called(client.views_update(view_id=view_id, view=form))


async def _form(parts: SlackParts, by: Sender) -> Block:
    told = await refused(parts, by.team, "", by.user, enterprise=by.enterprise, outside=by.outside, seconds=SECONDS)
    if told:
        return note_modal(wording.question_title(), told)
    return question_modal(await parts.sources(), await _direct(parts, by))


async def _direct(parts: SlackParts, by: Sender) -> str:
    """The conversation of the asker with the bot; who asks, where Slack does not tell it now."""
    try:
        client = await parts.clients.of(by.team, by.enterprise)
        opened = await called(client.conversations_open(users=by.user))
    except PolicyBotError:
        return by.user
    channel = opened.get("channel")
    return str(channel.get("id") or by.user) if isinstance(channel, dict) else by.user


async def _submitted(parts: SlackParts, body: dict[str, object]) -> dict[str, str]:
    """What is wrong with the form, by field; nothing if the question is kept. Raises Rejected."""
    by, filled = sender(body), read_question(body)
    if filled.errors:
        return dict(filled.errors)
    if filled.channel:
        address = await _in_channel(parts, by, filled.channel, filled.response_url)
        question = asked_at(address, by.claim_key, filled.ask, parts)
    else:
        question = _in_private(asked_at(by.address(direct_of(body, by)), by.claim_key, filled.ask, parts))
    return {} if await is_kept(parts.accept, question, _KEEP_SECONDS) else {QUESTION: wording.not_kept()}


async def _in_channel(parts: SlackParts, by: Sender, channel: str, response_url: str) -> SlackAddress:
    preferences = await preferences_of(parts, by.team, channel)
    to_asker = preferences is None or preferences.shown_to is ShownTo.ASKER
    return replace(by.address(channel), response_url=response_url, to_asker=to_asker)


def _in_private(question: InboundQuestion) -> InboundQuestion:
    """In the conversation of the asker with the bot nobody else reads."""
    return replace(question, private=True)
