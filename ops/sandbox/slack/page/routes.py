"""What the page asks for and sends. Nothing is taken from other sites."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from aiohttp import web

from ops.sandbox import wording as shared
from ops.sandbox.own_page import Form, check_host, html, own_form
from ops.sandbox.slack import authorizing, wording
from ops.sandbox.slack.block_kit.blocks import elements_of
from ops.sandbox.slack.page.here import Here, here_in, here_of
from ops.sandbox.slack.page.install import install_page
from ops.sandbox.slack.page.regions import Regions
from ops.sandbox.slack.person import Person
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message
from ops.sandbox.slack.world import World

PersonOf = Callable[[str, str], Person]
"""(user, team) -> somebody who can act."""
Act = Callable[["_Page", Here, Person, Form], Awaitable[Here]]

_FOLDER = Path(__file__).parent
_KINDS = {"page.css": "text/css", "page.js": "text/javascript"}
_FILES = {name: (_FOLDER / name).read_text("utf-8") for name in _KINDS}
_BOXES = ("checkboxes", "radio_buttons")


def page_routes(world: World, bot_url: str, person_of: PersonOf) -> list[web.RouteDef]:
    """`/` the whole page, `/parts` its regions as JSON, one address for each thing that people do."""
    page = _Page(world, bot_url, person_of)
    return [
        web.get("/", page.show),
        web.get("/channel", page.show),
        web.get("/parts", page.parts),
        web.get("/suggest", page.suggest),
        web.get("/static/{name}", page.file),
        web.get("/oauth/v2/authorize", page.ask_to_install),
        web.post("/oauth/v2/authorize", page.install),
        *[web.post(f"/{name}", page.doing(act)) for name, act in _ACTS.items()],
    ]


class _Page:
    def __init__(self, world: World, bot_url: str, person_of: PersonOf) -> None:
        self.world = world
        self.regions = Regions(world, bot_url)
        self._person_of = person_of

    async def show(self, request: web.Request) -> web.Response:
        check_host(request)
        return html(self.regions.page(here_of(self.world, dict(request.query))))

    async def parts(self, request: web.Request) -> web.Response:
        check_host(request)
        return web.json_response(self.regions.parts(here_of(self.world, dict(request.query))))

    async def suggest(self, request: web.Request) -> web.Response:
        """Options of an external menu for what is typed."""
        check_host(request)
        here = here_in(self.world, request.query.get("here", ""))
        person = self._person_of(here.user, here.team)
        if person.modal is None:
            raise web.HTTPNotFound(text=shared.no_longer_there())
        found = await person.looks_up(person.modal, request.query.get("action", ""), request.query.get("typed", ""))
        return web.json_response([each.get("value") for each in found])

    async def file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in _FILES:
            raise web.HTTPNotFound
        return web.Response(text=_FILES[name], content_type=_KINDS[name])

    def doing(self, act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
        """A form that was sent: done as the person of the page, then back to the page."""

        async def take(request: web.Request) -> web.Response:
            form = await own_form(request)
            asked = str(form.get("here") or "")
            here = here_in(self.world, asked) if asked else here_of(self.world, {k: str(v) for k, v in form.items()})
            self.regions.notices.problems.pop((here.team, here.user), None)
            try:
                following = await act(self, here, self._person_of(here.user, here.team), form)
            except LookupError as exc:
                raise web.HTTPNotFound(text=shared.no_longer_there()) from exc
            raise web.HTTPSeeOther(following.address)

        return take

    def notice(self, here: Here, error: str) -> None:
        if error:
            self.regions.notices.problems[here.team, here.user] = shared.action_failed(error)

    async def ask_to_install(self, request: web.Request) -> web.Response:
        check_host(request)
        try:
            made = authorizing.offer(self.world, request.query)
        except SlackRefusal as refusal:
            raise web.HTTPBadRequest(text=wording.oauth_refused(refusal.code)) from refusal
        return html(install_page(self.world, made, str(request.rel_url)), _origin(made.redirect_uri))

    async def install(self, request: web.Request) -> web.Response:
        form = await own_form(request)
        team, _, organisation = str(form.get("where")).partition("+")
        try:
            made = authorizing.offer(
                self.world, {k: v[0] for k, v in parse_qs(urlsplit(str(form["asked"])).query).items()}
            )
            allowed = form.get("decision") == "allow"
            away = authorizing.decide(
                self.world,
                made,
                user=str(form.get("user")),
                team=team,
                organisation=bool(organisation),
                allowed=allowed,
            )
        except (SlackRefusal, KeyError) as refusal:
            raise web.HTTPBadRequest(text=wording.oauth_refused(str(refusal))) from refusal
        raise web.HTTPSeeOther(away)


async def _say(page: _Page, here: Here, person: Person, form: Form) -> Here:
    typed = str(form.get("typed", "")).strip()
    if typed:
        await person.types(typed, here.channel, here.thread if form.get("into") == "thread" else "")
    return here


async def _act(page: _Page, here: Here, person: Person, form: Form) -> Here:
    target, block_id, action_id, half = json.loads(str(form.get("at")))
    found = _target(person, target)
    if isinstance(found, View):
        _fill(person, found, form)
    values = [str(each) for each in form.getall("value", [])]
    value: object = values[0] if len(values) == 1 else values or None
    page.notice(here, (await person.acts_at(found, block_id, action_id, half, value)).error)
    return here


async def _submit(page: _Page, here: Here, person: Person, form: Form) -> Here:
    view = _target(person, str(form.get("target")))
    if isinstance(view, View):
        _fill(person, view, form, whole=True)
        submitted = await person.submits(view)
        page.regions.notices.errors[view.view_id] = submitted.errors
        if submitted.problem:
            page.regions.notices.problems[here.team, here.user] = submitted.problem
    return here


async def _close(page: _Page, here: Here, person: Person, form: Form) -> Here:
    view = _target(person, str(form.get("target")))
    if isinstance(view, View):
        await person.closes(view, everything=bool(form.get("everything")))
    return here


async def _edit(page: _Page, here: Here, person: Person, form: Form) -> Here:
    await person.edits(_message(person, form), str(form.get("text", "")))
    return here


async def _delete(page: _Page, here: Here, person: Person, form: Form) -> Here:
    await person.deletes(_message(person, form))
    return here


async def _shortcut(page: _Page, here: Here, person: Person, form: Form) -> Here:
    callback = str(form.get("callback_id"))
    if form.get("target"):
        seen = await person.uses_message_shortcut(callback, _message(person, form))
    else:
        seen = await person.uses_shortcut(callback)
    page.notice(here, seen.error)
    return here


async def _open_app(page: _Page, here: Here, person: Person, form: Form) -> Here:
    tab = "messages" if form.get("tab") == "messages" else "home"
    await person.opens_home(tab)
    return here.at(channel=person.direct.channel_id, thread="", home="" if tab == "messages" else "1")


async def _invite(page: _Page, here: Here, person: Person, form: Form) -> Here:
    await person.invites_bot(here.channel)
    return here


_ACTS: dict[str, Act] = {
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
    found: Message | View | None
    if kind == "v":
        found = next((each for each in [*person.modals, person.home] if each and each.view_id == rest), None)
    else:
        found = person.workspace.find(channel, ts)
    if found is None:
        raise LookupError(target)
    return found


def _message(person: Person, form: Form) -> Message:
    found = _target(person, str(form.get("target")))
    if isinstance(found, View):
        raise LookupError(found.view_id)
    return found


def _fill(person: Person, view: View, form: Form, *, whole: bool = False) -> None:
    """What stands in the fields of a form. `whole`: boxes that are not sent are not ticked."""
    for block, element in elements_of(view.blocks):
        place = f"{block.get('block_id')}/{element.get('action_id')}"
        name, several = f"f:{place}", element.get("type") in _BOXES or str(element.get("type")).startswith("multi_")
        given = [str(each) for each in form.getall(name, [])]
        if block.get("type") == "input" and (given or (whole and several)):
            person.fills(view, {place: given[0] if len(given) == 1 else given or None})


def _origin(address: str) -> str:
    split = urlsplit(address)
    return f" {split.scheme}://{split.netloc}"
