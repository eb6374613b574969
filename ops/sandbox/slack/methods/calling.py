"""A call of the Web API, and how methods read it."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ops.sandbox.slack.block_kit import Refused
from ops.sandbox.slack.block_kit.messages import parsed
from ops.sandbox.slack.channels import Channel
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.workspace import Workspace
from ops.sandbox.slack.world import World

Answer = dict[str, object]


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls, in which workspace, with what. Readers raise SlackRefusal."""

    world: World
    workspace: Workspace
    grant: Grant
    arguments: Mapping[str, object]

    def text(self, name: str, default: str = "") -> str:
        found = self.arguments.get(name)
        return default if found is None else str(found)

    def required(self, name: str) -> str:
        if not self.text(name):
            raise SlackRefusal("invalid_arguments", [f"[ERROR] missing required field: {name}"])
        return self.text(name)

    def flag(self, name: str, default: bool = False) -> bool:
        found = self.arguments.get(name, default)
        return found in (True, "true", "True", "1", 1)

    def structure(self, name: str) -> object:
        """A value that may come as JSON in a string."""
        return parsed(self.arguments.get(name))

    def channel(self, name: str = "channel") -> Channel:
        """The channel that is meant, by id or #name; what the bot cannot see is not found."""
        wanted = self.required(name)
        found = self.workspace.channels.get(wanted)
        if found is None:
            named = [each for each in self.workspace.channels.values() if f"#{each.name}" == f"#{wanted.lstrip('#')}"]
            found = named[0] if named else None
        if found is None or not found.found_by(BOT):
            raise SlackRefusal("channel_not_found")
        return found

    def need(self, scope: str) -> None:
        if scope not in self.grant.scopes:
            raise missing_scope([scope], self.grant)

    def page(self, found: Sequence[object], key: str, *, usual: int = 100, most: int = 1000) -> Answer:
        """The part of a list that `cursor` and `limit` ask for."""
        limit, start = min(self._limit(usual, most), self.world.lookups.page), self._start()
        if start > len(found):
            raise SlackRefusal("invalid_cursor")
        rest = start + limit < len(found)
        following = base64.b64encode(f"next:{start + limit}".encode()).decode() if rest else ""
        return {"ok": True, key: list(found[start : start + limit]), "response_metadata": {"next_cursor": following}}

    def _limit(self, usual: int, most: int) -> int:
        try:
            return min(int(self.text("limit")), most) if self.text("limit") else usual
        except ValueError as exc:
            raise SlackRefusal("invalid_limit") from exc

    def _start(self) -> int:
        if not self.text("cursor"):
            return 0
        try:
            return int(base64.b64decode(self.text("cursor"), validate=True).decode().removeprefix("next:"))
        except (ValueError, binascii.Error) as exc:
            raise SlackRefusal("invalid_cursor") from exc


@dataclass(frozen=True, slots=True)
class Method:
    """`scopes`: any of them will do (none: no scope is needed). `by_team`: an org token must name a workspace."""

    act: Callable[[Call], Answer]
    scopes: tuple[str, ...] = ()
    tier: int = 3
    by_team: bool = False


def missing_scope(needed: Sequence[str], grant: Grant) -> SlackRefusal:
    return SlackRefusal("missing_scope", needed=",".join(needed), provided=",".join(sorted(grant.scopes)))


def refuse(refused: Refused | None) -> None:
    if refused is not None:
        raise SlackRefusal(refused.code, refused.messages)
