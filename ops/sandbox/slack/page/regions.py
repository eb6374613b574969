"""The parts of the page, each drawn on its own, so that the browser replaces only what changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import jinja2
from markupsafe import Markup

from ops.sandbox import wording as shared
from ops.sandbox.slack import wording
from ops.sandbox.slack.forms import named
from ops.sandbox.slack.mrkdwn import text_html
from ops.sandbox.slack.page.drawing import Drawing
from ops.sandbox.slack.page.fields import FORM, Surroundings
from ops.sandbox.slack.page.here import Here, people_of
from ops.sandbox.slack.people import BOT, SLACKBOT
from ops.sandbox.slack.typed_text import as_typed
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message, Workspace
from ops.sandbox.slack.world import World

_FOLDER = Path(__file__).parent
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


@dataclass(slots=True)
class Notices:
    """What Slack tells a person outside of messages: errors beside the fields of a form, trouble with a click."""

    errors: dict[str, Mapping[str, str]] = field(default_factory=dict)
    problems: dict[tuple[str, str], str] = field(default_factory=dict)


class Regions:
    def __init__(self, world: World, bot_url: str) -> None:
        self._world = world
        self._bot = "Socket Mode" if world.app.is_socket else bot_url
        self.notices = Notices()

    def page(self, here: Here) -> str:
        workspace = self._world.workspaces[here.team]
        return _TEMPLATES.get_template("page.html").render(
            title=shared.page_title("Slack"),
            hint=shared.page_hint("Slack", self._bot),
            here=here,
            place=self._place(workspace, here),
            parts={name: Markup(part) for name, part in self.parts(here).items()},  # noqa: S704 - escaped by templates
            shortcuts=self._world.app.shortcuts,
        )

    def parts(self, here: Here) -> dict[str, str]:
        """Region -> HTML."""
        workspace = self._world.workspaces[here.team]
        return {
            "sidebar": self._sidebar(workspace, here),
            "messages": self._home(workspace, here) if here.home else self._messages(workspace, here),
            "thread": self._thread(workspace, here),
            "modal": self._modal(workspace, here),
        }

    def _sidebar(self, workspace: Workspace, here: Here) -> str:
        channels = [each for each in workspace.channels.values() if each.found_by(here.user)]
        return _TEMPLATES.get_template("sidebar.html").render(
            here=here,
            workspace=workspace,
            workspaces=list(self._world.workspaces.values()),
            channels=[each for each in channels if each.kind in ("channel", "group")],
            directs=[
                (each, self._direct_name(workspace, each.members, here))
                for each in channels
                if each.kind in ("im", "mpim")
            ],
            people=[(each, _shown(workspace, each)) for each in people_of(workspace)],
        )

    def _messages(self, workspace: Workspace, here: Here) -> str:
        seen = workspace.seen_by(here.user, here.channel)
        top = [each for each in seen if not each.thread_ts or each.is_broadcast or each.thread_ts == each.ts]
        return _TEMPLATES.get_template("messages.html").render(
            here=here,
            messages=[self._message(workspace, each, here) for each in top],
            nothing=wording.no_messages(),
            only_you=wording.only_you(),
            status=self._world.threads.status(here.team, here.channel, ""),
            invite=wording.bot_not_here("adpolicy") if self._bot_is_missing(workspace, here) else "",
        )

    def _thread(self, workspace: Workspace, here: Here) -> str:
        if not here.thread or here.home:
            return ""
        seen = [each for each in workspace.seen_by(here.user, here.channel) if here.thread in (each.ts, each.thread_ts)]
        place = (here.team, here.channel, here.thread)
        return _TEMPLATES.get_template("thread.html").render(
            here=here,
            messages=[self._message(workspace, each, here, in_thread=True) for each in seen],
            only_you=wording.only_you(),
            nothing="",
            status=self._world.threads.status(*place),
            prompts=self._world.threads.prompts.get(place, ()),
        )

    def _home(self, workspace: Workspace, here: Here) -> str:
        view = self._world.views.home(here.team, here.user)
        if view is None:
            return str(Markup("<p>{}</p>").format(wording.no_home()))
        blocks = Drawing(self._around(workspace, here, f"v:{view.view_id}"), view.values).blocks(view.blocks)
        return str(Markup('<div class="home">{}</div>').format(Markup("").join(blocks)))

    def _modal(self, workspace: Workspace, here: Here) -> str:
        problem = self.notices.problems.get((here.team, here.user), "")
        stack = self._world.views.stack(here.team, here.user)
        if not stack:
            return str(Markup('<p class="problem" role="alert">{}</p>').format(problem)) if problem else ""
        view = stack[-1]
        around = self._around(workspace, here, f"v:{view.view_id}", self.notices.errors.get(view.view_id, {}))
        return _TEMPLATES.get_template("modal.html").render(
            here=here,
            form=FORM,
            view=view,
            blocks=Drawing(around, view.values).blocks(view.blocks),
            submit=_label(view, "submit"),
            close=_label(view, "close") or "Cancel",
            problem=problem,
        )

    def _message(
        self, workspace: Workspace, message: Message, here: Here, *, in_thread: bool = False
    ) -> dict[str, object]:
        drawing = Drawing(self._around(workspace, here, f"m:{message.channel}:{message.ts}"), {})
        body = drawing.blocks(named(message.blocks)) or [text_html(message.text, self._names(workspace))]
        replies = [] if in_thread else workspace.replies(message.channel, message.ts)
        return {
            "message": message,
            "body": body,
            "is_streaming": self._world.is_streaming(message),
            "author": _shown(workspace, message.author),
            "is_app": message.author in (BOT, SLACKBOT) or bool(message.bot_id),
            "time": _time(message.ts),
            "replies": len(replies),
            "status": "" if in_thread else self._world.threads.status(here.team, message.channel, message.ts),
            "thread": here.at(thread=message.thread_ts or message.ts).address,
            "typed": as_typed(workspace, message.text),
            "is_own": message.author == here.user and not message.subtype,
            "shortcuts": {} if message.visible_to else self._world.app.message_shortcuts,
            "ephemeral": message.visible_to is not None,
        }

    def _around(
        self, workspace: Workspace, here: Here, target: str, errors: Mapping[str, str] | None = None
    ) -> Surroundings:
        people = {each: _shown(workspace, each) for each in people_of(workspace)}
        channels = {
            each.channel_id: f"#{each.name}"
            for each in workspace.channels.values()
            if each.found_by(here.user) and each.kind in ("channel", "group")
        }
        return Surroundings(target, here.query, self._names(workspace), people, channels, errors or {})

    def _names(self, workspace: Workspace) -> dict[str, str]:
        found = {each.user_id: f"@{each.shown}" for each in workspace.people.values()}
        found |= {each.channel_id: f"#{each.name}" for each in workspace.channels.values()}
        found |= {f"subteam^{each}": f"@{each.lower()}" for each in workspace.usergroups}
        return found

    def _bot_is_missing(self, workspace: Workspace, here: Here) -> bool:
        channel = workspace.channels[here.channel]
        return BOT not in channel.members and here.user in channel.members and not channel.is_archived

    def _direct_name(self, workspace: Workspace, members: frozenset[str], here: Here) -> str:
        return ", ".join(_shown(workspace, each) for each in sorted(members - {here.user}))

    def _place(self, workspace: Workspace, here: Here) -> str:
        if here.home:
            return _shown(workspace, BOT)
        channel = workspace.channels[here.channel]
        if channel.kind in ("im", "mpim"):
            return self._direct_name(workspace, channel.members, here)
        return f"# {channel.name}"


def _shown(workspace: Workspace, user: str) -> str:
    known = workspace.people.get(user)
    return known.shown if known else user


def _time(ts: str) -> dict[str, str]:
    when = datetime.fromtimestamp(float(ts), UTC)
    return {"machine": when.isoformat(), "shown": when.strftime("%H:%M")}


def _label(view: View, name: str) -> str:
    found = view.body.get(name)
    return str(found.get("text")) if isinstance(found, dict) else ""
