"""Roads through channels of a chat platform: the home tab, the settings, and what a channel's default means."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from adapters.sql.chat.home_reading import SqlHomeReading
from bot.commands.home import Home, Starters
from bot.commands.settings import SettingsOffer
from bot.model.channels import ChannelPreferences
from bot.questions.answerer import Asked
from bot.render.json import reply_json
from bot.render.slack.home import home_view
from bot.render.slack.settings import settings_view
from bot.render.teams.settings import TeamsSettingsForm, settings_form, settings_to_look_at
from ops.parts import utc_now
from rag_core.questions import Filters
from tests.security.access.attempts import HELD_APART, Attempt, Proof, Road
from tests.security.access.world import Door, World

_DEFAULTS = (
    ("platform", "can I advertise kilnware", Filters(("zorblat",))),
    ("memo", "can I advertise vexolune", Filters(("tarrow", "zorblat"), ("no",))),
)


def _home(_: World) -> Iterator[Attempt]:
    for of in ("memo", "platform"):
        yield Attempt("home tab", of, _opened, proof=Proof.PUBLIC)


async def _opened(door: Door) -> str:
    """Of somebody who is in these groups: questions to begin with, and how it is with the sources."""
    answering = door.world.answering
    asker = answering.asker.without_model()
    starters = Starters(asker, answering.store, answering.names, today=lambda: utc_now().date())
    try:
        found = await starters.of(door.asker.groups)
    finally:
        await starters.aclose()
    home = Home((), found, (), await SqlHomeReading(answering.engine).statuses())
    return json.dumps(home_view(home, answering.names), ensure_ascii=False)


def _settings(_: World) -> Iterator[Attempt]:
    for may_save in (True, False):
        yield Attempt(f"settings, may save: {may_save}", "platform", _offered(may_save), proof=Proof.PUBLIC)


def _offered(may_save: bool) -> Callable[[Door], Any]:
    """Where somebody once chose the platform that is hidden now."""

    async def take(door: Door) -> str:
        store = door.world.answering.store
        platforms = {each.slug: each.display_name for each in await store.sources(frozenset())}
        offer = SettingsOffer(ChannelPreferences(policy_sources=tuple(platforms)), platforms)
        form = TeamsSettingsForm(offer)
        card = settings_form(form) if may_save else settings_to_look_at(form)
        shown = [settings_view("C1", offer, may_save=may_save), card]
        return json.dumps(shown, ensure_ascii=False).replace(HELD_APART, "")

    return take


def _assumed(_: World) -> Iterator[Attempt]:
    for of, question, defaults in _DEFAULTS:
        yield Attempt(question, of, _with(question, defaults), f"{question} {defaults}", Proof.HIDDEN)


def _with(question: str, defaults: Filters) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        answering = door.world.answering
        asked = Asked(question, door.asker.actor, "slack", groups=door.asker.groups, counted=False, defaults=defaults)
        answered = await answering.asking.ask(asked)
        return json.dumps(reply_json(answered.answer_id, answered.reply, answering.links, {}), ensure_ascii=False)

    return take


ROADS = (
    Road("home tab", _home),
    Road("settings of a channel", _settings),
    Road("defaults of a channel", _assumed),
)
