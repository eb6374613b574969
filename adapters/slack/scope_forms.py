"""What somebody filled in where a scope is chosen (`bot.render.slack_scope`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from bot import wording_slack_scope as wording
from bot.render.clean import one_line, shorten
from bot.render.slack_scope import DAY, LONGEST_PLACES, MATERIAL, PLACE, PLATFORM
from rag_core.documents import ContentType
from rag_core.errors import Rejected
from rag_core.questions import Filters
from rag_core.regions import normalise, region_named

_MOST_NAMED, _LONGEST_SHOWN, _LONGEST_SLUG = 100, 60, 150


@dataclass(frozen=True, slots=True)
class ScopeFilled:
    """`errors`: block_id -> what stands beside the field; with any of them nothing else counts."""

    filters: Filters = field(default_factory=Filters)
    as_of: date | None = None
    errors: Mapping[str, str] = field(default_factory=dict)


def read_scope(values: Mapping[str, Any]) -> ScopeFilled:
    """`values`: the `state.values` of a submitted view. Fields that are not there are empty."""
    errors: dict[str, str] = {}
    platforms = _selected(values, PLATFORM)
    if any(not each or len(each) > _LONGEST_SLUG for each in platforms):
        errors[PLATFORM] = wording.platform_unknown()
    materials = _selected(values, MATERIAL)
    if not set(materials) <= {each.value for each in ContentType}:
        errors[MATERIAL] = wording.material_unknown()
    places, unknown = _places(_text(values, PLACE, "value"))
    if unknown:
        errors[PLACE] = wording.place_unknown(shorten(unknown, _LONGEST_SHOWN))
    chosen_day = _text(values, DAY, "selected_date")
    as_of = _day(chosen_day)
    if chosen_day and as_of is None:
        errors[DAY] = wording.day_unknown()
    filters = Filters(policy_sources=platforms, regions=places, content_types=materials)
    return ScopeFilled(filters, as_of, errors)


def _places(typed: str) -> tuple[tuple[str, ...], str]:
    """The codes of all places, each once, and the first that is none."""
    found: dict[str, None] = {}
    for name in typed[:LONGEST_PLACES].replace(";", ",").replace("\n", ",").split(","):
        said = one_line(name)
        if said and (code := _place(said)) is None:
            return (), said
        if said and code:
            found[code] = None
    return tuple(found), ""


def _place(said: str) -> str | None:
    """By its name first: "Georgia" is a country, "in" no word that somebody would type for one."""
    if (named := region_named(said)) is not None:
        return named
    try:
        return normalise(said)
    except Rejected:
        return None


def _day(chosen: str) -> date | None:
    try:
        return date.fromisoformat(chosen)
    except ValueError:
        return None


def _selected(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    options = _state(values, name).get("selected_options")
    found = options if isinstance(options, list) else []
    chosen = [each.get("value") for each in found[:_MOST_NAMED] if isinstance(each, Mapping)]
    return tuple(dict.fromkeys(each for each in chosen if isinstance(each, str)))


def _text(values: Mapping[str, Any], name: str, key: str) -> str:
    value = _state(values, name).get(key)
    return value if isinstance(value, str) else ""


def _state(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    block = values.get(name)
    state = block.get(name) if isinstance(block, Mapping) else None
    return state if isinstance(state, Mapping) else {}
