"""Shortcuts: check a message against the policies, or ask a question in a form."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.access import SECONDS, said_outside
from adapters.slack.actions.scope_forms import read_scope
from adapters.slack.addresses import SlackAddress
from adapters.slack.client import called
from adapters.slack.gate import refused
from adapters.slack.messages import plain_text
from adapters.slack.parts import SlackParts
from adapters.slack.payloads import installed_in, user_of
from adapters.slack.question_keeping import asked_at, preferences_of
from bot.commands.grammar import Ask
from bot.model.channels import ShownTo
from bot.model.messages import InboundQuestion
from bot.model.visible import shorten
from bot.questions.inbox import is_kept
from bot.render.blocks import Block
from bot.render.slack.question_modal import CHANNEL, QUESTION, loading_modal, note_modal, question_modal
from bot.render.slack.view import SlackModal, SlackShortcut
from bot.wording import slack as wording
from bot.wording.commands import ad_copy_asked
from bot.wording.problems import problem
from rag_core.errors import PolicyBotError, Rejected
from rag_core.understanding.cleaning import clean_question

_MOST_COPY = 1_500
_DIRECT = re.compile(r"[DU][A-Z0-9]{1,30}|W[A-Z0-9]{1,30}")


@dataclass(frozen=True, slots=True)
class Sender:
    """Who used a shortcut or sent a form. `claim_key`: the same for every delivery. `outside`: as in `SlackAddress`."""

    team: str
    user: str
    enterprise: str
    trigger_id: str
    outside: str = ""

    @property
    def claim_key(self) -> str:
        return f"slack:{self.team}:{self.trigger_id}"

    def address(self, channel: str) -> SlackAddress:
        return SlackAddress(self.team, channel, self.user, self.enterprise, outside=self.outside)


def sender(body: Mapping[str, object]) -> Sender:
    """Raises Rejected when something is missing that Slack always sends."""
    team, enterprise, _ = installed_in(body)
    found = Sender(team, user_of(body), enterprise, _text(body.get("trigger_id")), said_outside(body, team))
    for name in ("team", "user", "trigger_id"):
        if not getattr(found, name):
            raise Rejected("slack_field_missing", field=name)
    return found


def copy_to_check(body: Mapping[str, object]) -> Ask | None:
    """Which rules touch the text of the message; None for one without words. Read by today's rules, whatever day the
    copy names."""
    pieces = list(_texts(_mapping(body.get("message"))))
    copy = shorten(" ".join(" ".join(plain_text(each) for each in pieces).split()), _MOST_COPY)
    return Ask(ad_copy_asked(copy), private=True) if any(each.isalnum() for each in copy) else None


def check_address(body: Mapping[str, object], by: Sender) -> SlackAddress:
    """Where the message is, for the eyes of whoever wants it checked. Raises Rejected."""
    channel = _text(_mapping(body.get("channel")).get("id"))
    if not channel:
        raise Rejected("slack_field_missing", field="channel")
    url = _text(body.get("response_url"))
    return replace(by.address(channel), response_url=url, to_asker=True)


@dataclass(frozen=True, slots=True)
class QuestionFilled:
    """`errors`: block_id -> what stands beside the field; with any of them nothing else counts."""

    ask: Ask
    channel: str = ""
    response_url: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)


def read_question(body: Mapping[str, object]) -> QuestionFilled:
    """A submitted question with its scope, and the channel chosen for the answer ("" for none)."""
    view = _mapping(body.get("view"))
    values = _mapping(_mapping(view.get("state")).get("values"))
    scope, errors = read_scope(values), {}
    text = _text(_state(values, QUESTION).get("value"))
    try:
        clean_question(text)
    except Rejected as exc:
        errors[QUESTION] = problem(exc.code, exc.details).detail
    channel = _text(_state(values, CHANNEL).get("selected_conversation"))
    ask = Ask(text, scope.as_of, filters=scope.filters)
    return QuestionFilled(ask, channel, _response_url(body, channel), {**errors, **scope.errors})


def direct_of(body: Mapping[str, object], by: Sender) -> str:
    """The conversation with the bot as it was found when the form was opened; else Slack finds it by the person."""
    noted = _text(_mapping(body.get("view")).get("private_metadata"))
    return noted if _DIRECT.fullmatch(noted) else by.user


def _response_url(body: Mapping[str, object], channel: str) -> str:
    listed = body.get("response_urls")
    for each in listed if isinstance(listed, list) else []:
        if channel and _mapping(each).get("channel_id") == channel:
            return _text(_mapping(each).get("response_url"))
    return ""


def _texts(message: Mapping[str, object]) -> Iterator[str]:
    """What is written in it: of apps, that may be in attachments alone."""
    if text := _text(message.get("text")):
        yield text
        return
    listed = message.get("attachments")
    for each in listed if isinstance(listed, list) else []:
        found = _mapping(each)
        yield from (_text(found.get(name)) for name in ("pretext", "title", "text") if found.get(name))
        if not found.get("text"):
            yield _text(found.get("fallback"))


def _state(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    return _mapping(_mapping(values.get(name)).get(name))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


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
        parts.tasks.start(_note(parts, by, wording.NOTHING_TO_CHECK), "slack nothing to check")
        return
    ask = replace(ask, as_of=parts.clock().date())
    if not await is_kept(parts.accept, asked_at(address, by.claim_key, ask, parts), _KEEP_SECONDS):
        parts.tasks.start(_note(parts, by, wording.CHECK_NOT_KEPT), "slack check not kept")


async def _note(parts: SlackParts, by: Sender, text: str) -> None:
    await _open(parts, by, note_modal(wording.CHECK_TITLE, text))


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
        return note_modal(wording.QUESTION_TITLE, told)
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
    return {} if await is_kept(parts.accept, question, _KEEP_SECONDS) else {QUESTION: wording.NOT_KEPT}


async def _in_channel(parts: SlackParts, by: Sender, channel: str, response_url: str) -> SlackAddress:
    preferences = await preferences_of(parts, by.team, channel)
    to_asker = preferences is None or preferences.shown_to is ShownTo.ASKER
    return replace(by.address(channel), response_url=response_url, to_asker=to_asker)


def _in_private(question: InboundQuestion) -> InboundQuestion:
    """In the conversation of the asker with the bot nobody else reads."""
    return replace(question, private=True)
