"""What somebody filled in where a scope is chosen (`bot.render.slack.scope`)."""

from collections.abc import Mapping
from typing import Any

from bot.render.scope_form import DAY, MATERIAL, PLACE, PLATFORM, ScopeFilled, filled_scope

_MOST_NAMED = 100


def read_scope(values: Mapping[str, Any]) -> ScopeFilled:
    """`values`: the `state.values` of a submitted view. Fields that are not there are empty."""
    return filled_scope(
        _selected(values, PLATFORM),
        _text(values, PLACE, "value"),
        _selected(values, MATERIAL),
        _text(values, DAY, "selected_date"),
    )


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
