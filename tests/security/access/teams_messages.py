"""Roads through what is written in Teams: messages in a chat alone, a group chat and a channel's thread, a message that
is checked, an answer that is shared, and the welcome. Each goes through the listener, the rule for people of other
organisations and the directory, and what stands in the conversation then comes back."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from adapters.teams.access import TeamsAdmission
from adapters.teams.addresses import TeamsReference, teams_address
from adapters.teams.events import LISTENERS as MESSAGES
from adapters.teams.extension import LISTENERS as EXTENSION
from adapters.teams.messages import activity_of
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import TeamsMember
from adapters.teams.settings import TeamsSettings
from bot.access.groups import Access
from bot.commands.home import Starters
from bot.model.messages import Actor, Conversation, InboundQuestion
from bot.model.outcomes import Admitted
from bot.questions.answerer import Asked, Asking
from bot.render.json import reply_json
from bot.render.teams.message import teams_message
from bot.render.teams.view import ExtensionCommand, TeamsInvoke, TeamsView
from bot.render.teams.welcome import welcome
from ops.chat.teams import starters_of
from ops.parts import new_id, utc_now
from tests.security.access.answered import ASKED
from tests.security.access.attempts import HELD_APART, Attempt, Proof, Road
from tests.security.access.library import INNER, SECOND
from tests.security.access.people import MEMBERS, Asker
from tests.security.access.teams_clicks import TENANT, Nowhere
from tests.security.access.world import Door, World

_APP = "11111111-1111-1111-1111-111111111111"
_BOT = f"28:{_APP}"
_ALONE, _GROUP, _CHANNEL = "a:bench", "19:bench@thread.v2", "19:bench@thread.tacv2"
_KINDS = {_ALONE: "personal", _GROUP: "groupChat", _CHANNEL: "channel"}
_KIND = "bench"


@dataclass(frozen=True, slots=True)
class _Room(Nowhere):
    """Who reads a conversation: TeamsDirectory and Directory of it. `guests`: these of `readers` are of another
    organisation."""

    readers: Sequence[Asker] = ()
    guests: frozenset[str] = frozenset()
    kind: str = _KIND

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        return next((each for each in await self.members(to, 0) or () if each.user == user), None)

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        return [TeamsMember(f"29:{_id(each)}", _id(each), tenant=self._tenant(each)) for each in self.readers]

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        found = next((each for each in self.readers if _id(each) == actor.person), None)
        return self._held(found, members) if found is not None else frozenset()

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        return frozenset(self._held(each, members) for each in self.readers)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        return frozenset()

    def _tenant(self, asker: Asker) -> str:
        return "22222222-2222-2222-2222-222222222222" if asker.name in self.guests else TENANT

    def _held(self, asker: Asker, members: frozenset[str]) -> frozenset[str]:
        return members & {f"{_KIND}:{each}" for each in asker.groups}


@dataclass(slots=True)
class _Kept:
    """`Accept`: what is kept to be answered."""

    questions: list[InboundQuestion] = field(default_factory=list)

    async def __call__(self, question: InboundQuestion) -> bool:
        self.questions.append(question)
        return True


def _messages(_: World) -> Iterator[Attempt]:
    """Alone with the bot the asker asks; elsewhere a member does, and the asker reads along."""
    for of, question, proof in ASKED[:5]:
        yield _attempt(f"alone: {question}", of, _alone(question), question, proof)
    for where in (_GROUP, _CHANNEL):
        for of, question, proof in ASKED[:4]:
            yield _attempt(f"{_KINDS[where]}: {question}", of, _read_along(where, question), question, proof)
    for of, question, _proof in ASKED[:2]:  # with a stranger among the readers nobody sees what is not public
        take = _read_along(_CHANNEL, question, with_stranger=True)
        yield _attempt(f"with a stranger: {question}", of, take, question, Proof.TAKEN)


def _checks(_: World) -> Iterator[Attempt]:
    """Of a message in a channel, whose answer comes to the chat alone."""
    for of, question, _proof in ASKED[:3]:
        yield _attempt(f"check: {question}", of, _checked(question), question, Proof.TAKEN)


def _shares(_: World) -> Iterator[Attempt]:
    """A member shares what he alone was answered, where the asker reads: what is left out is said, and not what."""
    for of, question, proof in ASKED[:4]:
        yield _attempt(f"shared: {question}", of, _shared(question), question, proof)


def _welcomes(_: World) -> Iterator[Attempt]:
    for of in ("memo", "platform", "twist"):
        yield Attempt("welcome", of, _welcomed, proof=Proof.TAKEN)


def _attempt(name: str, of: str, take: Callable[[Door], Any], said: str, proof: Proof) -> Attempt:
    return Attempt(name, of, take, said=said, proof=proof, alike=False)


def _alone(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        room = _Room(readers=(door.asker,))
        return await _answered(door, room, await _heard(room, _message(door.asker, _ALONE, question)))

    return take


def _read_along(where: str, question: str, *, with_stranger: bool = False) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        member = _member(door)
        stranger = Asker("stranger", member.groups) if with_stranger else None
        readers = tuple(dict.fromkeys((member, door.asker, *((stranger,) if stranger else ()))))
        room = _Room(readers=readers, guests=frozenset({"stranger"}) if stranger else frozenset())
        shown = await _answered(door, room, await _heard(room, _message(member, where, question)))
        return "" if with_stranger and door.asker is member else shown

    return take


def _checked(text: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        room, kept = _Room(readers=(door.asker,)), _Kept()
        body = {"contentType": "text", "content": text}
        value = {"commandId": ExtensionCommand.CHECK_MESSAGE.value, "messagePayload": {"body": body}}
        name = TeamsInvoke.MESSAGE_ACTION_OPEN
        raw = _message(door.asker, _CHANNEL, "") | {"type": "invoke", "name": name.value, "value": value}
        reply = await EXTENSION[f"invoke/{name}"](_parts(room, kept), activity_of(raw))
        said = json.dumps(dict(reply.body or {}) if reply else {}, ensure_ascii=False)
        return said + await _answered(door, room, kept.questions)

    return take


def _shared(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        member = _member(door)
        alone = _Room(readers=(member,))
        [asked] = await _heard(alone, _message(member, _ALONE, question))
        answered = await _asking(door.world, alone).ask(_asked(asked, Admitted.ALLOWED))
        cited = reply_json("", answered.reply, door.world.answering.links, {}).get("citations")
        chunks = tuple(str(each["chunk_id"]) for each in cited) if isinstance(cited, list) else ()
        room = _Room(readers=tuple(dict.fromkeys((member, door.asker))))
        [again] = await _heard(room, _message(member, _CHANNEL, question))
        view = TeamsView(with_question=True, shared_by="Member", shared_chunks=chunks)
        return await _answered(door, room, [again], view)

    return take


async def _welcomed(door: Door) -> str:
    answering = door.world.answering
    finding = Starters(answering.asker.without_model(), answering.store, answering.names, today=_today)
    try:
        starters = await starters_of(finding)()
    finally:
        await finding.aclose()
    return json.dumps([welcome(starters, alone=each) for each in (True, False)], ensure_ascii=False)


def _today() -> date:
    return utc_now().date()


def _member(door: Door) -> Asker:
    return next((each for each in MEMBERS if each.person == door.asker.person), MEMBERS[0])


def _id(asker: Asker) -> str:
    """Of two times of one person each is another here: else the one could not read what the other asks."""
    return asker.name


async def _heard(room: _Room, raw: dict[str, Any]) -> list[InboundQuestion]:
    kept = _Kept()
    await MESSAGES["message"](_parts(room, kept), activity_of(raw))
    return kept.questions


async def _answered(
    door: Door, room: _Room, questions: Sequence[InboundQuestion], view: TeamsView | None = None
) -> str:
    """As the service answers them: by the rule, for whom the directory says, rendered for where it is shown."""
    admission, links = TeamsAdmission(room, _settings()), door.world.answering.links
    made: list[Mapping[str, object]] = []
    try:
        for each in questions:
            may = await admission(teams_address(each.reply_address))
            if may.is_refused:
                made.append({"refused": may.code})
                continue
            answered = await _asking(door.world, room).ask(_asked(each, may))
            shown = view or TeamsView(is_private=each.private)
            made.append(teams_message(each.text, "", answered.reply, links, shown))
    finally:
        await admission.aclose()
    return json.dumps(made, ensure_ascii=False).replace(HELD_APART, "")


def _asked(question: InboundQuestion, may: Admitted) -> Asked:
    return Asked(
        question.text,
        question.actor,
        question.actor.platform,
        filters=question.filters,
        groups=frozenset() if may is Admitted.PUBLIC_ONLY else None,
        private=question.private,
        conversation=question.conversation,
        counted=False,
    )


def _asking(world: World, room: _Room) -> Asking:
    members = {each: frozenset({f"{_KIND}:{each}"}) for each in (INNER, SECOND)}
    links = world.answering.links
    return Asking(
        world.answering.asker,
        world.records,
        shape=lambda answer_id, reply, trace: reply_json(answer_id, reply, links, trace.timings_ms),
        now=utc_now,
        new_id=new_id,
        deadline_seconds=world.config.ask_seconds,
        access=Access(members, {"teams": room}),
    )


def _message(asker: Asker, where: str, text: str) -> dict[str, Any]:
    mention = {"type": "mention", "text": "<at>bot</at>", "mentioned": {"id": _BOT}}
    return {
        "type": "message",
        "id": "1",
        "serviceUrl": "https://bench.example/",
        "from": {"id": f"29:{_id(asker)}", "aadObjectId": _id(asker)},
        "recipient": {"id": _BOT},
        "conversation": {"id": where, "conversationType": _KINDS[where]},
        "channelData": {"tenant": {"id": TENANT}},
        "text": text if where == _ALONE else f"<at>bot</at> {text}",
        "entities": [] if where == _ALONE else [mention],
    }


def _parts(room: _Room, kept: _Kept) -> TeamsParts:
    return TeamsParts(_settings(), room, room, room, kept, admits=TeamsAdmission(room, _settings()))


def _settings() -> TeamsSettings:
    """Outside people are answered, from public documents."""
    return TeamsSettings(_APP, frozenset({TENANT}), "bench", external=True)


ROADS = (
    Road("a message in Teams", _messages),
    Road("a message that is checked in Teams", _checks),
    Road("an answer that is shared in Teams", _shares),
    Road("the welcome in Teams", _welcomes),
)
