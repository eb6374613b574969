"""Modals and home tabs as they stand: who has which open, and what is filled in."""

import itertools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ops.sandbox.slack.forms import State, Values, initial_values, named
from ops.sandbox.slack.people import BOT_ID
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.triggers import Trigger

MOST_STACKED = 3
"""A first modal and two pushed on it."""


@dataclass(frozen=True, slots=True)
class View:
    """`body` is what the app sent, with the ids that Slack adds to its blocks."""

    view_id: str
    team: str
    user: str
    body: Mapping[str, object]
    hash: str
    root_id: str
    previous_id: str | None = None
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
        found = self.body.get("title")
        return str(found.get("text")) if isinstance(found, dict) else ""

    @property
    def private_metadata(self) -> str:
        return str(self.body.get("private_metadata") or "")

    @property
    def callback_id(self) -> str:
        return str(self.body.get("callback_id") or "")

    def json(self, app_id: str) -> dict[str, object]:
        """As the API and the payloads show it."""
        return {
            "id": self.view_id,
            "team_id": self.team,
            "private_metadata": "",
            "callback_id": "",
            "external_id": "",
            "title": None,
            "close": None,
            "submit": None,
            "clear_on_close": False,
            "notify_on_close": False,
            **self.body,
            "state": {"values": self.values},
            "hash": self.hash,
            "root_view_id": self.root_id,
            "previous_view_id": self.previous_id,
            "app_id": app_id,
            "app_installed_team_id": self.team,
            "bot_id": BOT_ID,
        }


class Views:
    """Modals are stacks, one a person; a home tab is one a person. Raises Slack's refusals."""

    def __init__(self) -> None:
        self._views: dict[str, View] = {}
        self._stacks: dict[tuple[str, str], list[str]] = {}
        self._homes: dict[tuple[str, str], str] = {}
        self._numbers = itertools.count(1)

    def stack(self, team: str, user: str) -> list[View]:
        """The modals of a person, the one on top last."""
        return [self._views[each] for each in self._stacks.get((team, user), [])]

    def home(self, team: str, user: str) -> View | None:
        found = self._homes.get((team, user))
        return self._views[found] if found else None

    def get(self, view_id: str) -> View | None:
        return self._views.get(view_id)

    def open(self, trigger: Trigger, body: Mapping[str, object]) -> View:
        """A first modal; whatever was open is gone."""
        self.close_all(trigger.team, trigger.user)
        return self._pushed(trigger, body, None)

    def push(self, trigger: Trigger, body: Mapping[str, object]) -> View:
        stack = self.stack(trigger.team, trigger.user)
        if not stack or not trigger.view_id:
            raise SlackRefusal("not_found")
        if len(stack) >= MOST_STACKED:
            raise SlackRefusal("push_limit_reached")
        return self._pushed(trigger, body, stack[-1])

    def update(self, view: View, body: Mapping[str, object], given_hash: str = "") -> View:
        """What is filled in stays where block and element keep their ids."""
        if given_hash and given_hash != view.hash:
            raise SlackRefusal("hash_conflict")
        self._check_external(view.team, body, but=view.view_id)
        made = replace(view, body=_named(body), hash=_hash(), values={})
        kept = {
            block: {action: view.values.get(block, {}).get(action, state) for action, state in actions.items()}
            for block, actions in initial_values(made.blocks).items()
        }
        self._views[view.view_id] = replace(made, values=kept)
        return self._views[view.view_id]

    def publish(self, team: str, user: str, body: Mapping[str, object], given_hash: str = "") -> View:
        """The home tab of a person."""
        known = self.home(team, user)
        if known is not None:
            return self.update(known, body, given_hash)
        self._check_external(team, body)
        made = self._made(team, user, body, None)
        self._homes[team, user] = made.view_id
        return made

    def find(self, team: str, view_id: str, external_id: str) -> View:
        """An open modal or a home tab."""
        for view in [*self._open(team), *(self._views[each] for each in self._homes.values())]:
            same = view.view_id == view_id if view_id else view.body.get("external_id") == external_id != ""
            if same and view.team == team:
                return view
        raise SlackRefusal("not_found")

    def fill(self, view: View, block_id: str, action_id: str, state: State) -> View:
        values = {**view.values, block_id: {**view.values.get(block_id, {}), action_id: state}}
        self._views[view.view_id] = replace(view, values=values)
        return self._views[view.view_id]

    def close(self, view: View) -> None:
        """Takes one from its stack."""
        stack = self._stacks.get((view.team, view.user), [])
        if view.view_id in stack:
            stack.remove(view.view_id)
            del self._views[view.view_id]

    def close_all(self, team: str, user: str) -> list[View]:
        """What was open, the one on top first."""
        found = list(reversed(self.stack(team, user)))
        for each in found:
            self.close(each)
        return found

    def pushed_on(self, view: View, body: Mapping[str, object]) -> View:
        """What `response_action: push` asks for."""
        if len(self.stack(view.team, view.user)) >= MOST_STACKED:
            raise SlackRefusal("push_limit_reached")
        made = self._made(view.team, view.user, body, view)
        self._stacks.setdefault((view.team, view.user), []).append(made.view_id)
        return made

    def _pushed(self, trigger: Trigger, body: Mapping[str, object], below: View | None) -> View:
        self._check_external(trigger.team, body)
        made = self._made(trigger.team, trigger.user, body, below)
        self._stacks.setdefault((trigger.team, trigger.user), []).append(made.view_id)
        return made

    def _made(self, team: str, user: str, body: Mapping[str, object], below: View | None) -> View:
        view_id = f"V{next(self._numbers)}"
        root, previous = (below.root_id, below.view_id) if below else (view_id, None)
        made = View(view_id, team, user, _named(body), _hash(), root, previous)
        self._views[view_id] = replace(made, values=initial_values(made.blocks))
        return self._views[view_id]

    def _open(self, team: str) -> list[View]:
        return [self._views[each] for (where, _), stack in self._stacks.items() if where == team for each in stack]

    def _check_external(self, team: str, body: Mapping[str, object], but: str = "") -> None:
        wanted = body.get("external_id")
        for each in self._views.values():
            if wanted and each.team == team and each.view_id != but and each.body.get("external_id") == wanted:
                raise SlackRefusal("duplicate_external_id")


def _named(body: Mapping[str, object]) -> Mapping[str, object]:
    blocks = body.get("blocks")
    return {**body, "blocks": named(blocks if isinstance(blocks, list) else [])}


def _hash() -> str:
    return f"{secrets.randbelow(10**10)}.{secrets.token_hex(4)}"
