"""Questions handed to people in Slack, their answers, and answers made approved ones."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Mapping
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.access import said_outside
from adapters.slack.client import called
from adapters.slack.gate import GATE_SECONDS, admitted, refused
from adapters.slack.messages import as_written
from adapters.slack.parts import SlackParts
from adapters.slack.payloads import actor_of, installed_in, user_of
from adapters.slack.question_keeping import ACCEPT_SECONDS
from bot.model.messages import Actor
from bot.model.outcomes import Admitted
from bot.people.answers import PeoplePorts, begun_by
from bot.people.curation import Saved
from bot.people.escalations import AskedPlace, Escalation
from bot.people.forms import save_filled_in, to_be_saved
from bot.render.slack import escalation as fields
from bot.render.slack.escalation import NOTE, ask_modal, curated_modal, person, said_modal
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import people as say
from rag_core.errors import Rejected, Unavailable

_log = logging.getLogger(__name__)
Body = Mapping[str, Any]

_CLAIM_SECONDS = ACCEPT_SECONDS - GATE_SECONDS


def add_escalations(bolt: AsyncApp, parts: SlackParts) -> None:
    people = parts.people
    if people is None:
        return

    async def ask(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        parts.tasks.start(_open_note(parts, body), "ask a person")
        return await ack()

    async def submit(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        return await _kept(ack, _asked(parts, people, body))

    async def claim(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        channel, escalation_id = str(body["channel"]["id"]), str(body["actions"][0]["value"])
        if told := await turned_away(parts, body, channel):
            parts.tasks.start(_tell(parts, body, told), "claim refused")
            return await ack()
        try:
            async with asyncio.timeout(_CLAIM_SECONDS):
                found, mine = await people.asking.claim(actor_of(body), escalation_id, channel)
        except Rejected as exc:
            parts.tasks.start(_tell(parts, body, say.refusal(exc.code)), "claim refused")
        except (Unavailable, TimeoutError):
            parts.tasks.start(_tell(parts, body, say.NOT_TAKEN), "claim not taken")
        else:
            if not mine:
                who = person(found.claim.named) if found.claim else ""
                parts.tasks.start(_tell(parts, body, say.claimed_already(who)), "claimed already")
            parts.tasks.start(_show(parts, people, found, channel, str(body["message"]["ts"])), "show claim")
        return await ack()

    bolt.action(SlackAction.ASK_PERSON.value)(ask)
    bolt.view(SlackModal.ASK_PERSON.value)(submit)
    bolt.action(SlackAction.CLAIM.value)(claim)


async def taken_by_escalation(parts: SlackParts, event: Body, team: str, bot_user: str = "") -> bool:
    """Whether a message stands in the thread of an escalation, and so is no question to the bot; then it is kept for
    the asker, if it is an answer. `team`: the workspace that the event is for; `bot_user`: the bot's own id there, so
    that a mention of it stays a question.

    Raises Unavailable: it was not kept, and Slack should deliver it again.
    """
    people, thread = parts.people, str(event.get("thread_ts") or "")
    channel, ts, user = (str(event.get(name) or "") for name in ("channel", "ts", "user"))
    text = str(event.get("text") or "")
    if people is None or not thread or thread == ts or not _is_said_by_person(event):
        return False
    if bot_user and f"<@{bot_user}>" in text:
        return False
    found = await begun_by(people, "slack", team, channel, thread)
    if found is None:
        return False
    if await _is_stranger(parts, event, team, channel, user):
        return True  # what he writes goes nowhere
    actor = Actor("slack", team, user)
    try:
        is_answer = await people.asking.reply(actor, found.escalation_id, channel, ts, as_written(text))
    except Rejected:  # forgotten in this moment
        return True
    if is_answer:
        parts.tasks.start(_show(parts, people, found, channel, thread), "show answered")
    return True


async def _is_stranger(parts: SlackParts, event: Body, team: str, channel: str, user: str) -> bool:
    """Whether somebody is of another company. On an Enterprise Grid he may be at home in another workspace and be one
    of this one's members all the same: that Slack says."""
    outside = said_outside({"event": event}, team)
    if not outside:
        return False
    return await admitted(parts, team, channel, user, outside=outside) is not Admitted.ALLOWED


def _is_said_by_person(event: Body) -> bool:
    """No bot's, no edit, no deletion, nothing that Slack says by itself."""
    subtype = event.get("subtype")
    return bool(event.get("user")) and not event.get("bot_id") and subtype in (None, "", "file_share")


async def _asked(parts: SlackParts, people: PeoplePorts, body: Body) -> str:
    """What is said of it: it is on its way, or why he may not. Raises Rejected, Unavailable."""
    told = json.loads(str(body["view"]["private_metadata"]))
    if refusal := await turned_away(parts, body, str(told["channel"])):
        return refusal
    fields = body["view"]["state"]["values"]
    actor = actor_of(body)
    place = AskedPlace(
        "slack", actor.workspace, str(told["channel"]), actor.person, str(told["thread"]), private=bool(told["private"])
    )
    await people.asking.ask(actor, str(told["answer"]), place, str(fields[NOTE][NOTE].get("value") or ""))
    return say.ASKED_PEOPLE


async def turned_away(parts: SlackParts, body: Body, channel: str) -> str:
    """Why the external rule refuses who clicks or submits; "" where it does not."""
    team, enterprise, _ = installed_in(body)
    return await refused(parts, team, channel, user_of(body), enterprise=enterprise, outside=said_outside(body, team))


async def _kept(ack: AsyncAck, work: Awaitable[str]) -> BoltResponse:
    """Acknowledged after it is kept; what went wrong is said in the modal, where nothing typed is lost."""
    try:
        async with asyncio.timeout(ACCEPT_SECONDS):
            said = await work
    except Rejected as exc:
        return await ack(response_action="update", view=said_modal(say.ASK_TITLE, say.refusal(exc.code)))
    except (Unavailable, TimeoutError):
        return await ack(response_action="errors", errors={NOTE: say.NOT_TAKEN})
    return await ack(response_action="update", view=said_modal(say.ASK_TITLE, said))


async def _open_note(parts: SlackParts, body: Body) -> None:
    """At once: a `trigger_id` lives for 3 s. What comes back is the answer's id and where it stands."""
    if told := await turned_away(parts, body, str(body["channel"]["id"])):
        await _tell(parts, body, told)
        return
    container, message = body.get("container") or {}, body.get("message") or {}
    ts = str(message.get("ts") or container.get("message_ts") or "")
    metadata = {
        "answer": str(body["actions"][0]["value"]),
        "channel": str(body["channel"]["id"]),
        "thread": str(message.get("thread_ts") or container.get("thread_ts") or ts),
        "private": bool(container.get("is_ephemeral")),
    }
    client = await parts.clients.of(*workspace_of(body))
    await called(client.views_open(trigger_id=str(body["trigger_id"]), view=ask_modal(metadata)))


async def _show(parts: SlackParts, people: PeoplePorts, escalation: Escalation, channel: str, ts: str) -> None:
    """The escalation's message as it is now."""
    now = await people.escalations.of(escalation.escalation_id)
    if now is None:
        return
    message = dict(await people.messages.asked(now))
    for name in ("unfurl_links", "unfurl_media"):
        message.pop(name, None)  # no arguments of chat.update
    client = await parts.clients.of(now.place.workspace)
    await called(client.chat_update(channel=channel, ts=ts, **message))  # type: ignore[arg-type]


async def _tell(parts: SlackParts, body: Body, text: str) -> None:
    """For the one who clicked alone."""
    client = await parts.clients.of(*workspace_of(body))
    await called(client.chat_postEphemeral(channel=str(body["channel"]["id"]), user=str(body["user"]["id"]), text=text))


def workspace_of(body: Body) -> tuple[str, str]:
    team, enterprise, _ = installed_in(body)
    return team, enterprise


_ADMIN_SECONDS = 1.0
"""Of the time until Slack must be answered; who is not known to be an admin by then saves a draft."""


def add_saving_curated(bolt: AsyncApp, parts: SlackParts) -> None:
    people = parts.people
    if people is None:
        return

    async def save(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        parts.tasks.start(_open(parts, people, body), "save an answer")
        return await ack()

    async def submit(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                said = await _saved(parts, people, body)
        except Rejected as exc:
            return await ack(response_action="errors", errors={fields.SOURCES: say.refusal(exc.code)})
        except (Unavailable, TimeoutError):
            return await ack(response_action="errors", errors={fields.SOURCES: say.NOT_TAKEN})
        return await ack(response_action="update", view=said_modal(say.SAVE_TITLE, said))

    bolt.action(SlackAction.SAVE_CURATED.value)(save)
    bolt.view(SlackModal.CURATED.value)(submit)


async def _open(parts: SlackParts, people: PeoplePorts, body: Body) -> None:
    """A view at once, since a `trigger_id` lives for 3 s; what is in it when it was looked up."""
    client = await parts.clients.of(*workspace_of(body))
    loading = said_modal(say.SAVE_TITLE, say.LOADING)
    opened = await called(client.views_open(trigger_id=str(body["trigger_id"]), view=loading))
    view = await _view(parts, people, body, str(body["actions"][0]["value"]))
    await called(client.views_update(view_id=str(opened["view"]["id"]), view=view))


async def _view(parts: SlackParts, people: PeoplePorts, body: Body, escalation_id: str) -> dict[str, object]:
    if told := await turned_away(parts, body, ""):
        return said_modal(say.SAVE_TITLE, told)
    actor = actor_of(body)
    found = await to_be_saved(people, actor, escalation_id, lambda: _is_admin(parts, body, actor))
    if isinstance(found, str):
        return said_modal(say.SAVE_TITLE, found)
    return curated_modal(found.view, found.act, {"escalation": escalation_id})


async def _saved(parts: SlackParts, people: PeoplePorts, body: Body) -> str:
    """What is said of it."""
    told = json.loads(str(body["view"]["private_metadata"]))
    if refusal := await turned_away(parts, body, ""):
        return refusal
    actor, for_many = actor_of(body), parts.settings.oauth is not None
    kept = await save_filled_in(
        people,
        actor,
        str(told["escalation"]),
        _filled_in(body),
        lambda: _is_admin(parts, body, actor),
        is_for_many=for_many,
    )
    if kept.is_shown:
        return say.SAVED_APPROVED
    return say.SAVED_DRAFT_OF_MANY if for_many else say.SAVED_DRAFT


async def _is_admin(parts: SlackParts, body: Body, actor: Actor) -> bool:
    """Of the workspace, and nobody's guest; False where Slack does not say so in time."""
    try:
        async with asyncio.timeout(_ADMIN_SECONDS):
            client = await parts.clients.of(*workspace_of(body))
            user = (await called(client.users_info(user=actor.person))).get("user") or {}
    except (Unavailable, Rejected, TimeoutError):
        return False
    is_guest = user.get("is_restricted") or user.get("is_ultra_restricted") or user.get("is_stranger")
    same_team = user.get("team_id", actor.workspace) == actor.workspace
    return bool(user.get("is_admin") or user.get("is_owner")) and same_team and not is_guest and not user.get("deleted")


def _filled_in(body: Body) -> Saved:
    values = body["view"]["state"]["values"]

    def text(name: str) -> str:
        return str(values[name][name].get("value") or "")

    verdict = values[fields.VERDICT][fields.VERDICT].get("selected_option") or {}
    picked = values[fields.SOURCES][fields.SOURCES].get("selected_options") or []
    return Saved(
        questions=text(fields.QUESTIONS),
        places=text(fields.PLACES),
        platforms=text(fields.PLATFORMS),
        verdict=str(verdict.get("value", "")),
        statements=text(fields.STATEMENTS),
        sources=frozenset(int(each["value"]) for each in picked if str(each.get("value", "")).isdecimal()),
        shown_by=text(fields.SHOWN_BY),
    )
