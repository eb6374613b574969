"""What the page asks for and does. Nothing is taken from other sites."""

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import jinja2
from aiohttp import web

from ops.sandbox import wording as shared
from ops.sandbox.own_page import check_host, check_origin, html
from ops.sandbox.teams.deliveries import Answered
from ops.sandbox.teams.means import Means
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.page import wording
from ops.sandbox.teams.page.state import Here, Json, places_of, previews_of, state_of
from ops.sandbox.teams.person import NOT_HEARD, Person
from ops.sandbox.teams.places import PlaceKind
from ops.sandbox.teams.world import World

_FOLDER = Path(__file__).parent
_SCRIPT = "text/javascript"
_FILES = {
    "page.css": ("page.css", "text/css"),
    "page.js": ("page.js", _SCRIPT),
    "messages.js": ("messages.js", _SCRIPT),
    "cards.js": ("cards.js", _SCRIPT),
    "texts.js": ("texts.js", _SCRIPT),
    "adaptivecards.min.js": ("vendor/adaptivecards.min.js", _SCRIPT),
    "markdown-it.umd.min.js": ("vendor/markdown-it.umd.min.js", _SCRIPT),
}
_TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True)


PersonOf = Callable[[int], Person]
Act = Callable[[World, Here, Mapping[str, object]], Awaitable[Json]]
"""What is to be told to the page alone: `problem`, `results`."""


def page_routes(means: Means, bot_url: str, person_of: PersonOf) -> list[web.RouteDef]:
    """`/` the page, `/state` what it shows, `/act/...` what people do."""
    page = _Page(means.world, bot_url, person_of)
    return [
        web.get("/", page.show),
        web.get("/state", page.state),
        web.get("/static/{name}", page.file),
        web.post("/act/{name}", page.act),
    ]


class _Page:
    def __init__(self, world: World, bot_url: str, person_of: PersonOf) -> None:
        self._world = world
        self._bot_url = bot_url
        self._person_of = person_of

    async def show(self, request: web.Request) -> web.Response:
        check_host(request)
        said = {"hint": shared.page_hint("Teams", self._bot_url), "nothing": wording.nothing_yet()}
        return html(_TEMPLATES.get_template("page.html").render(title=shared.page_title("Teams"), **said))

    async def state(self, request: web.Request) -> web.Response:
        check_host(request)
        here = self._here(request.query.get("you", ""), request.query.get("where", ""))
        return web.json_response(state_of(self._world, here))

    async def file(self, request: web.Request) -> web.Response:
        if request.match_info["name"] not in _FILES:
            raise web.HTTPNotFound
        path, kind = _FILES[request.match_info["name"]]
        text = (_FOLDER / path).read_text("utf-8")
        return web.Response(text=text, content_type=kind, headers={"X-Content-Type-Options": "nosniff"})

    async def act(self, request: web.Request) -> web.Response:
        check_host(request)
        check_origin(request)
        act = _ACTS.get(request.match_info["name"])
        given = await _read(request)
        if act is None or given is None:
            raise web.HTTPBadRequest(text=shared.no_longer_there())
        here = self._here(_text(given, "you"), _text(given, "where"))
        # What was told in answer to the last click is out of place below the next one.
        here.person.told.clear()
        try:
            told = await act(self._world, here, given)
        except LookupError as exc:
            told = {"problem": wording.cannot(str(exc.args[0]) if exc.args else "")}
        return web.json_response(told)

    def _here(self, you: str, where: str) -> Here:
        """Who is not there is the first person; what he does not see is his own chat."""
        numbers = {str(each): each for each in self._world.accounts}
        person = self._person_of(numbers.get(you, min(numbers.values())))
        seen = places_of(self._world, person)
        return Here(person, next((each for each in seen if each.id == where), seen[0]))


async def _read(request: web.Request) -> Mapping[str, object] | None:
    try:
        found = json.loads(await request.text())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


async def _say(world: World, here: Here, given: Mapping[str, object]) -> Json:
    """With the bot's name after an @ it is a mention."""
    text, thread = _text(given, "text").strip(), _text(given, "thread")
    if not text:
        return {}
    if here.place.kind is PlaceKind.PERSONAL:
        return _told(await here.person.writes_to_bot(text))
    named = text.replace(f"@{world.bot_name}", "@bot", 1)
    say = here.person.mentions if "@bot" in named else here.person.says
    return _told(await say(named, here.place.id, thread))


async def _click(world: World, here: Here, given: Mapping[str, object]) -> Json:
    return _told(await here.person.clicks(_message(world, here, given), _text(given, "what"), _inputs(given)))


async def _submit(_: World, here: Here, given: Mapping[str, object]) -> Json:
    if here.person.dialog is None:
        raise LookupError(shared.no_longer_there())
    return _told(await here.person.clicks(here.person.dialog, _text(given, "what"), _inputs(given)))


async def _close(_: World, here: Here, _given: Mapping[str, object]) -> Json:
    here.person.closes()
    return {}


async def _rate(world: World, here: Here, given: Mapping[str, object]) -> Json:
    message = _message(world, here, given)
    return _told(await here.person.rates(message, _text(given, "rating"), _text(given, "comment")))


async def _check(world: World, here: Here, given: Mapping[str, object]) -> Json:
    return _told(await here.person.uses_action_on(_message(world, here, given)))


async def _search(_: World, here: Here, given: Mapping[str, object]) -> Json:
    found = await here.person.searches(_text(given, "text"), here.place.id)
    return {"results": previews_of([each.preview for each in found])}


async def _insert(_: World, here: Here, given: Mapping[str, object]) -> Json:
    """What is found now for what was searched then."""
    found = await here.person.searches(_text(given, "text"), here.place.id)
    number = given.get("number")
    if not isinstance(number, int) or not 0 <= number < len(found):
        raise LookupError(shared.no_longer_there())
    await here.person.inserts(found[number], here.place.id)
    return {}


async def _edit(world: World, here: Here, given: Mapping[str, object]) -> Json:
    return _told(await here.person.edits(_message(world, here, given), _text(given, "text")))


async def _delete(world: World, here: Here, given: Mapping[str, object]) -> Json:
    return _told(await here.person.deletes(_message(world, here, given)))


async def _stop(_: World, here: Here, _given: Mapping[str, object]) -> Json:
    here.person.stops()
    return {}


async def _install(_: World, here: Here, _given: Mapping[str, object]) -> Json:
    return _all_told(await here.person.installs(here.place.id))


async def _uninstall(_: World, here: Here, _given: Mapping[str, object]) -> Json:
    return _all_told(await here.person.uninstalls(here.place.id))


async def _dismiss(_world: World, _here: Here, _given: Mapping[str, object]) -> Json:
    """Every act takes away what was told before."""
    return {}


_ACTS: Mapping[str, Act] = {
    "say": _say,
    "click": _click,
    "submit": _submit,
    "close": _close,
    "rate": _rate,
    "check": _check,
    "search": _search,
    "insert": _insert,
    "edit": _edit,
    "delete": _delete,
    "stop": _stop,
    "install": _install,
    "uninstall": _uninstall,
    "dismiss": _dismiss,
}


def _message(world: World, here: Here, given: Mapping[str, object]) -> Message:
    found = world.messages.find(here.place.id, _text(given, "message"))
    if found is None or found.is_deleted:
        raise LookupError(shared.no_longer_there())
    return found


def _told(seen: Answered) -> Json:
    """Why nothing comes of it; of an invoke the person was told already."""
    if seen.error == NOT_HEARD:
        return {"problem": wording.not_heard()}
    if not seen.error or seen.delivery is None or seen.delivery.is_invoke:
        return {}
    return {"problem": shared.action_failed(seen.error)}


def _all_told(seen: list[Answered]) -> Json:
    return next((told for told in map(_told, seen) if told), {})


def _text(given: Mapping[str, object], name: str) -> str:
    found = given.get(name)
    return found if isinstance(found, str) else ""


def _inputs(given: Mapping[str, object]) -> Mapping[str, object]:
    found = given.get("inputs")
    return found if isinstance(found, dict) else {}
