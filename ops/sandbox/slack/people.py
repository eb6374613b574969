"""Who is who in the pretended workspace: the methods of the Web API that tell it, with Slack's paging and scopes."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ops.sandbox.slack.workspace import BOT, Channel, Workspace

Answer = dict[str, object]

_LARGEST_PAGE = 1_000


@dataclass(slots=True)
class Lookups:
    """`scopes` are those that the app was given; `page` entries come at most at once, whatever is asked for."""

    workspace: Workspace
    scopes: set[str] = field(
        default_factory=lambda: {
            "commands", "usergroups:read", "users:read", "channels:read", "groups:read", "im:read", "mpim:read",
        }
    )  # fmt: skip
    page: int = _LARGEST_PAGE

    def methods(self) -> dict[str, Callable[[Mapping[str, object]], Answer]]:
        return {
            "users.info": self._user,
            "usergroups.users.list": self._usergroup,
            "conversations.info": self._info,
            "conversations.members": self._members,
        }

    def _user(self, arguments: Mapping[str, object]) -> Answer:
        person = self.workspace.people.get(str(arguments.get("user")))
        if refused := self._without("users:read"):
            return refused
        return _no("user_not_found") if person is None else {"ok": True, "user": person.shown(self.workspace.team)}

    def _usergroup(self, arguments: Mapping[str, object]) -> Answer:
        people = self.workspace.usergroups.get(str(arguments.get("usergroup")))
        if refused := self._without("usergroups:read"):
            return refused
        return _no("no_such_subteam") if people is None else {"ok": True, "users": sorted(people)}

    def _info(self, arguments: Mapping[str, object]) -> Answer:
        channel = self._seen(arguments)
        if not isinstance(channel, Channel):
            return channel
        shown = {"id": channel.channel_id, "name": channel.name, "is_im": channel.is_im, "is_private": _closed(channel)}
        return {"ok": True, "channel": {**shown, "is_archived": channel.is_archived, **channel.sharing}}

    def _members(self, arguments: Mapping[str, object]) -> Answer:
        channel = self._seen(arguments)
        if not isinstance(channel, Channel):
            return channel
        try:
            wanted, start = int(str(arguments.get("limit") or 100)), _start(str(arguments.get("cursor") or ""))
        except ValueError:
            return _no("invalid_cursor")
        if not 0 < wanted <= _LARGEST_PAGE:
            return _no("invalid_limit")
        members = sorted(channel.members)
        end = start + min(wanted, self.page)
        following = _cursor(end) if end < len(members) else ""
        return {"ok": True, "members": members[start:end], "response_metadata": {"next_cursor": following}}

    def _seen(self, arguments: Mapping[str, object]) -> Channel | Answer:
        """The channel, if the bot may see it: a private one only from inside."""
        channel = self.workspace.channels.get(str(arguments.get("channel")))
        if channel is None:
            return _no("channel_not_found")
        scope = "im:read" if channel.is_im else "groups:read" if channel.is_private else "channels:read"
        if refused := self._without(scope):
            return refused
        return channel if BOT in channel.members or not _closed(channel) else _no("channel_not_found")

    def _without(self, scope: str) -> Answer | None:
        if scope in self.scopes:
            return None
        return {**_no("missing_scope"), "needed": scope, "provided": ",".join(sorted(self.scopes))}


def _closed(channel: Channel) -> bool:
    return channel.is_private or channel.is_im


def _cursor(at: int) -> str:
    return base64.b64encode(f"at:{at}".encode()).decode()


def _start(cursor: str) -> int:
    """Raises ValueError for what is no cursor of ours."""
    if not cursor:
        return 0
    text = base64.b64decode(cursor, validate=True).decode()
    if not text.startswith("at:"):
        raise ValueError(cursor)
    return int(text.removeprefix("at:"))


def _no(code: str) -> Answer:
    return {"ok": False, "error": code}
