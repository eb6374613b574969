"""Saving a person's answer as an approved one: by who gave it as a draft, by an admin of the workspace for good, if it
is the only workspace."""

import asyncio
import json
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.escalations import Body, turned_away, workspace_of
from adapters.slack.keeping import ACCEPT_SECONDS
from adapters.slack.parts import PeoplePorts, SlackParts
from adapters.slack.payloads import actor_of
from adapters.slack.web_api import called
from bot import wording_people as say
from bot.escalations import Escalation
from bot.messages import Actor
from bot.render import slack_escalation as fields
from bot.render.slack_escalation import curated_modal, said_modal
from bot.render.slack_view import SlackAction, SlackModal
from bot.saving_curated import Saved, may_save
from rag_core.errors import Rejected, Unavailable

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
            return await ack(response_action="errors", errors={fields.SOURCES: say.not_taken()})
        return await ack(response_action="update", view=said_modal(say.save_title(), said))

    bolt.action(SlackAction.SAVE_CURATED.value)(save)
    bolt.view(SlackModal.CURATED.value)(submit)


async def _open(parts: SlackParts, people: PeoplePorts, body: Body) -> None:
    """A view at once, since a `trigger_id` lives for 3 s; what is in it when it was looked up."""
    client = await parts.clients.of(*workspace_of(body))
    loading = said_modal(say.save_title(), say.loading())
    opened = await called(client.views_open(trigger_id=str(body["trigger_id"]), view=loading))
    view = await _view(parts, people, body, str(body["actions"][0]["value"]))
    await called(client.views_update(view_id=str(opened["view"]["id"]), view=view))


async def _view(parts: SlackParts, people: PeoplePorts, body: Body, escalation_id: str) -> dict[str, object]:
    actor = actor_of(body)
    if told := await turned_away(parts, body, ""):
        return said_modal(say.save_title(), told)
    try:
        found = await _allowed(parts, people, body, escalation_id)
        seen = await people.views.to_person(found, actor)
    except Rejected as exc:
        return said_modal(say.save_title(), say.refusal(exc.code) if exc.code in _KNOWN else say.not_to_be_saved())
    except Unavailable:
        return said_modal(say.save_title(), say.not_taken())
    if not seen.sources or not found.replies:
        return said_modal(say.save_title(), say.nothing_to_stand_on())
    return curated_modal(seen, found.replies[0], {"escalation": escalation_id})


_KNOWN = frozenset({"escalation_unknown"})


async def _saved(parts: SlackParts, people: PeoplePorts, body: Body) -> str:
    """What is said of it. Who submits is looked at again: the modal may have been open for hours."""
    told = json.loads(str(body["view"]["private_metadata"]))
    if refusal := await turned_away(parts, body, ""):
        return refusal
    found = await _allowed(parts, people, body, str(told["escalation"]))
    actor = actor_of(body)
    approves = await _may_approve(parts, body, actor)
    seen = await people.views.to_person(found, actor)
    kept = await people.saving.save(found, seen, _filled_in(body), actor, approves=approves)
    if kept.is_shown:
        return say.saved_approved()
    return say.saved_draft_of_many() if _is_for_many(parts) else say.saved_draft()


async def _allowed(parts: SlackParts, people: PeoplePorts, body: Body, escalation_id: str) -> Escalation:
    """Raises Rejected for an escalation of another workspace, and for whoever may not save its answer."""
    actor = actor_of(body)
    found = await people.escalations.of(escalation_id)
    if found is None or found.place.workspace != actor.workspace:
        raise Rejected("escalation_unknown")
    author = may_save(found, people.known_as(actor), is_admin=False)
    if not author and not await _is_admin(parts, body, actor):
        raise Rejected("curated_not_allowed")
    return found


def _is_for_many(parts: SlackParts) -> bool:
    return parts.settings.oauth is not None


async def _may_approve(parts: SlackParts, body: Body, actor: Actor) -> bool:
    """An approved answer is shown in every workspace: where there are many, no admin of one speaks for the others."""
    return not _is_for_many(parts) and await _is_admin(parts, body, actor)


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
