"""Finding the button that somebody means, and what clicking it tells the app."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ops.sandbox.slack.block_kit.blocks import elements_of
from ops.sandbox.slack.forms import State, chosen

_HALVES = ("positive_button", "negative_button")


@dataclass(frozen=True, slots=True)
class Picked:
    """`action` as it stands in `actions` of the payload; `state` what stays chosen, None for buttons."""

    action: dict[str, object]
    state: State | None = None


def pick(blocks: Sequence[object], what: str, value: object, now: float) -> Picked:
    """The element named `what` (text, action_id or value), set to `value`. Raises LookupError."""
    there = list(_clickable(blocks))
    for names, block, element, half in there:
        if what in names:
            return _picked(block, element, half, value, now)
    raise LookupError(f"nothing called {what!r}; there are {[names for names, *_ in there]}")


Clickable = tuple[tuple[str, ...], Mapping[str, object], Mapping[str, object], str]


def _clickable(blocks: Sequence[object]) -> Iterator[Clickable]:
    """(names, block, element, half) of everything that can be clicked or chosen."""
    for block, element in elements_of(blocks):
        if element.get("type") == "feedback_buttons":
            for half in _HALVES:
                button = element.get(half)
                inside = button if isinstance(button, dict) else {}
                yield (half.removesuffix("_button"), *_names(inside)), block, element, half
        else:
            yield _names(element), block, element, ""


def _names(element: Mapping[str, object]) -> tuple[str, ...]:
    text = element.get("text")
    shown = text.get("text") if isinstance(text, dict) else None
    found = (shown, element.get("action_id"), element.get("value"), element.get("accessibility_label"))
    return tuple(str(each) for each in found if each)


def _picked(block: Mapping[str, object], element: Mapping[str, object], half: str, value: object, now: float) -> Picked:
    kind = str(element.get("type"))
    action: dict[str, object] = {
        "type": kind,
        "block_id": block.get("block_id"),
        "action_id": element.get("action_id"),
        "action_ts": f"{now:.6f}",
    }
    if half:
        inside = element.get(half)
        button = inside if isinstance(inside, dict) else {}
        return Picked({**action, "text": button.get("text"), "value": button.get("value")})
    if kind in ("button", "icon_button"):
        kept = {name: element[name] for name in ("text", "value", "style", "url") if name in element}
        return Picked({**action, **kept})
    state = chosen(element, value)
    return Picked({**action, **state}, None if kind == "overflow" else state)


def pick_at(blocks: Sequence[object], block_id: str, action_id: str, half: str, value: object, now: float) -> Picked:
    """The element of these ids. Raises LookupError."""
    for block, element in elements_of(blocks):
        if block.get("block_id") == block_id and element.get("action_id") == action_id:
            return _picked(block, element, half, value, now)
    raise LookupError(f"nothing at {block_id}/{action_id}")
