"""A conversation's settings as a dialog: to be changed, or only to be looked at; with the words of Slack's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.commands.settings import SettingsOffer, places, subscription_line, written
from bot.render.teams.elements import Element, card, choice_input, small, submit, text_block, text_input
from bot.render.teams.people import data, error_line, message, open_dialog
from bot.render.teams.text import bold, escape, shortened
from bot.render.teams.view import TeamsVerb
from bot.wording import channels as words
from bot.wording import teams as own
from bot.wording.names import listed, region_name, source_name

PLACES, PLATFORMS, FOLLOW_UPS, PERSON_CHANNEL, PERSON, END = (
    "places",
    "platforms",
    "follow_ups",
    "person_channel",
    "person",
    "end_subscriptions",
)
"""Ids of inputs."""

FOLLOW, NOBODY = "yes", "nobody"
_MOST_PLATFORMS, _LINE, _LONGEST = 20, 1_500, 500


@dataclass(frozen=True, slots=True)
class TeamsSettingsForm:
    """`is_shared`: others than one person read there. `link`: of the channel that is asked now, `person`: of somebody
    who is, "" for none. `people`: id and name of who can be chosen, None where they are too many. `asked`: whom, in
    words. `given`: what was typed, by input, `errors`: what is wrong with it."""

    offer: SettingsOffer
    is_shared: bool = True
    link: str = ""
    person: str = ""
    people: Sequence[tuple[str, str]] | None = ()
    asked: str = ""
    given: Mapping[str, str] | None = None
    errors: Mapping[str, str] = field(default_factory=dict)

    def value(self, name: str, set_to: str) -> str:
        return set_to if self.given is None else self.given.get(name, "")


def settings_offered() -> dict[str, object]:
    """The answer to the command: a dialog opens by a click only."""
    verb = TeamsVerb.SETTINGS
    button = open_dialog(own.SETTINGS_BUTTON, data(verb))
    return message([text_block(own.SETTINGS_OFFERED)], own.SETTINGS_OFFERED, [button])


def settings_form(form: TeamsSettingsForm) -> Element:
    offer, set_to = form.offer, form.offer.preferences
    named = written([each for each in set_to.regions if each in places()])
    follows = FOLLOW if set_to.follow_ups else ""
    body = [
        text_block(own.SETTINGS_INTRO),
        text_input(PLACES, words.PLACES, maxLength=_LONGEST, **_valued(form.value(PLACES, named))),
        small(f"{words.PLACES_HINT} {own.PLACES_HINT}"),
        *_error(form, PLACES),
        *_platforms(form),
        *([_ticks(FOLLOW_UPS, words.FOLLOW_UPS, words.FOLLOW, form.value(FOLLOW_UPS, follows))] * form.is_shared),
        text_input(PERSON_CHANNEL, own.PERSON_CHANNEL, maxLength=_LONGEST, **_valued(_channel(form))),
        small(own.CHANNEL_HINT),
        *_error(form, PERSON_CHANNEL),
        *_people(form),
        *_subscriptions(form),
        *([small(shortened(words.dropped(offer.dropped), _LINE))] if offer.dropped else []),
        *error_line(form.errors.get("", "")),
    ]
    return card(body, [submit(words.SAVE, data(TeamsVerb.SETTINGS))])


def settings_to_look_at(form: TeamsSettingsForm) -> Element:
    offer, set_to = form.offer, form.offer.preferences
    platforms = [source_name(each, offer.platforms) for each in set_to.policy_sources if each in offer.platforms]
    regions = [region_name(each) for each in set_to.regions if each in places()]
    heard = [subscription_line(each, offer.platforms) for each in offer.subscriptions]
    told = [
        (words.PLACES, listed(regions) or words.NONE),
        (words.PLATFORMS, listed(platforms) or words.ANY),
        (words.FOLLOW_UPS, words.follow_ups(set_to.follow_ups)),
        (words.SUBSCRIPTIONS, listed(heard) or words.NONE),
        (words.PERSON_CHANNEL.partition(":")[0], form.asked or words.NOBODY),
    ]
    body = [text_block(f"{bold(label + ':')} {shortened(value, _LINE)}") for label, value in told]
    return card([*body, small(escape(own.READ_ONLY))])


def _channel(form: TeamsSettingsForm) -> str:
    return form.value(PERSON_CHANNEL, form.link)


def _platforms(form: TeamsSettingsForm) -> list[Element]:
    offer = form.offer
    if not offer.platforms:
        return []
    options = sorted(offer.platforms.items(), key=lambda each: each[1].casefold())[:_MOST_PLATFORMS]
    chosen = form.value(PLATFORMS, ",".join(offer.preferences.policy_sources)).split(",")
    menu = choice_input(PLATFORMS, words.PLATFORMS, options, chosen, several=True, style="expanded")
    return [menu, small(words.PLATFORMS_HINT)]


def _people(form: TeamsSettingsForm) -> list[Element]:
    if form.people is None:
        return [small(own.TOO_MANY_PEOPLE)]
    if not form.people:
        return []
    options = [(NOBODY, own.NOBODY), *form.people]
    chosen = form.value(PERSON, form.person) or NOBODY
    return [choice_input(PERSON, own.PERSON, options, [chosen], style="compact"), *_error(form, PERSON)]


def _subscriptions(form: TeamsSettingsForm) -> list[Element]:
    if not form.offer.subscriptions:
        return []
    names = form.offer.platforms
    options = [(each.subscription_id, subscription_line(each, names)) for each in form.offer.subscriptions]
    ticked = form.value(END, "").split(",")
    menu = choice_input(END, words.SUBSCRIPTIONS, options, ticked, several=True, style="expanded")
    return [menu, small(words.SUBSCRIPTIONS_HINT)]


def _ticks(name: str, label: str, text: str, value: str) -> Element:
    return choice_input(name, label, [(FOLLOW, text)], value.split(","), several=True, style="expanded")


def _error(form: TeamsSettingsForm, name: str) -> list[Element]:
    return error_line(form.errors.get(name, ""))


def _valued(value: str) -> dict[str, object]:
    return {"value": value[:_LONGEST]} if value else {}
