"""The form of a channel's settings, on any platform."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.model.channels import ChannelPreferences, ShownTo
from bot.model.subscriptions import Subscription
from bot.wording import channels as words
from bot.wording.names import listed, region_name, source_name
from rag_core.errors import Rejected
from rag_core.regions import EU, countries, display_name, known_names, normalise
from rag_core.understanding.reading import MAX_PLACES

WITH_STATES = ("us", "ca", "au")
_APART = re.compile(r"[,;\n]+")


@dataclass(frozen=True, slots=True)
class SettingsOffer:
    """What there is to choose from: `platforms` (slug -> name) of public documents, `groups` (id -> name) of people,
    and what the channel hears of changes."""

    preferences: ChannelPreferences
    platforms: Mapping[str, str]
    groups: Mapping[str, str] = field(default_factory=dict)
    subscriptions: Sequence[Subscription] = ()

    @property
    def dropped(self) -> list[str]:
        """Defaults that are not known (any more)."""
        known = {*places(), *self.platforms}
        return [each for each in (*self.preferences.regions, *self.preferences.policy_sources) if each not in known]


@dataclass(frozen=True, slots=True)
class SettingsGiven:
    """What was filled in, by nobody believed yet. `policy_sources` None: there was nothing to choose from."""

    regions: Sequence[str]
    policy_sources: Sequence[str] | None
    follow_ups: bool
    escalate_to: str
    shown_to: ShownTo | None = None


def wanted(before: ChannelPreferences, given: SettingsGiven, platforms: Mapping[str, str]) -> ChannelPreferences:
    """What was sent, as far as it is known; what could not be chosen stays."""
    known = places()
    sources = before.policy_sources
    if given.policy_sources is not None:
        sources = tuple(each for each in given.policy_sources if each in platforms)
    return replace(
        before,
        regions=tuple(dict.fromkeys(each for each in given.regions if each in known))[:MAX_PLACES],
        policy_sources=sources,
        shown_to=before.shown_to if given.shown_to is None else given.shown_to,
        follow_ups=given.follow_ups,
        escalate_to=given.escalate_to,
    )


def written(regions: Sequence[str]) -> str:
    """Places as they can be typed, apart by commas: by name, or by code where the name has a comma."""
    return ", ".join(each if _APART.search(region_name(each)) else region_name(each) for each in regions)


def read_places(text: str) -> tuple[list[str], str]:
    """Codes of what was typed, and the first of it that is no place, "" for none."""
    known = places()
    shown = {region_name(each).casefold(): each for each in known}
    found: list[str] = []
    for each in filter(None, (part.strip() for part in _APART.split(text))):
        name = each.casefold()
        code = shown.get(name) or known_names().get(name) or _code(each)
        if code not in known:
            return found, each
        found.append(code)
    return list(dict.fromkeys(found)), ""


def _code(text: str) -> str:
    try:
        return normalise(text)
    except Rejected:
        return ""


def places() -> Mapping[str, str]:
    """Every place that can be a default one, with its name."""
    states = {code for code in known_names().values() if code.partition("-")[0] in WITH_STATES and "-" in code}
    return {EU: display_name(EU), **countries(), **{code: display_name(code) for code in states}}


def subscription_line(subscription: Subscription, names: Mapping[str, str] | None = None) -> str:
    wanted = subscription.filters
    what = [*map(region_name, wanted.regions), *(source_name(each, names or {}) for each in wanted.policy_sources)]
    return words.subscription(listed([*what, *wanted.sections]), subscription.rhythm)
