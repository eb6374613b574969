"""Where somebody is on the page: workspace, person, channel, thread, or the app's home."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

from aiohttp import web

from ops.sandbox.slack import wording
from ops.sandbox.slack.workspace import Workspace
from ops.sandbox.slack.world import World


@dataclass(frozen=True, slots=True)
class Here:
    team: str
    user: str
    channel: str
    thread: str = ""
    home: str = ""

    @property
    def query(self) -> str:
        found = {
            "team": self.team,
            "user": self.user,
            "channel": self.channel,
            "thread": self.thread,
            "home": self.home,
        }
        return urlencode({name: value for name, value in found.items() if value})

    @property
    def address(self) -> str:
        return f"/?{self.query}"

    def at(self, **other: str) -> "Here":
        """The same place with something else shown."""
        return replace(self, **other)


def people_of(workspace: Workspace) -> list[str]:
    """Who can use the page: everybody in a channel who is no bot."""
    members = {user for each in workspace.channels.values() for user in each.members}
    known = {each.user_id for each in workspace.people.values() if not each.is_bot and not each.deleted}
    bots = {each.user_id for each in workspace.people.values() if each.is_bot}
    return sorted((members | known) - bots - {"USLACKBOT"})


def here_of(world: World, asked: Mapping[str, str]) -> Here:
    """The place that is asked for; what is not named, or not there, is the first of its kind.

    Raises 404 for a channel that this person does not see.
    """
    workspace = world.workspaces.get(asked.get("team", "")) or next(iter(world.workspaces.values()))
    people = people_of(workspace)
    user = asked.get("user", "")
    user = user if user in people else people[0]
    seen = [each.channel_id for each in workspace.channels.values() if each.found_by(user)]
    channel = asked.get("channel", "")
    if channel and channel not in seen:
        raise web.HTTPNotFound(text=wording.unknown_channel(channel))
    return Here(workspace.team, user, channel or seen[0], asked.get("thread", ""), asked.get("home", ""))


def here_in(world: World, query: str) -> Here:
    return here_of(world, dict(parse_qsl(query)))
