"""Roads through what is invoked in Teams: the message extension, and what opens on an answer that a member was given
where everybody reads it. Invokes go to the listeners as the connector gives them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adapters.sql.chat.posted import SqlPostedMessages
from adapters.teams import extension
from adapters.teams.actions import dispatch, feedback
from adapters.teams.addresses import TeamsReference
from adapters.teams.messages import TeamsActivity, activity_of
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity, TeamsMember
from adapters.teams.settings import TeamsSettings
from bot.access.groups import Access
from bot.access.signing import Signing
from bot.commands.search import PublicSearch
from bot.model.messages import Actor, Conversation, InboundQuestion
from bot.model.posted import MessagePlace, Posted, Subject
from bot.questions.answerer import Asked
from bot.render.teams.view import ExtensionCommand, TeamsInvoke, TeamsVerb, data_of
from ops.chat.people import answer_ports
from ops.chat.teams import build_signing
from ops.parts import utc_now
from rag_core.errors import Unavailable
from tests.security.access.answered import ASKED, CHANGED
from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.library import INNER, SECOND
from tests.security.access.people import MEMBERS
from tests.security.access.world import Door, World

TENANT = "11111111-1111-1111-1111-111111111111"
_CHANNEL, _CARD = "19:bench@thread.tacv2", "card"
_SIGNED_FOR = f"{TENANT}/{_CHANNEL}"
_PLACE = Conversation("teams", TENANT, _CHANNEL, "1")
_LISTENERS = {**dispatch.LISTENERS, **extension.LISTENERS, **feedback.LISTENERS}
_MOST_CHOSEN = 3
_WITHOUT_QUOTES = ("which", "list", "help", "what changed")
_OPENED = (TeamsVerb.SHOW_SOURCES, TeamsVerb.SHOW_MORE, TeamsVerb.CHANGE_SCOPE)
_SEARCHED = (
    *(("memo", typed) for typed in ("vexolune", "rule 7.3.1", "memorandum on vexolune in Norway")),
    *(("platform", typed) for typed in ("kilnware on Zorblatt", "zorbly rules")),
    *(("twist", typed) for typed in ("alcohol in Iceland", "alcohol on Tarrow", "who decides about alcohol ads")),
    *((of, f"what {of} says") for of in ("copy", "nobody", "both", "replaced", "closed", "opened", "moved")),
)


@dataclass(frozen=True, slots=True)
class Nowhere:
    """TeamsInbound, TeamsOutbound and TeamsDirectory of a Teams that does not answer: nothing is shown by them."""

    async def receive(self, authorization: str, body: bytes) -> TeamsActivity:
        raise Unavailable("teams_keys_unreachable")

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        raise Unavailable("teams_unreachable", delivered="no")

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity) -> None:
        raise Unavailable("teams_unreachable", delivered="no")

    async def delete(self, to: TeamsReference, activity_id: str) -> None:
        raise Unavailable("teams_unreachable", delivered="no")

    async def typing(self, to: TeamsReference) -> None:
        raise Unavailable("teams_unreachable", delivered="no")

    async def resume(self, to: TeamsReference, person: str) -> TeamsReference:
        return TeamsReference(to.service_url, to.tenant, f"a:{person}", to.bot)

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        return None

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        return None


@dataclass(frozen=True, slots=True)
class _Groups:
    """A Directory in which everybody is in the groups of the asker, and nobody knows who reads a channel."""

    groups: frozenset[str]
    kind: str = "bench"

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        return members & {f"{self.kind}:{each}" for each in self.groups}

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        return None

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        return frozenset()


def _searches(_: World) -> Iterator[Attempt]:
    for of, typed in _SEARCHED:
        yield Attempt(typed, of, _searched(typed), said=typed, proof=Proof.TAKEN)
    yield Attempt("nothing typed", "memo", _searched(""), proof=Proof.TAKEN)
    yield Attempt("alcohol ads", "nobody", _searched("alcohol ads"), proof=Proof.PUBLIC)


def _searched(typed: str) -> Callable[[Door], Any]:
    """What is listed, and what is inserted of the first results."""

    async def take(door: Door) -> str:
        page = await _invoked(door, TeamsInvoke.SEARCH, _query(typed))
        listed = page.get("composeExtension", {})
        entries = listed.get("attachments", ())
        chosen = [each["preview"]["content"]["tap"]["value"] for each in entries[:_MOST_CHOSEN]]
        inserted = [await _invoked(door, TeamsInvoke.SELECT, each) for each in chosen]
        return json.dumps([listed.get("text", ""), *map(_without_proof, entries), inserted], ensure_ascii=False)

    return take


def _query(typed: str) -> dict[str, Any]:
    options = {"skip": 0, "count": 25}
    given = [{"name": "query", "value": typed}]
    return {"commandId": ExtensionCommand.SEARCH.value, "parameters": given, "queryOptions": options}


def _without_proof(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a person reads of a result: the signature is another one in every world."""
    content = {name: each for name, each in entry["preview"]["content"].items() if name != "tap"}
    return {**entry, "preview": content}


def _clicks(_: World) -> Iterator[Attempt]:
    for of, question, told in (*ASKED[:8], *CHANGED):  # the same dialogs as in Slack, where all are taken
        is_quoted = not question.startswith(_WITHOUT_QUOTES)  # else it has no sources, and nothing more
        proof = told if is_quoted else Proof.TAKEN
        yield Attempt(question, of, _clicked(question), said=question, proof=proof, alike=False)


def _clicked(question: str) -> Callable[[Door], Any]:
    """The member asks, and the asker, who sees the answer standing there, opens all that opens, and rates it."""

    async def take(door: Door) -> str:
        answering = door.world.answering
        member = next((each for each in MEMBERS if each.person == door.asker.person), MEMBERS[0])
        actor = Actor("teams", TENANT, member.person)
        asked = Asked(question, actor, "teams", groups=member.groups, conversation=_PLACE, counted=False)
        answer_id = (await answering.asking.ask(asked)).answer_id
        place = MessagePlace("teams", TENANT, _CHANNEL, _CARD, "1")
        await SqlPostedMessages(answering.engine).save(Posted(place, Subject.ANSWER, answer_id, utc_now()))
        signing = build_signing(door.world.config)
        made = [await _opened(door, signing, verb, answer_id) for verb in _OPENED]
        rated = {"actionName": "feedback", "actionValue": {"reaction": "dislike"}}
        made.append(await _invoked(door, TeamsInvoke.FEEDBACK_OPEN, {"data": rated}))
        made.append(await _invoked(door, TeamsInvoke.FEEDBACK, rated))
        return json.dumps(made, ensure_ascii=False)

    return take


def _asks(_: World) -> Iterator[Attempt]:
    """What is asked by them goes to the inbox as a question of who clicked, and is answered as every other is."""
    for of, question, _proof in ASKED[:3]:
        yield Attempt(question, of, _checked(question), said=question, proof=Proof.TAKEN, alike=False)


def _checked(copy: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        signing, text = build_signing(door.world.config), {"contentType": "text", "content": copy}
        check = {"commandId": ExtensionCommand.CHECK_MESSAGE.value, "messagePayload": {"body": text}}
        data = data_of(
            TeamsVerb.CHOOSE, lambda fields: signing.signed(fields, _SIGNED_FOR), answer="no answer", choice="0"
        )
        made = [
            await _invoked(door, TeamsInvoke.MESSAGE_ACTION_OPEN, check),
            await _invoked(door, TeamsInvoke.MESSAGE_ACTION_SUBMIT, check),
            await _invoked(door, TeamsInvoke.CARD_ACTION, {"action": {"data": data}}),
        ]
        return json.dumps(made, ensure_ascii=False)

    return take


async def _opened(door: Door, signing: Signing, verb: TeamsVerb, answer_id: str) -> dict[str, Any]:
    data = data_of(verb, lambda fields: signing.signed(fields, _SIGNED_FOR), answer=answer_id)
    return await _invoked(door, TeamsInvoke.DIALOG_OPEN, {"data": data})


async def _invoked(door: Door, name: TeamsInvoke, value: Mapping[str, Any]) -> dict[str, Any]:
    reply = await _LISTENERS[f"invoke/{name}"](_parts(door), _activity(door, name, value))
    return dict(reply.body or {}) if reply is not None else {}


def _activity(door: Door, name: TeamsInvoke, value: Mapping[str, Any]) -> TeamsActivity:
    person = door.asker.person or door.asker.name
    return activity_of(
        {
            "type": "invoke",
            "name": name.value,
            "id": "1",
            "serviceUrl": "https://bench.example/",
            "from": {"id": f"29:{person}", "aadObjectId": person},
            "recipient": {"id": "28:bench"},
            "conversation": {"id": f"{_CHANNEL};messageid=1", "conversationType": "channel"},
            "channelData": {"tenant": {"id": TENANT}},
            "replyToId": _CARD,
            "value": dict(value),
        }
    )


def _parts(door: Door) -> TeamsParts:
    answering, nowhere, groups = door.world.answering, Nowhere(), _Groups(door.asker.groups)
    access = Access({each: frozenset({f"{groups.kind}:{each}"}) for each in (INNER, SECOND)}, {"teams": groups})
    return TeamsParts(
        TeamsSettings("11111111-1111-1111-1111-111111111111", frozenset({TENANT}), "bench"),
        nowhere,
        nowhere,
        nowhere,
        _taken,
        answers=replace(answer_ports(answering), access=access),
        posted_at=SqlPostedMessages(answering.engine),
        signing=build_signing(door.world.config),
        search=PublicSearch(answering.search.search, answering.store),
    )


async def _taken(_: InboundQuestion) -> bool:
    return True


ROADS = (
    Road(
        "message extension of Teams",
        _searches,
        invokes=(TeamsInvoke.SEARCH, TeamsInvoke.SELECT),
    ),
    Road(
        "what opens on an answer in a Teams channel",
        _clicks,
        invokes=(TeamsInvoke.DIALOG_OPEN, TeamsInvoke.DIALOG_SUBMIT, TeamsInvoke.FEEDBACK, TeamsInvoke.FEEDBACK_OPEN),
    ),
    Road(
        "what is asked by a click in Teams",
        _asks,
        invokes=(TeamsInvoke.CARD_ACTION, TeamsInvoke.MESSAGE_ACTION_OPEN, TeamsInvoke.MESSAGE_ACTION_SUBMIT),
    ),
)
