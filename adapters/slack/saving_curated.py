"""Saving a person's answer as an approved one: by who gave it as a draft, by an admin of the workspace for good, if it
is the only workspace."""

import asyncio
import json
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.escalations import Body, turned_away, workspace_of
from adapters.slack.keeping import ACCEPT_SECONDS
from adapters.slack.parts import SlackParts
from adapters.slack.payloads import actor_of
from adapters.slack.web_api import called
from bot.model.messages import Actor
from bot.people.answers import PeoplePorts
from bot.people.curation import Saved
from bot.people.forms import save_filled_in, to_be_saved
from bot.render.slack import escalation as fields
from bot.render.slack.escalation import curated_modal, said_modal
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import people as say
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
    if told := await turned_away(parts, body, ""):
        return said_modal(say.save_title(), told)
    actor = actor_of(body)
    found = await to_be_saved(people, actor, escalation_id, lambda: _is_admin(parts, body, actor))
    if isinstance(found, str):
        return said_modal(say.save_title(), found)
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
        return say.saved_approved()
    return say.saved_draft_of_many() if for_many else say.saved_draft()


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
