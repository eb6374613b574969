"""Teams as a person sees it, in a browser: conversations, threads, cards, dialogs, the message extension."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2
from aiohttp import web

from ops.sandbox import wording
from ops.sandbox.own_page import check_host, check_origin, html, static
from ops.sandbox.teams.checks import ROOT
from ops.sandbox.teams.clicking import Found, Means
from ops.sandbox.teams.deliveries import Answered
from ops.sandbox.teams.messages import Message, objects
from ops.sandbox.teams.person import NOT_HEARD, Person
from ops.sandbox.teams.world import Account, Place, PlaceKind, World

Json = dict[str, object]
PersonOf = Callable[[int], Person]
_FOLDER = Path(__file__).parent / "page"
_TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True)
_BY_MODEL = "AIGeneratedContent"
_FILE = "application/vnd.microsoft.teams.file.download.info"


@dataclass(frozen=True, slots=True)
class Here:
    """Who looks at the page, at which conversation, and what he sends: texts, the inputs of a card."""

    world: World
    person: Person
    place: Place
    given: Mapping[str, object]

    def text(self, name: str) -> str:
        found = self.given.get(name)
        return found if isinstance(found, str) else ""

    @property
    def inputs(self) -> Mapping[str, object]:
        found = self.given.get("inputs")
        return found if isinstance(found, dict) else {}

    @property
    def message(self) -> Message:
        """The one that is meant. Raises LookupError."""
        found = self.world.messages.find(self.place.id, self.text("message"))
        if found is None or found.is_deleted:
            raise LookupError(wording.NO_LONGER_THERE)
        return found


class Page:
    """`/` the page, `/state` what it shows, `/act/...` what people do."""

    def __init__(self, means: Means, bot_url: str, person_of: PersonOf) -> None:
        self._world = means.world
        self._bot_url = bot_url
        self._person_of = person_of

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self._show),
            web.get("/state", self._state),
            static(_FOLDER),
            web.post("/act/{name}", self._act),
        ]

    async def _show(self, request: web.Request) -> web.Response:
        check_host(request)
        said = {"hint": wording.page_hint("Teams", self._bot_url), "nothing": wording.NOTHING_YET}
        return html(_TEMPLATES.get_template("page.html").render(title=wording.page_title("Teams"), **said))

    async def _state(self, request: web.Request) -> web.Response:
        check_host(request)
        return web.json_response(state_of(self._here(dict(request.query))))

    async def _act(self, request: web.Request) -> web.Response:
        check_host(request)
        check_origin(request)
        act, text = _ACTS.get(request.match_info["name"]), await request.text()
        try:
            given = json.loads(text)
        except ValueError:
            given = None
        if act is None or not isinstance(given, dict):
            raise web.HTTPBadRequest(text=wording.NO_LONGER_THERE)
        here = self._here(given)
        # What was told in answer to the last click is out of place below the next one.
        here.person.told.clear()
        try:
            told = await act(here)
        except LookupError as exc:
            told = {"problem": wording.cannot(str(exc.args[0]) if exc.args else "")}
        return web.json_response(told)

    def _here(self, given: Mapping[str, object]) -> Here:
        """Who is not there is the first person; what he does not see is his own chat."""
        numbers = {str(each): each for each in self._world.accounts}
        person = self._person_of(numbers.get(str(given.get("you")), min(numbers.values())))
        seen = _places_of(self._world, person)
        place = next((each for each in seen if each.id == given.get("where")), seen[0])
        return Here(self._world, person, place, given)


async def _say(here: Here) -> Json:
    """With the bot's name after an @ it is a mention."""
    text = here.text("text").strip()
    if not text:
        return {}
    if here.place.kind is PlaceKind.PERSONAL:
        return _told(await here.person.writes_to_bot(text))
    named = text.replace(f"@{here.world.bot_name}", "@bot", 1)
    say = here.person.mentions if "@bot" in named else here.person.says
    return _told(await say(named, here.place.id, here.text("thread")))


async def _click(here: Here) -> Json:
    return _told(await here.person.clicks(here.message, here.text("what"), here.inputs))


async def _submit(here: Here) -> Json:
    if here.person.dialog is None:
        raise LookupError(wording.NO_LONGER_THERE)
    return _told(await here.person.clicks(here.person.dialog, here.text("what"), here.inputs))


async def _close(here: Here) -> Json:
    here.person.closes()
    return {}


async def _rate(here: Here) -> Json:
    return _told(await here.person.rates(here.message, here.text("rating"), here.text("comment")))


async def _check(here: Here) -> Json:
    return _told(await here.person.uses_action_on(here.message))


async def _search(here: Here) -> Json:
    found = await here.person.searches(here.text("text"), here.place.id)
    return {"results": [{"title": each.title, "text": _below(each)} for each in found]}


async def _insert(here: Here) -> Json:
    """What is found now for what was searched then."""
    found, number = await here.person.searches(here.text("text"), here.place.id), here.given.get("number")
    if not isinstance(number, int) or not 0 <= number < len(found):
        raise LookupError(wording.NO_LONGER_THERE)
    await here.person.inserts(found[number], here.place.id)
    return {}


async def _edit(here: Here) -> Json:
    return _told(await here.person.edits(here.message, here.text("text")))


async def _delete(here: Here) -> Json:
    return _told(await here.person.deletes(here.message))


async def _stop(here: Here) -> Json:
    here.person.stops()
    return {}


async def _install(here: Here) -> Json:
    return _told(*await here.person.installs(here.place.id))


async def _uninstall(here: Here) -> Json:
    return _told(*await here.person.uninstalls(here.place.id))


async def _dismiss(_: Here) -> Json:
    """Every act takes away what was told before."""
    return {}


_ACTS: Mapping[str, Callable[[Here], Awaitable[Json]]] = {
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
"""Each answers what is to be told to the page alone: `problem`, `results`."""


def _told(*seen: Answered) -> Json:
    """Why nothing comes of it; of an invoke the person was told already."""
    for each in seen:
        if each.error == NOT_HEARD:
            return {"problem": wording.NOT_HEARD}
        if each.error and each.delivery is not None and not each.delivery.is_invoke:
            return {"problem": wording.action_failed(each.error)}
    return {}


def state_of(here: Here) -> Json:
    """What the page shows: the conversation that somebody looks at, and what stands open for him."""
    world, person, place = here.world, here.person, here.place
    messages, dialog = world.messages.listed(place.id), person.dialog
    return {
        "you": str(person.account.number),
        "bot": world.bot_name,
        "people": [{"id": str(each.number), "name": _who(each)} for each in world.accounts.values()],
        "places": [_listed(world, each) for each in _places_of(world, person)],
        "place": {**_listed(world, place), "kind": str(place.kind), "installed": place.is_installed},
        "messages": [_message(world, person, each, is_last=each is messages[-1]) for each in messages],
        "dialog": {"title": dialog.title, "card": dict(dialog.card)} if dialog else None,
        "told": person.told,
    }


def _places_of(world: World, person: Person) -> list[Place]:
    """The own chat with the bot, then what the person is in."""
    number = person.account.number
    others = [each for each in world.places.values() if each.kind is not PlaceKind.PERSONAL]
    return [person.chat, *(each for each in others if number in each.members and not each.is_deleted)]


def _listed(world: World, place: Place) -> Json:
    """With the team's name above the first of its channels."""
    team = place.team
    if team is None:
        name = world.bot_name if place.kind is PlaceKind.PERSONAL else place.name
        return {"id": place.id, "name": name, "inTeam": False, "team": ""}
    first = next(each for each in world.places.values() if each.team is team and not each.is_deleted)
    return {"id": place.id, "name": f"# {place.name}", "inTeam": True, "team": team.name if first is place else ""}


def _message(world: World, person: Person, message: Message, *, is_last: bool) -> Json:
    author = world.account(message.author)
    name = world.bot_name if message.author == world.bot else author.name if author else wording.OTHER_APP
    return {
        "id": message.id,
        "thread": message.thread,
        "author": name,
        "byBot": message.is_by_bot,
        "own": message.author == person.account.user,
        "at": message.at.isoformat(),
        "text": message.text,
        "typed": message.text.replace(f"<at>{world.bot_name}</at>", "@bot"),
        "format": str(message.activity.get("textFormat") or "markdown"),
        "cards": message.cards,
        "files": [str(each.get("name")) for each in message.attachments if each.get("contentType") == _FILE],
        "citations": [_citation(each) for each in message.citations],
        "ai": any(each.get("type") == ROOT and _is_by_model(each) for each in message.entities),
        "suggestions": message.suggestions if is_last else [],  # Teams shows those of the last message
        "feedback": "" if message.is_streaming else message.feedback,
        "edited": message.is_edited,
        "streaming": message.is_streaming,
    }


def _is_by_model(entity: Mapping[str, object]) -> bool:
    found = entity.get("additionalType")
    return isinstance(found, list) and _BY_MODEL in found


def _citation(claim: Mapping[str, object]) -> Json:
    found = claim.get("appearance")
    shown = found if isinstance(found, dict) else {}
    return {"position": claim.get("position"), **{name: shown.get(name) or "" for name in ("name", "url", "abstract")}}


def _who(account: Account) -> str:
    return f"{account.name} ({account.kind})" if account.kind != "user" else account.name


def _below(found: Found) -> str:
    """A result of the message extension as the list shows it: the text below its title."""
    preview = found.preview
    texts = [str(each.get("text")) for each in objects(preview.get("body")) if each.get("text")]
    return str(preview.get("text") or preview.get("subtitle") or next(iter(texts), "")) if preview.get("title") else ""
