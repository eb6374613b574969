"""Modals and home tabs as they stand: who has which open, what is filled in, and the triggers that open them."""

import itertools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ops.sandbox.slack.block_kit import elements_of, options_of
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.people import BOT_ID
from ops.sandbox.slack.workspace import Clock

TRIGGER_LIFETIME = timedelta(seconds=3)

State = dict[str, object]
Values = dict[str, dict[str, State]]
"""block_id -> action_id -> what is chosen there."""

_FIELDS: Mapping[str, tuple[str, str]] = {
    "users_select": ("selected_user", "initial_user"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "channels_select": ("selected_channel", "initial_channel"),
    "datepicker": ("selected_date", "initial_date"),
    "plain_text_input": ("value", "initial_value"),
    "static_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "multi_users_select": ("selected_users", "initial_users"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "multi_static_select": ("selected_options", "initial_options"),
    "checkboxes": ("selected_options", "initial_options"),
}
"""Where an element tells what is chosen in it, and where what is chosen at first; several where the name ends in s."""


def named(blocks: Sequence[object]) -> list[dict[str, object]]:
    """The blocks with the ids that Slack gives to blocks and elements which have none."""
    found = []
    for place, block in enumerate(blocks):
        if not isinstance(block, dict):
            continue
        made = {"block_id": f"b{place}", **block}
        for name in ("element", "accessory"):
            if isinstance(made.get(name), dict):
                made[name] = _with_action_id(made[name], f"a{place}")
        if isinstance(made.get("elements"), list) and made.get("type") in ("actions", "context_actions"):
            made["elements"] = [_with_action_id(each, f"a{place}.{n}") for n, each in enumerate(made["elements"])]
        found.append(made)
    return found


def _with_action_id(element: object, action_id: str) -> object:
    if not isinstance(element, dict) or element.get("type") == "image":
        return element
    return {"action_id": action_id, **element}


def initial_values(blocks: Sequence[object]) -> Values:
    """What is chosen before anybody did anything."""
    values: Values = {}
    for block, element in elements_of(blocks):
        kind = str(element.get("type"))
        if kind in _FIELDS:
            name, start = _FIELDS[kind]
            state: State = {"type": kind, name: element.get(start, [] if name.endswith("s") else None)}
            values.setdefault(str(block.get("block_id")), {})[str(element.get("action_id"))] = state
    return values


def chosen(element: Mapping[str, object], value: object) -> State:
    """The state of `element` after `value` was typed or picked; options are named by their value."""
    kind = str(element.get("type"))
    name = _FIELDS[kind][0]
    given = value if isinstance(value, list | tuple) else [value]
    picked = [_option(element, each) if "option" in name else each for each in given if each not in (None, "")]
    return {"type": kind, name: picked if name.endswith("s") else next(iter(picked), None)}


def _option(element: Mapping[str, object], value: object) -> object:
    """The whole option. Raises LookupError: nobody can pick what is not offered."""
    for each in options_of(element):
        if value in (each, each.get("value")):
            return each
    raise LookupError(f"no option {value!r} in {element.get('action_id')}")


def is_empty(state: Mapping[str, object] | None) -> bool:
    found = [each for name, each in (state or {}).items() if name != "type"]
    return not any(each not in (None, "", []) for each in found)


@dataclass(frozen=True, slots=True)
class View:
    """`body` is what the app sent, with the ids that Slack adds to its blocks."""

    view_id: str
    team: str
    user: str
    body: Mapping[str, object]
    hash: str
    values: Values = field(default_factory=dict)

    @property
    def is_home(self) -> bool:
        return self.body.get("type") == "home"

    @property
    def blocks(self) -> list[dict[str, object]]:
        found = self.body.get("blocks")
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    @property
    def title(self) -> str:
        return self.label("title")

    @property
    def private_metadata(self) -> str:
        return str(self.body.get("private_metadata") or "")

    @property
    def callback_id(self) -> str:
        return str(self.body.get("callback_id") or "")

    def label(self, name: str) -> str:
        """ "title", "submit" or "close"; "" for none."""
        found = self.body.get(name)
        return str(found.get("text")) if isinstance(found, dict) else ""

    def json(self, app_id: str) -> dict[str, object]:
        """As the API and the payloads show it."""
        usual: dict[str, object] = dict.fromkeys(("private_metadata", "callback_id", "external_id"), "")
        usual |= dict.fromkeys(("title", "close", "submit"))
        usual |= dict.fromkeys(("clear_on_close", "notify_on_close"), False)
        return {
            "id": self.view_id, "team_id": self.team, **usual, **self.body, "state": {"values": self.values},
            "hash": self.hash, "root_view_id": self.view_id, "previous_view_id": None,
            "app_id": app_id, "app_installed_team_id": self.team, "bot_id": BOT_ID,
        }  # fmt: skip


@dataclass(slots=True)
class Trigger:
    """Who did something."""

    team: str
    user: str
    issued_at: datetime
    is_used: bool = False


class Triggers:
    """`trigger_id`s: good for one view, and for three seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, Trigger] = {}
        self._numbers = itertools.count(1)

    def issue(self, team: str, user: str, trigger_id: str = "") -> str:
        made = trigger_id or f"{next(self._numbers)}.{int(self._clock().timestamp())}.{secrets.token_hex(8)}"
        self._known.setdefault(made, Trigger(team, user, self._clock()))
        return made

    def use(self, trigger_id: str) -> Trigger:
        """What is behind a trigger, once. Raises Slack's refusals."""
        found = self._known.get(trigger_id)
        if found is None:
            raise SlackRefusal("invalid_trigger_id")
        if found.is_used:
            raise SlackRefusal("exchanged_trigger_id")
        if self._clock() - found.issued_at > TRIGGER_LIFETIME:
            raise SlackRefusal("expired_trigger_id")
        found.is_used = True
        return found


class Views:
    """The modal that a person has open, and his home tab. Modals on top of others and `external_id`s, which the bot has
    no use for, are not known here."""

    def __init__(self) -> None:
        self._views: dict[tuple[str, str, bool], View] = {}
        self._numbers = itertools.count(1)

    def modal(self, team: str, user: str) -> View | None:
        return self._views.get((team, user, False))

    def home(self, team: str, user: str) -> View | None:
        return self._views.get((team, user, True))

    def get(self, view_id: str) -> View | None:
        return next((each for each in self._views.values() if each.view_id == view_id), None)

    def show(self, team: str, user: str, body: Mapping[str, object]) -> View:
        """A modal in place of what was open, or a home tab, which keeps its id."""
        known = self.home(team, user)
        if body.get("type") == "home" and known is not None:
            return self.update(known, body)
        return self._put(View(f"V{next(self._numbers)}", team, user, body, ""))

    def update(self, view: View, body: Mapping[str, object]) -> View:
        """What is filled in stays where block and element keep their ids."""
        return self._put(replace(view, body=body))

    def fill(self, view: View, block_id: str, action_id: str, state: State) -> View:
        values = {**view.values, block_id: {**view.values.get(block_id, {}), action_id: state}}
        return self._keep(replace(view, values=values))

    def close(self, view: View) -> None:
        if self.modal(view.team, view.user) == view:
            del self._views[view.team, view.user, False]

    def _put(self, view: View) -> View:
        blocks = view.body.get("blocks")
        shown = named(blocks if isinstance(blocks, list) else [])
        kept = {
            block: {action: view.values.get(block, {}).get(action, state) for action, state in actions.items()}
            for block, actions in initial_values(shown).items()
        }
        made = f"{secrets.randbelow(10**10)}.{secrets.token_hex(4)}"
        return self._keep(replace(view, body={**view.body, "blocks": shown}, values=kept, hash=made))

    def _keep(self, view: View) -> View:
        self._views[view.team, view.user, view.is_home] = view
        return view
