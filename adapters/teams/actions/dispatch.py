"""Clicks on cards and dialogs: what we did not sign for this conversation does nothing, and who is not admitted hears
why. Each module with verbs has a `VERBS`; `_VERBS` joins them."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.teams.actions import (
    choices,
    escalations,
    feedback,
    reading,
    saving_curated,
    scope,
    settings_dialog,
    share,
    subscribe,
    subscribing,
)
from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.replies import sentence
from adapters.teams.gate import admitted
from adapters.teams.listening import INVOKE_SECONDS, InvokeReply, Listeners, TeamsListener
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.render.teams.view import VERB, TeamsInvoke, TeamsVerb
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording import why_not
from rag_core.errors import Rejected, Unavailable

_log = logging.getLogger(__name__)
_VERBS: Verbs = {
    **choices.VERBS,
    **feedback.VERBS,
    **reading.VERBS,
    **scope.VERBS,
    **share.VERBS,
    **subscribe.VERBS,
    **escalations.VERBS,
    **saving_curated.VERBS,
    **settings_dialog.VERBS,
    **subscribing.VERBS,
}
_SECONDS = INVOKE_SECONDS - 0.2
"""So that whoever clicked is told in our words before the app gives up."""


def clicks_on(invoke: TeamsInvoke, verbs: Verbs | None = None) -> TeamsListener:
    """The listener for one of CARD_ACTION, DIALOG_OPEN, DIALOG_SUBMIT."""

    async def take(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
        try:
            async with asyncio.timeout(_SECONDS):
                return await _taken(parts, activity, invoke, _VERBS if verbs is None else verbs)
        except (Unavailable, TimeoutError) as exc:
            _log.warning("teams click not taken: invoke=%s error=%s", invoke, type(exc).__name__)
            return sentence(invoke, told.LATE)
        except Rejected as exc:
            _log.warning("teams click refused: invoke=%s code=%s", invoke, exc.code)
            return sentence(invoke, said.ANSWER_UNREADABLE)

    return take


LISTENERS: Listeners = {
    f"invoke/{each}": clicks_on(each)
    for each in (TeamsInvoke.CARD_ACTION, TeamsInvoke.DIALOG_OPEN, TeamsInvoke.DIALOG_SUBMIT)
}


async def _taken(parts: TeamsParts, activity: TeamsActivity, invoke: TeamsInvoke, verbs: Verbs) -> InvokeReply:
    click = click_of(parts, activity, invoke)
    listener = None if click is None else verbs.get((invoke, click.verb))
    if click is None or listener is None:
        return sentence(invoke, said.ANSWER_UNREADABLE)
    may = await admitted(parts, activity.address)
    if may.is_refused:
        return sentence(invoke, why_not(may))
    return await listener(parts, replace(click, may=may))


def click_of(parts: TeamsParts, activity: TeamsActivity, invoke: TeamsInvoke) -> TeamsClick | None:
    """None for what we did not sign: for another conversation, for another verb, or not at all."""
    action = _mapping(activity.value, "action") if invoke is TeamsInvoke.CARD_ACTION else {}
    data = _mapping(action or activity.value, "data")
    fields = None if parts.signing is None else parts.signing.read(data, activity.reference.signed_for)
    if fields is None:
        return None
    try:
        verb = TeamsVerb(fields.get(VERB, ""))
    except ValueError:
        return None
    kept = {name: value for name, value in fields.items() if name != VERB}
    inputs = {name: value for name, value in data.items() if name not in fields}
    return TeamsClick(activity, invoke, verb, kept, inputs)


def _mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}
