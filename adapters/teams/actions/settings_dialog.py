"""A conversation's settings in a dialog: opened, checked again when they are sent, and saved before Teams is answered.

A dialog can be open for hours, so that who sends it may have lost what he had when he opened it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.people_dialogs import people_of, signed_dialog
from adapters.teams.actions.replies import sentence
from adapters.teams.actions.settings_rules import (
    channel_from,
    channel_link,
    channel_reached,
    may_change,
    people_here,
    person_reached,
)
from adapters.teams.addresses import PLATFORM, TeamsPlace, TeamsReference, channel_of
from adapters.teams.command_calls import CommandCall
from adapters.teams.delivery.signed_cards import signed_card
from adapters.teams.listening import InvokeReply
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts, TeamsPeople
from adapters.teams.ports import Activity
from bot.commands.settings import SettingsGiven, SettingsOffer, read_places, wanted
from bot.model.channels import ChannelPreferences, KnownConversation
from bot.model.outcomes import Admitted
from bot.render.teams import settings as shown
from bot.render.teams.settings import TeamsSettingsForm, settings_form, settings_offered, settings_to_look_at
from bot.render.teams.view import TeamsInvoke, TeamsVerb
from bot.wording import channels as words
from bot.wording import teams as own
from rag_core.errors import Unavailable
from rag_core.understanding.reading import MAX_PLACES

_INPUTS = (shown.PLACES, shown.PLATFORMS, shown.FOLLOW_UPS, shown.PERSON_CHANNEL, shown.PERSON, shown.END)


@dataclass(frozen=True, slots=True)
class _Editing:
    """Whose dialog it is, of which conversation."""

    parts: TeamsParts
    people: TeamsPeople
    click: TeamsClick

    @property
    def activity(self) -> TeamsActivity:
        return self.click.activity

    @property
    def place(self) -> tuple[str, str, str]:
        return PLATFORM, self.activity.tenant, self.activity.channel


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whom "Ask a person" reaches: `conversation` as settings have it, "" for nobody. `known`: to be remembered before
    it is set, or nobody would be reached."""

    conversation: str
    known: KnownConversation | None = None


async def run_settings(parts: TeamsParts, call: CommandCall) -> Activity | None:
    """A button that opens them: nothing else can."""
    people_of(parts)
    if parts.signing is None:
        return None
    return signed_card(settings_offered(), parts.signing, call.activity.reference.signed_for)


async def _open(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    editing = _Editing(parts, people_of(parts), click)
    try:
        return await _shown(editing)
    except Unavailable:
        return sentence(click.invoke, words.NOT_LOADED)


async def _submit(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    editing = _Editing(parts, people_of(parts), click)
    given = {name: click.input(name) for name in _INPUTS}
    if not await _may_save(editing):
        return sentence(click.invoke, own.NOT_ALLOWED)
    try:
        errors = await _saved(editing, given)
    except Unavailable:
        errors = {"": words.LATER}
    return await _shown(editing, given, errors) if errors else sentence(click.invoke, words.SAVED)


async def _may_save(editing: _Editing) -> bool:
    is_member = editing.click.may is Admitted.ALLOWED
    return is_member and await may_change(editing.parts, editing.people, editing.activity)


async def _shown(
    editing: _Editing, given: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> InvokeReply:
    """To be changed, or to be looked at. Raises Unavailable."""
    allowed, form = await asyncio.gather(_may_save(editing), _form(editing, given, errors or {}))
    card = settings_form(form) if allowed else settings_to_look_at(form)
    return signed_dialog(editing.parts, editing.click, words.TITLE, card)


async def _form(editing: _Editing, given: Mapping[str, str] | None, errors: Mapping[str, str]) -> TeamsSettingsForm:
    people, activity = editing.people, editing.activity
    is_shared = activity.place is not TeamsPlace.PERSONAL
    preferences, platforms, subscriptions, listed = await asyncio.gather(
        people.settings.of(*editing.place),
        people.platforms(),
        people.subscriptions.of_channel(*editing.place),
        people_here(editing.parts, activity) if is_shared else _nobody(),
    )
    link, person, asked = await _asked_now(editing, preferences)
    return TeamsSettingsForm(
        SettingsOffer(preferences, platforms, subscriptions=subscriptions),
        is_shared,
        link,
        person,
        None if listed is None else [(each.person, each.name) for each in listed if each.person],
        asked,
        given,
        errors,
    )


async def _nobody() -> tuple[()]:
    return ()


async def _asked_now(editing: _Editing, preferences: ChannelPreferences) -> tuple[str, str, str]:
    """Link of the channel that is asked, or the id of the person; and what it is called."""
    asked, tenant = preferences.escalate_to, editing.activity.tenant
    link = channel_link(asked, tenant)
    if link or not asked:
        return link, "", link
    known = await editing.parts.known.of_channel(PLATFORM, tenant, asked) if editing.parts.known else None
    if known is None:
        return "", "", words.PERSON_GONE
    return "", known.person, await editing.people.names.of(tenant, known.person, asked) or own.SOMEBODY


async def _saved(editing: _Editing, given: Mapping[str, str]) -> dict[str, str]:
    """What cannot be saved, by input, in words; then nothing is. Raises Unavailable."""
    people, activity = editing.people, editing.activity
    before, platforms = await asyncio.gather(people.settings.of(*editing.place), people.platforms())
    regions, unknown = _places(given[shown.PLACES])
    asked = await _asked(editing, given, before)
    errors = {shown.PLACES: unknown} if unknown else {}
    if isinstance(asked, dict):
        return {**errors, **asked}
    if errors:
        return errors
    if asked.known is not None and editing.parts.known is not None:
        await editing.parts.known.save(asked.known)
    follows = shown.FOLLOW in given[shown.FOLLOW_UPS].split(",")
    is_shared = activity.place is not TeamsPlace.PERSONAL
    filled_in = SettingsGiven(
        regions=regions,
        policy_sources=given[shown.PLATFORMS].split(",") if platforms else None,
        follow_ups=follows if is_shared else before.follow_ups,
        escalate_to=asked.conversation,
    )
    actor = editing.click.actor
    await people.settings.save(*editing.place, wanted(before, filled_in, platforms), actor.person)
    for each in filter(None, given[shown.END].split(",")):
        await people.subscriptions.end(*editing.place, actor.person, each)
    return {}


async def _asked(editing: _Editing, given: Mapping[str, str], before: ChannelPreferences) -> _Asked | dict[str, str]:
    """Whom, or what is wrong with that. What is set already stays as it is."""
    link, person = given[shown.PERSON_CHANNEL].strip(), given[shown.PERSON].replace(shown.NOBODY, "")
    if link and person:
        return {shown.PERSON_CHANNEL: own.ONE_OF_BOTH}
    if link:
        return await _channel(editing, link, before)
    return await _person(editing, person) if person else _Asked("")


async def _channel(editing: _Editing, link: str, before: ChannelPreferences) -> _Asked | dict[str, str]:
    parts, activity = editing.parts, editing.activity
    channel = channel_from(link, activity.tenant)
    if not channel:
        return {shown.PERSON_CHANNEL: own.NO_LINK}
    found = await channel_reached(parts, activity, channel)
    if isinstance(found, str):
        return {shown.PERSON_CHANNEL: found}
    known = await parts.known.of_channel(PLATFORM, activity.tenant, channel) if parts.known else None
    return _Asked(channel, None if known else _known(editing, found, channel, activity.team_thread))


async def _person(editing: _Editing, person: str) -> _Asked | dict[str, str]:
    found = await person_reached(editing.parts, editing.activity, person)
    if isinstance(found, str):
        return {shown.PERSON: found}
    channel = channel_of(found.conversation)
    return _Asked(channel, _known(editing, found, channel, "", person))


def _known(editing: _Editing, to: TeamsReference, channel: str, team: str, person: str = "") -> KnownConversation:
    tenant, now = editing.activity.tenant, editing.parts.clock()
    return KnownConversation(PLATFORM, tenant, channel, team, person, now, reference=asdict(to))


def _places(text: str) -> tuple[list[str], str]:
    """Codes of what was typed, and what is wrong with it in words."""
    codes, unknown = read_places(text)
    if unknown:
        return codes, own.unknown_places(unknown[:80])
    return codes, own.too_many_places(MAX_PLACES) if len(codes) > MAX_PLACES else ""


VERBS: Verbs = {
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.SETTINGS): _open,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.SETTINGS): _submit,
}
