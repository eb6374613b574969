"""A call of the Web API, and how methods read it."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ops.sandbox.slack.block_kit import Refused, parsed
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.workspace import Message, Workspace, message_json
from ops.sandbox.slack.world import World

Answer = dict[str, object]


def invalid(what: str) -> SlackRefusal:
    return SlackRefusal("invalid_arguments", [f"[ERROR] {what}"])


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
            raise invalid(f"missing required field: {name}")
        return self.text(name)

    def flag(self, name: str) -> bool:
        return self.arguments.get(name) in (True, "true", "True", "1", 1)

    def structure(self, name: str) -> object:
        """A value that may come as JSON in a string."""
        return parsed(self.arguments.get(name))

    def channel(self, name: str = "channel", *, scope: str = "", inside: bool = False) -> Channel:
        """The channel that is meant, by id or #name; what the bot cannot see is not found. `scope`: "read" or
        "history" of its kind, which is needed; `inside`: the bot has to be there."""
        wanted, channels = self.required(name), self.workspace.channels
        named = [each for each in channels.values() if each.name == wanted.lstrip("#")]
        found = channels.get(wanted) or next(iter(named), None)
        if found is None or not found.found_by(BOT):
            raise SlackRefusal("channel_not_found")
        if scope:
            self.need(f"{found.scopes}:{scope}")
        if inside and BOT not in found.members:
            raise SlackRefusal("not_in_channel")
        return found

    def message(self, channel: Channel, name: str = "ts", missing: str = "message_not_found") -> Message:
        """One that everybody sees."""
        found = self.workspace.find(channel.channel_id, self.required(name))
        if found is None or found.visible_to or found.subtype == "tombstone":
            raise SlackRefusal(missing)
        return found

    def need(self, scope: str) -> None:
        if scope not in self.grant.scopes:
            raise missing_scope([scope], self.grant)

    def shown(self, message: Message) -> Answer:
        """The answer with a message of the bot's."""
        found = message_json(self.workspace, message, self.world.app.app_id, with_metadata=True)
        return {"ok": True, "channel": message.channel, "ts": message.ts, "text": message.text, "message": found}

    def page(self, found: Sequence[object], key: str) -> Answer:
        """The part of a list that `cursor` and `limit` ask for."""
        limit, start = min(self._limit(), self.world.lookups.page), self._start()
        if start > len(found):
            raise SlackRefusal("invalid_cursor")
        rest = start + limit < len(found)
        following = base64.b64encode(f"next:{start + limit}".encode()).decode() if rest else ""
        return {"ok": True, key: list(found[start : start + limit]), "response_metadata": {"next_cursor": following}}

    def _limit(self) -> int:
        try:
            return min(int(self.text("limit") or 100), 1_000)
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
