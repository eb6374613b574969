"""Buttons, menus and inputs as HTML forms. An input belongs to the form of its modal by the `form` attribute."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from ops.sandbox.slack.block_kit.menus import options_of
from ops.sandbox.slack.forms import State, Values
from ops.sandbox.slack.mrkdwn import plain_html

FORM = "modal-form"
_TYPES = {
    "plain_text_input": "text",
    "email_text_input": "email",
    "url_text_input": "url",
    "number_input": "text",
    "datepicker": "date",
    "timepicker": "time",
    "datetimepicker": "datetime-local",
    "rich_text_input": "text",
    "external_select": "text",
}
_HALVES = ("positive_button", "negative_button")
_THUMB = Markup(
    '<svg class="{}" viewBox="0 0 24 24" width="15" height="15" aria-hidden="true"><path fill="none" '
    'stroke="currentColor" stroke-width="2" stroke-linejoin="round" '
    'd="M3 11h4v10H3zM7 11l4-8c2 0 3 1 3 3l-1 4h6c1 0 2 1 2 2l-2 7c0 1-1 2-2 2H7"/></svg>'
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where something is drawn: `target` is "m:CHANNEL:TS" or "v:VIEW", `here` the query of the page.

    `names`: id -> @name or #channel; `people`, `channels`: what menus of them offer, id -> name.
    """

    target: str
    here: str
    names: Mapping[str, str] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


def clickable(around: Surroundings, block_id: str, element: Mapping[str, object], state: State | None) -> Markup:
    """An element of an actions block, or beside a section."""
    kind = element.get("type")
    if kind == "feedback_buttons":
        halves = [_half(around, block_id, element, name) for name in _HALVES]
        return Markup('<span class="feedback">{}</span>').format(Markup("").join(halves))
    if kind in ("button", "icon_button"):
        return _button(around, block_id, element)
    offered = _menu(around, element, state)
    at = _at(around, block_id, element)
    return Markup(
        '<form class="pick" method="post" action="/act"><input type="hidden" name="here" value="{}">'
        '<input type="hidden" name="at" value="{}">{}<button class="plain">Choose</button></form>'
    ).format(around.here, at, offered)


def input_block(around: Surroundings, block: Mapping[str, object], values: Values) -> Markup:
    """A labelled field of a form."""
    element = block.get("element")
    inside = element if isinstance(element, dict) else {}
    place, action = str(block.get("block_id")), str(inside.get("action_id"))
    name, state = f"f:{place}/{action}", values.get(place, {}).get(action)
    label, hint = _text(block.get("label")), _text(block.get("hint"))
    optional = Markup(" <small>(optional)</small>") if block.get("optional") is True else Markup("")
    error = around.errors.get(place, "")
    below = Markup('<p class="hint">{}</p>').format(hint) if hint else Markup("")
    if error:
        below += Markup('<p class="error" role="alert">{}</p>').format(error)
    if inside.get("type") in ("checkboxes", "radio_buttons"):
        drawn = _boxes(inside, name, state)
        return Markup('<fieldset class="field"><legend>{}{}</legend>{}{}</fieldset>').format(
            label, optional, drawn, below
        )
    drawn = _menu(around, inside, state, name) if _is_menu(inside) else _typed(inside, name, state)
    return Markup('<div class="field"><label for="{}">{}{}</label>{}{}</div>').format(
        name, label, optional, drawn, below
    )


def _is_menu(element: Mapping[str, object]) -> bool:
    kind = str(element.get("type"))
    return kind == "overflow" or (kind.endswith("_select") and "external" not in kind)


def _button(around: Surroundings, block_id: str, element: Mapping[str, object]) -> Markup:
    style = str(element.get("style") or "plain")
    url, label = element.get("url"), element.get("accessibility_label")
    if isinstance(url, str) and url.startswith(("https://", "http://")):
        link = Markup('<a class="button" href="{}" target="_blank" rel="noreferrer noopener">{}</a>')
        return link.format(url, _text(element.get("text")))
    return _form(
        around, _at(around, block_id, element), style, _text(element.get("text")), str(label or ""), _asks(element)
    )


def _half(around: Surroundings, block_id: str, element: Mapping[str, object], name: str) -> Markup:
    half = element.get(name)
    inside = half if isinstance(half, dict) else {}
    shown = _THUMB.format(name.removesuffix("_button")) + Markup(" ") + _text(inside.get("text"))
    label = str(inside.get("accessibility_label") or "")
    return _form(around, _at(around, block_id, element, name), "plain", shown, label, "")


def _form(around: Surroundings, at: str, style: str, shown: Markup, label: str, asks: str) -> Markup:
    described = Markup(' aria-label="{}"').format(label) if label else Markup("")
    confirm = Markup(' data-confirm="{}"').format(asks) if asks else Markup("")
    return Markup(
        '<form class="click" method="post" action="/act"{}><input type="hidden" name="here" value="{}">'
        '<button class="{}" name="at" value="{}"{}>{}</button></form>'
    ).format(confirm, around.here, style, at, described, shown)


def _asks(element: Mapping[str, object]) -> str:
    """What a person is asked before."""
    found = element.get("confirm")
    inside = found if isinstance(found, dict) else {}
    texts = [each.get("text") for each in (inside.get("title"), inside.get("text")) if isinstance(each, dict)]
    return "\n\n".join(str(each) for each in texts)


def _menu(around: Surroundings, element: Mapping[str, object], state: State | None, name: str = "") -> Markup:
    kind = str(element.get("type"))
    if not _is_menu(element):
        return _typed(element, name or "value", state, to_form=bool(name))
    several = kind.startswith("multi_")
    taken = _taken(state)
    offered = _offered(around, element, kind)
    options = Markup("").join(
        Markup('<option value="{}"{}>{}</option>').format(value, Markup(" selected") if value in taken else "", shown)
        for value, shown in offered
    )
    empty = (
        Markup("")
        if several
        else Markup('<option value="">{}</option>').format(_text(element.get("placeholder")) or "…")
    )
    into = (
        Markup(' form="{}" id="{}"').format(FORM, name)
        if name
        else Markup(' aria-label="{}"').format(_text(element.get("placeholder")) or element.get("action_id"))
    )
    many = Markup(" multiple") if several else Markup("")
    return Markup('<select name="{}"{}{}>{}{}</select>').format(name or "value", into, many, empty, options)


def _offered(around: Surroundings, element: Mapping[str, object], kind: str) -> Sequence[tuple[str, str]]:
    if "users" in kind:
        return list(around.people.items())
    if "conversations" in kind or "channels" in kind:
        return list(around.channels.items())
    return [
        (str(each.get("value")), str(_text(each.get("text")))) for each in options_of(element) if isinstance(each, dict)
    ]


def _typed(element: Mapping[str, object], name: str, state: State | None, *, to_form: bool = True) -> Markup:
    kind = str(element.get("type"))
    taken = next(iter(_taken(state)), "")
    placeholder = _text(element.get("placeholder"))
    called = Markup(' aria-label="{}"').format(placeholder or element.get("action_id"))
    into = Markup(' form="{}" id="{}"').format(FORM, name) if to_form else called
    if element.get("multiline") is True or kind == "rich_text_input":
        area = Markup('<textarea name="{}"{} rows="4" placeholder="{}">{}</textarea>')
        return area.format(name, into, placeholder, taken)
    if kind == "external_select":
        into += Markup(' data-suggest="{}"').format(element.get("action_id"))
    return Markup('<input type="{}" name="{}"{} value="{}" placeholder="{}" autocomplete="off">').format(
        _TYPES.get(kind, "text"), name, into, taken, placeholder
    )


def _boxes(element: Mapping[str, object], name: str, state: State | None) -> Markup:
    kind = "checkbox" if element.get("type") == "checkboxes" else "radio"
    taken = _taken(state)
    return Markup("").join(
        Markup('<label class="box"><input type="{}" form="{}" name="{}" value="{}"{}> {}</label>').format(
            kind, FORM, name, value, Markup(" checked") if value in taken else "", shown
        )
        for value, shown in _offered(Surroundings("", ""), element, str(element.get("type")))
    )


def _taken(state: State | None) -> list[str]:
    """The values that are chosen."""
    found: list[str] = []
    for name, value in (state or {}).items():
        if name != "type" and value is not None:
            listed = value if isinstance(value, list) else [value]
            found += [str(each.get("value")) if isinstance(each, dict) else str(each) for each in listed]
    return found


def _text(item: object) -> Markup:
    return plain_html(str(item.get("text"))) if isinstance(item, dict) else Markup("")


def _at(around: Surroundings, block_id: str, element: Mapping[str, object], half: str = "") -> str:
    return json.dumps([around.target, block_id, str(element.get("action_id")), half])
