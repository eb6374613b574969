"""Slack as a person sees it, in a browser: channels, threads, messages, modals, the app's home, installing the app."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import jinja2
from aiohttp import web
from markupsafe import Markup

from ops.sandbox import wording
from ops.sandbox.own_page import Form, check_host, html, own_form, static
from ops.sandbox.slack import grants
from ops.sandbox.slack.block_kit import elements_of, options_of
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.mark_up import markdown_html, plain_html, text_html
from ops.sandbox.slack.people import BOT, SLACKBOT, Channel
from ops.sandbox.slack.person import Person, as_typed
from ops.sandbox.slack.views import State, View, named
from ops.sandbox.slack.workspace import Message, Workspace
from ops.sandbox.slack.world import World

PersonOf = Callable[[str, str], Person]
"""(user, team) -> somebody who can act."""
Act = Callable[["Page", "Here", Person, Form], Awaitable["Here"]]

_FOLDER = Path(__file__).parent / "page"
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
_BOXES = ("checkboxes", "radio_buttons")


@dataclass(frozen=True, slots=True)
class Here:
    """Where somebody is on the page: workspace, person, channel, thread, or the app's home."""

    team: str
    user: str
    channel: str
    thread: str = ""
    home: str = ""

    @property
    def query(self) -> str:
        found = {name: getattr(self, name) for name in ("team", "user", "channel", "thread", "home")}
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
    return sorted((members | known) - bots - {SLACKBOT})


def here_of(world: World, asked: Mapping[str, str]) -> Here:
    """The place that is asked for; what is not named, or not there, is the first of its kind.

    Raises 404 for a channel that this person does not see.
    """
    workspace = world.workspaces.get(asked.get("team", "")) or next(iter(world.workspaces.values()))
    people, user = people_of(workspace), asked.get("user", "")
    user = user if user in people else people[0]
    seen = [each.channel_id for each in workspace.channels.values() if each.found_by(user)]
    channel = asked.get("channel", "")
    if channel and channel not in seen:
        raise web.HTTPNotFound(text=wording.unknown_channel(channel))
    return Here(workspace.team, user, channel or seen[0], asked.get("thread", ""), asked.get("home", ""))


class Page:
    """`/` the whole page, `/parts` its regions as JSON, one address for each thing that people do. `problems`: what
    Slack tells a person outside of messages; `errors`: beside the fields of a form."""

    def __init__(self, world: World, bot_url: str, person_of: PersonOf) -> None:
        self._world = world
        self._bot = "Socket Mode" if world.app.is_socket else bot_url
        self._person_of = person_of
        self.errors: dict[str, Mapping[str, str]] = {}
        self.problems: dict[tuple[str, str], str] = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self._show),
            web.get("/channel", self._show),
            web.get("/parts", self._parts),
            static(_FOLDER),
            web.get("/oauth/v2/authorize", self._ask_to_install),
            web.post("/oauth/v2/authorize", self._install),
            *[web.post(f"/{name}", self._doing(act)) for name, act in _ACTS.items()],
        ]

    async def _show(self, request: web.Request) -> web.Response:
        check_host(request)
        here = here_of(self._world, dict(request.query))
        said = {"title": wording.page_title("Slack"), "hint": wording.page_hint("Slack", self._bot)}
        parts = {name: Markup(part) for name, part in self._drawn(here).items()}  # noqa: S704 - templates escape
        place, shortcuts = self._title(here), self._world.app.shortcuts
        return html(_draw("page.html", here=here, parts=parts, place=place, shortcuts=shortcuts, **said))

    async def _parts(self, request: web.Request) -> web.Response:
        check_host(request)
        return web.json_response(self._drawn(here_of(self._world, dict(request.query))))

    def _doing(self, act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
        """A form that was sent: done as the person of the page, then back to the page."""

        async def take(request: web.Request) -> web.Response:
            form = await own_form(request)
            asked = str(form.get("here") or "")
            fields = dict(parse_qsl(asked)) if asked else {name: str(value) for name, value in form.items()}
            here = here_of(self._world, fields)
            self.problems.pop((here.team, here.user), None)
            try:
                following = await act(self, here, self._person_of(here.user, here.team), form)
            except LookupError as exc:
                raise web.HTTPNotFound(text=wording.NO_LONGER_THERE) from exc
            raise web.HTTPSeeOther(following.address)

        return take

    def tell(self, here: Here, problem: str) -> None:
        if problem:
            self.problems[here.team, here.user] = problem

    async def _ask_to_install(self, request: web.Request) -> web.Response:
        check_host(request)
        try:
            made = grants.offer(self._world.app, request.query)
        except SlackRefusal as refusal:
            raise web.HTTPBadRequest(text=wording.oauth_refused(refusal.code)) from refusal
        spaces = list(self._world.workspaces.values())
        orgs = list({each.enterprise: each for each in spaces if each.enterprise and made.takes_orgs}.values())
        shown = {"scopes": sorted(made.scopes), "workspaces": spaces, "organisations": orgs}
        text = _draw("install.html", **shown, people=people_of(spaces[0]), asked=str(request.rel_url))
        split = urlsplit(made.redirect_uri)
        return html(text, f" {split.scheme}://{split.netloc}")

    async def _install(self, request: web.Request) -> web.Response:
        form = await own_form(request)
        team, _, organisation = str(form.get("where")).partition("+")
        try:
            made = grants.offer(self._world.app, grants.asked(str(form["asked"])))
            decided = {"organisation": bool(organisation), "allowed": form.get("decision") == "allow"}
            space = self._world.workspaces[team]
            away = grants.decide(self._world.grants, made, space, user=str(form.get("user")), **decided)
        except (SlackRefusal, KeyError) as refusal:
            raise web.HTTPBadRequest(text=wording.oauth_refused(str(refusal))) from refusal
        raise web.HTTPSeeOther(away)

    def _drawn(self, here: Here) -> dict[str, str]:
        """Region -> HTML: the browser replaces only what changed."""
        space, threads = self._world.workspaces[here.team], self._world.threads
        there = space.channels[here.channel]
        seen = space.seen_by(here.user, here.channel)
        top = [each for each in seen if not each.thread_ts or each.is_broadcast or each.thread_ts == each.ts]
        thread = [each for each in seen if here.thread in (each.ts, each.thread_ts)] if here.thread else []
        missing = BOT not in there.members and here.user in there.members and not there.is_archived
        shared = {"here": here, "only_you": wording.ONLY_YOU}
        return {
            "sidebar": self._sidebar(space, here),
            "messages": self._home(space, here)
            if here.home
            else _draw(
                "messages.html",
                messages=[self._message(space, each, here) for each in top],
                nothing=wording.NO_MESSAGES,
                status=threads.status(here.team, here.channel, ""),
                invite=wording.bot_not_here("adpolicy") if missing else "",
                **shared,
            ),
            "thread": _draw(
                "thread.html",
                messages=[self._message(space, each, here, in_thread=True) for each in thread],
                status=threads.status(here.team, here.channel, here.thread),
                **shared,
            )
            if here.thread and not here.home
            else "",
            "modal": self._modal(space, here),
        }

    def _sidebar(self, space: Workspace, here: Here) -> str:
        seen = [each for each in space.channels.values() if each.found_by(here.user)]
        return _draw(
            "sidebar.html",
            here=here,
            workspace=space,
            workspaces=list(self._world.workspaces.values()),
            channels=[each for each in seen if each.kind in ("channel", "group")],
            directs=[(each, _others(space, each, here)) for each in seen if each.kind in ("im", "mpim")],
            people=[(each, _shown(space, each)) for each in people_of(space)],
        )

    def _home(self, space: Workspace, here: Here) -> str:
        view = self._world.views.home(here.team, here.user)
        blocks = self._blocks(space, here, view) if view else ""
        return _draw("home.html", view=view, blocks=blocks, nothing=wording.NO_HOME)

    def _modal(self, space: Workspace, here: Here) -> str:
        view = self._world.views.modal(here.team, here.user)
        problem = self.problems.get((here.team, here.user), "")
        blocks = self._blocks(space, here, view) if view else ""
        return _draw("modal.html", here=here, view=view, blocks=blocks, problem=problem)

    def _message(self, space: Workspace, message: Message, here: Here, *, in_thread: bool = False) -> dict[str, object]:
        replies = [] if in_thread else space.replies(message.channel, message.ts)
        when = datetime.fromtimestamp(float(message.ts), UTC)
        body = self._blocks(space, here, message)
        if not message.blocks:
            body = Markup('<div class="part">{}</div>').format(text_html(message.text, _names(space)))
        return {
            "message": message,
            "body": body,
            "is_streaming": self._world.is_streaming(message),
            "author": _shown(space, message.author),
            "is_app": message.author in (BOT, SLACKBOT) or bool(message.bot_id),
            "time": {"machine": when.isoformat(), "shown": when.strftime("%H:%M")},
            "replies": len(replies),
            "status": "" if in_thread else self._world.threads.status(here.team, message.channel, message.ts),
            "thread": here.at(thread=message.thread_ts or message.ts).address,
            "typed": as_typed(space, message.text),
            "is_own": message.author == here.user and not message.subtype,
            "shortcuts": {} if message.visible_to else self._world.app.message_shortcuts,
            "ephemeral": message.visible_to is not None,
        }

    def _blocks(self, space: Workspace, here: Here, shown: Message | View) -> Markup:
        channels = [each for each in space.channels.values() if each.found_by(here.user)]
        errors, values = dict[str, str](), dict[str, dict[str, State]]()
        if isinstance(shown, View):
            target, errors, values = f"v:{shown.view_id}", {**self.errors.get(shown.view_id, {})}, shown.values
        else:
            target = f"m:{shown.channel}:{shown.ts}"
        drawing = Drawing(
            target=target,
            here=here.query,
            names=_names(space),
            people={each: _shown(space, each) for each in people_of(space)},
            channels={each.channel_id: f"#{each.name}" for each in channels if each.kind in ("channel", "group")},
            errors=errors,
            values=values,
        )
        return drawing.blocks(named(shown.blocks))

    def _title(self, here: Here) -> str:
        space = self._world.workspaces[here.team]
        channel = space.channels[here.channel]
        if here.home:
            return _shown(space, BOT)
        return _others(space, channel, here) if channel.kind in ("im", "mpim") else f"# {channel.name}"


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws the blocks of one message or view (`blocks.html`). `target` is "m:CHANNEL:TS" or "v:VIEW", `here` the query
    of the page; `names`: id -> @name or #channel; `people`, `channels`: what menus of them offer; `values`: what is
    chosen. Kinds of blocks that are not drawn are shown as their JSON."""

    target: str
    here: str
    names: Mapping[str, str] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, State]] = field(default_factory=dict)

    def blocks(self, blocks: list[dict[str, object]]) -> Markup:
        return Markup(_draw("blocks.html", draw=self, blocks=blocks))  # noqa: S704 - the template escapes

    def text(self, item: object) -> Markup:
        """A text object."""
        found = item if isinstance(item, dict) else {}
        is_marked = found.get("type") == "mrkdwn"
        return text_html(str(found.get("text")), self.names) if is_marked else plain_html(str(found.get("text") or ""))

    def markdown(self, text: object) -> Markup:
        return markdown_html(str(text))

    def at(self, block: Mapping[str, object], element: Mapping[str, object], half: str = "") -> str:
        return json.dumps([self.target, block.get("block_id"), str(element.get("action_id")), half])

    def taken(self, block: Mapping[str, object], element: Mapping[str, object]) -> list[str]:
        """The values that are chosen."""
        state = self.values.get(str(block.get("block_id")), {}).get(str(element.get("action_id")), {})
        found: list[str] = []
        for name, value in state.items():
            if name != "type" and value is not None:
                listed = value if isinstance(value, list) else [value]
                found += [str(each.get("value")) if isinstance(each, dict) else str(each) for each in listed]
        return found

    def offered(self, element: Mapping[str, object]) -> list[tuple[str, Markup | str]]:
        kind = str(element.get("type"))
        if "users" in kind:
            return list(self.people.items())
        if "conversations" in kind or "channels" in kind:
            return list(self.channels.items())
        return [(str(each.get("value")), self.text(each.get("text"))) for each in options_of(element)]


def _draw(name: str, **shown: object) -> str:
    return _TEMPLATES.get_template(name).render(**shown)


def _names(space: Workspace) -> dict[str, str]:
    found = {each.user_id: f"@{each.shown}" for each in space.people.values()}
    found |= {each.channel_id: f"#{each.name}" for each in space.channels.values()}
    return found | {f"subteam^{each}": f"@{each.lower()}" for each in space.usergroups}


def _shown(space: Workspace, user: str) -> str:
    known = space.people.get(user)
    return known.shown if known else user


def _others(space: Workspace, channel: Channel, here: Here) -> str:
    return ", ".join(_shown(space, each) for each in sorted(channel.members - {here.user}))


async def _say(_: Page, here: Here, person: Person, form: Form) -> Here:
    typed = str(form.get("typed", "")).strip()
    if typed:
        await person.types(typed, here.channel, here.thread if form.get("into") == "thread" else "")
    return here


async def _act(page: Page, here: Here, person: Person, form: Form) -> Here:
    target, block_id, action_id, half = json.loads(str(form.get("at")))
    found = _target(person, target)
    if isinstance(found, View):
        _fill(person, found, form)
    values = [str(each) for each in form.getall("value", [])]
    value: object = values[0] if len(values) == 1 else values or None
    error = (await person.acts_at(found, block_id, action_id, half, value)).error
    page.tell(here, wording.action_failed(error) if error else "")
    return here


async def _submit(page: Page, here: Here, person: Person, form: Form) -> Here:
    view = _view(person, form)
    _fill(person, view, form, whole=True)
    submitted = await person.submits(view)
    page.errors[view.view_id] = submitted.errors
    page.tell(here, submitted.problem)
    return here


async def _close(_: Page, here: Here, person: Person, form: Form) -> Here:
    await person.closes(_view(person, form))
    return here


async def _edit(_: Page, here: Here, person: Person, form: Form) -> Here:
    await person.edits(_message(person, form), str(form.get("text", "")))
    return here


async def _delete(_: Page, here: Here, person: Person, form: Form) -> Here:
    await person.deletes(_message(person, form))
    return here


async def _shortcut(page: Page, here: Here, person: Person, form: Form) -> Here:
    callback = str(form.get("callback_id"))
    if form.get("target"):
        seen = await person.uses_message_shortcut(callback, _message(person, form))
    else:
        seen = await person.uses_shortcut(callback)
    page.tell(here, wording.action_failed(seen.error) if seen.error else "")
    return here


async def _open_app(_: Page, here: Here, person: Person, form: Form) -> Here:
    tab = "messages" if form.get("tab") == "messages" else "home"
    await person.opens_home(tab)
    return here.at(channel=person.direct.channel_id, thread="", home="" if tab == "messages" else "1")


async def _invite(_: Page, here: Here, person: Person, _form: Form) -> Here:
    await person.invites_bot(here.channel)
    return here


_ACTS: Mapping[str, Act] = {
    "say": _say,
    "act": _act,
    "submit": _submit,
    "close": _close,
    "edit": _edit,
    "delete": _delete,
    "shortcut": _shortcut,
    "open-app": _open_app,
    "invite": _invite,
}


def _target(person: Person, target: str) -> Message | View:
    """What "m:CHANNEL:TS" or "v:VIEW" stands for. Raises LookupError."""
    kind, _, rest = target.partition(":")
    channel, _, ts = rest.partition(":")
    views = [each for each in (person.modal, person.home) if each and each.view_id == rest]
    found = person.workspace.find(channel, ts) if kind == "m" else next(iter(views), None)
    if found is None:
        raise LookupError(target)
    return found


def _message(person: Person, form: Form) -> Message:
    found = _target(person, str(form.get("target")))
    if isinstance(found, View):
        raise LookupError(found.view_id)
    return found


def _view(person: Person, form: Form) -> View:
    found = _target(person, str(form.get("target")))
    if isinstance(found, Message):
        raise LookupError(found.ts)
    return found


def _fill(person: Person, view: View, form: Form, *, whole: bool = False) -> None:
    """What stands in the fields of a form. `whole`: boxes that are not sent are not ticked."""
    for block, element in elements_of(view.blocks):
        place, kind = f"{block.get('block_id')}/{element.get('action_id')}", str(element.get("type"))
        given = [str(each) for each in form.getall(f"f:{place}", [])]
        is_sent = bool(given) or (whole and (kind in _BOXES or kind.startswith("multi_")))
        if block.get("type") == "input" and is_sent:
            person.fills(view, {place: given[0] if len(given) == 1 else given or None})
