"""A channel's settings as a modal: to be changed, or only to be looked at."""

import unicodedata
from collections.abc import Sequence

from bot.commands.settings import WITH_STATES, SettingsOffer, places, subscription_line
from bot.model.channels import ShownTo
from bot.model.subscriptions import Subscription
from bot.render.blocks import Block, context, sections
from bot.render.mrkdwn import bold, escape, shortened
from bot.render.slack.modal_parts import Option, choice, menu, modal, plain, ticks
from bot.render.slack.modal_parts import field as input_field
from bot.render.slack.view import SlackModal
from bot.wording import channels as words
from bot.wording.names import listed, region_name, source_name
from rag_core.regions import EU, countries, display_name
from rag_core.understanding.reading import MAX_PLACES

PLACES, PLATFORMS, SHOWN_TO, FOLLOW_UPS = "places", "platforms", "shown_to", "follow_ups"
PERSON_CHANNEL, PERSON_GROUP, END = "person_channel", "person_group", "end_subscriptions"
"""`block_id`, and `action_id`, of each input."""

FOLLOW = "yes"
_MOST_PLATFORMS = 20
_LINE = 1_500


def loading_view(channel: str) -> Block:
    return modal(SlackModal.SETTINGS, words.TITLE, sections([escape(words.LOADING)]), metadata=channel)


def sentence_view(sentence: str, channel: str = "") -> Block:
    return modal(SlackModal.SETTINGS, words.TITLE, sections([escape(sentence)]), metadata=channel)


def settings_view(channel: str, offer: SettingsOffer, *, may_save: bool) -> Block:
    """At most 11 blocks, whatever is set."""
    if not may_save:
        return modal(SlackModal.SETTINGS, words.TITLE, _to_look_at(channel, offer), metadata=channel)
    preferences = offer.preferences
    to_channel = preferences.escalate_to if preferences.escalate_to.startswith(("C", "G")) else ""
    blocks = [
        *sections([f"<#{channel}>", escape(words.INTRO)]),
        input_field(
            PLACES,
            words.PLACES,
            menu(_place_groups(), preferences.regions, words.CHOOSE, MAX_PLACES),
            words.PLACES_HINT,
        ),
        *_platforms(offer),
        input_field(SHOWN_TO, words.SHOWN_TO, choice(_SHOWN_TO, preferences.shown_to), words.SHOWN_TO_HINT),
        input_field(
            FOLLOW_UPS, words.FOLLOW_UPS, ticks([(FOLLOW, words.FOLLOW)], [FOLLOW] if preferences.follow_ups else [])
        ),
        input_field(PERSON_CHANNEL, words.PERSON_CHANNEL, _channel_menu(to_channel), words.PERSON_HINT),
        *_groups(offer),
        *_subscriptions(offer.subscriptions),
        *([context(shortened(words.dropped(offer.dropped), _LINE))] if offer.dropped else []),
    ]
    return modal(SlackModal.SETTINGS, words.TITLE, blocks, metadata=channel, submit=words.SAVE)


def _place_groups() -> dict[str, list[Option]]:
    found: dict[str, list[Option]] = {words.WIDER: [(EU, display_name(EU))]}
    for code, name in sorted(countries().items(), key=lambda each: _letters(each[1])):
        found.setdefault(_letters(name)[:1].upper(), []).append((code, name))
    for country in WITH_STATES:
        states = [(code, name) for code, name in places().items() if code.startswith(f"{country}-")]
        label = words.STATES.format(display_name(country))
        found[label] = sorted(states, key=lambda each: each[1])
    return found


def _letters(name: str) -> str:
    """Without accents: "Åland Islands" stands among the others with A."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()


_SHOWN_TO = ((str(ShownTo.CHANNEL), words.TO_CHANNEL), (str(ShownTo.ASKER), words.TO_ASKER))


def _platforms(offer: SettingsOffer) -> list[Block]:
    if not offer.platforms:
        return []
    options = sorted(offer.platforms.items(), key=lambda each: each[1].casefold())
    chosen = offer.preferences.policy_sources
    element = menu({words.PLATFORMS: options}, chosen, words.CHOOSE, min(_MOST_PLATFORMS, len(options)))
    return [input_field(PLATFORMS, words.PLATFORMS, element, words.PLATFORMS_HINT)]


def _channel_menu(chosen: str) -> Block:
    element: Block = {
        "type": "conversations_select",
        "placeholder": plain(words.CHOOSE, 150),
        "filter": {"include": ["public", "private"], "exclude_external_shared_channels": True},
    }
    return {**element, "initial_conversation": chosen} if chosen else element


def _groups(offer: SettingsOffer) -> list[Block]:
    if not offer.groups:
        return []
    options = sorted(offer.groups.items(), key=lambda each: each[1].casefold())
    return [input_field(PERSON_GROUP, words.PERSON_GROUP, choice(options, offer.preferences.escalate_to, words.CHOOSE))]


def _subscriptions(subscriptions: Sequence[Subscription]) -> list[Block]:
    if not subscriptions:
        return []
    options = [(each.subscription_id, subscription_line(each)) for each in subscriptions]
    return [input_field(END, words.SUBSCRIPTIONS, ticks(options), words.SUBSCRIPTIONS_HINT)]


def _to_look_at(channel: str, offer: SettingsOffer) -> list[Block]:
    set_to = offer.preferences
    platforms = [source_name(each, offer.platforms) for each in set_to.policy_sources if each in offer.platforms]
    regions = [region_name(each) for each in set_to.regions if each in places()]
    told = [
        (words.PLACES, listed(regions) or words.NONE),
        (words.PLATFORMS, listed(platforms) or words.ANY),
        (words.SHOWN_TO, words.shown_to(set_to.shown_to is ShownTo.ASKER)),
        (words.FOLLOW_UPS, words.follow_ups(set_to.follow_ups)),
        (
            words.SUBSCRIPTIONS,
            listed([subscription_line(each, offer.platforms) for each in offer.subscriptions]) or words.NONE,
        ),
    ]
    lines = [f"{bold(label + ':')} {shortened(value, _LINE)}" for label, value in told]
    person = f"{bold(words.PERSON_CHANNEL.partition(':')[0] + ':')} {_person(offer)}"
    return [*sections([f"<#{channel}>", *lines, person]), context(escape(words.READ_ONLY))]


def _person(offer: SettingsOffer) -> str:
    """A group by its name; a channel as Slack shows it to whoever may know of it."""
    found = offer.preferences.escalate_to
    if found.startswith(("C", "G")):
        return f"<#{found}>"
    return shortened(offer.groups.get(found, words.NOBODY), _LINE)
