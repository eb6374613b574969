"""What the page shows, as JSON: the conversation that somebody looks at, and what stands open for him."""

from collections.abc import Mapping
from dataclasses import dataclass

from ops.sandbox.teams.messages import Message, objects
from ops.sandbox.teams.page import wording
from ops.sandbox.teams.people import Account
from ops.sandbox.teams.person import Person
from ops.sandbox.teams.places import Place, PlaceKind
from ops.sandbox.teams.world import World

Json = dict[str, object]

_ROOT = "https://schema.org/Message"
_BY_MODEL = "AIGeneratedContent"
_FILE = "application/vnd.microsoft.teams.file.download.info"


@dataclass(frozen=True, slots=True)
class Here:
    """Who looks at the page, and at which conversation."""

    person: Person
    place: Place


def state_of(world: World, here: Here) -> Json:
    person, place = here.person, here.place
    messages = world.messages.listed(place.id)
    return {
        "you": str(person.account.number),
        "bot": world.bot_name,
        "people": [{"id": str(each.number), "name": _who(each)} for each in world.accounts.values()],
        "places": [_listed(world, each) for each in places_of(world, person)],
        "place": {**_listed(world, place), "kind": str(place.kind), "installed": place.is_installed},
        "messages": [_message(world, person, each, is_last=each is messages[-1]) for each in messages],
        "dialog": _dialog(person),
        "told": person.told,
    }


def places_of(world: World, person: Person) -> list[Place]:
    """The own chat with the bot, then what the person is in."""
    number, own = person.account.number, person.chat
    others = [each for each in world.places.values() if each.kind is not PlaceKind.PERSONAL]
    return [own, *(each for each in others if number in each.members and not each.is_deleted)]


def _listed(world: World, place: Place) -> Json:
    name = place.name
    if place.kind is PlaceKind.PERSONAL:
        name = world.bot_name
    elif place.kind is PlaceKind.CHANNEL:
        name = f"# {place.name}"
    return {"id": place.id, "name": name, "inTeam": place.team is not None, "team": _heads(world, place)}


def _heads(world: World, place: Place) -> str:
    """The team's name above the first of its channels."""
    if place.team is None:
        return ""
    first = next(each for each in world.places.values() if each.team is place.team and not each.is_deleted)
    return place.team.name if first is place else ""


def _message(world: World, person: Person, message: Message, *, is_last: bool) -> Json:
    activity = message.activity
    return {
        "id": message.id,
        "thread": message.thread,
        "author": _author(world, message),
        "byBot": message.is_by_bot,
        "own": message.author == person.account.user,
        "at": message.at.isoformat(),
        "text": message.text,
        "typed": message.text.replace(f"<at>{world.bot_name}</at>", "@bot"),
        "format": str(activity.get("textFormat") or "markdown"),
        "cards": message.cards,
        "files": [str(each.get("name")) for each in message.attachments if each.get("contentType") == _FILE],
        "citations": [_citation(each) for each in message.citations],
        "ai": any(_BY_MODEL in _texts(each.get("additionalType")) for each in message.entities),
        "suggestions": message.suggestions if is_last else [],  # Teams shows those of the last message
        "feedback": "" if message.is_streaming else message.feedback,
        "edited": message.is_edited,
        "streaming": message.is_streaming,
    }


def _author(world: World, message: Message) -> str:
    if message.author == world.bot:
        return world.bot_name
    found = world.account(message.author)
    return found.name if found else wording.other_app()


def _citation(claim: Mapping[str, object]) -> Json:
    found = claim.get("appearance")
    shown = found if isinstance(found, dict) else {}
    return {
        "position": claim.get("position"),
        **{name: str(shown.get(name) or "") for name in ("name", "url", "abstract")},
    }


def _dialog(person: Person) -> Json | None:
    found = person.dialog
    return {"title": found.title, "card": dict(found.card)} if found else None


def _who(account: Account) -> str:
    return f"{account.name} ({account.kind})" if account.kind != "user" else account.name


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value or "")]


def previews_of(found: list[Mapping[str, object]]) -> list[Json]:
    """Of results of the message extension: title and text, as the list shows them."""
    return [{"title": str(each.get("title") or each.get("text") or ""), "text": _text_below(each)} for each in found]


def _text_below(preview: Mapping[str, object]) -> str:
    if not preview.get("title"):
        return ""
    return str(preview.get("text") or preview.get("subtitle") or next(iter(_parts(preview)), ""))


def _parts(preview: Mapping[str, object]) -> list[str]:
    return [str(each.get("text")) for each in objects(preview.get("body")) if each.get("text")]
