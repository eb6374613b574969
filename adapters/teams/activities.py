"""An activity as Teams sends it: taken apart once, with names that say what is in it."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.teams.addresses import TeamsAddress, TeamsPlace, TeamsReference, channel_of
from bot.access.outsiders import Outside
from rag_core.errors import Rejected

Json = Mapping[str, Any]

ASKED_IN = ("message", "messageUpdate", "messageDelete")
"""Kinds whose id is that of a person's message."""

_LONGEST_ID = 500
"""Bytes. A claim key has two of them, and PostgreSQL finds nothing by more than 2,704."""
_LONGEST_URL = 2_000
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""How half a character may be written in JSON; most that are written so are whole."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class TeamsSender:
    """`user`: his `29:` id. `person`: object id in Entra, "" for who has none. `tenant`: his own, "" where it is not
    said. `role`: "bot" for one, "" for people."""

    user: str
    person: str = ""
    name: str = ""
    tenant: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class TeamsActivity:
    """`kind` is the activity's type, `name` that of an invoke. `tenant`: `channelData.tenant.id`, lower-case; it is the
    one that the conversation belongs to. `home`: the same as the conversation says it, "" where it does not. `team`:
    group id in Entra of a channel's team, `team_thread` its `19:` id. `bot`: our own id there."""

    kind: str
    id: str
    name: str
    service_url: str
    tenant: str
    conversation_id: str
    place: TeamsPlace
    sender: TeamsSender
    bot: str
    text: str = ""
    team: str = ""
    team_thread: str = ""
    reply_to: str = ""
    home: str = ""
    value: Json = field(default_factory=dict)
    channel_data: Json = field(default_factory=dict)
    raw: Json = field(default_factory=dict, repr=False)

    @property
    def entities(self) -> tuple[Json, ...]:
        return _listed(self.raw.get("entities"))

    @property
    def attachments(self) -> tuple[Json, ...]:
        return _listed(self.raw.get("attachments"))

    @property
    def event(self) -> str:
        """`channelData.eventType`: "channelCreated", "editMessage", "softDeleteMessage" ..."""
        return _text(self.channel_data.get("eventType"))

    @property
    def outside(self) -> str:
        """`Outside.PERSON` where it says that its sender is none of the tenant's people: a guest, somebody without an
        object id (federated, anonymous), one of another tenant; also where it does not say the same tenant twice: then
        nobody knows whose people its ids are. "" for nothing."""
        sender = self.sender
        is_ours = {sender.tenant, self.home} <= {"", self.tenant} and sender.role.lower() not in ("guest", "anonymous")
        return "" if sender.person and is_ours else Outside.PERSON

    @property
    def channel(self) -> str:
        return channel_of(self.conversation_id, self.team)

    @property
    def claim_key(self) -> str:
        """Equal for every delivery of the same activity, and for no other, also where it has no id."""
        return f"teams:{self.conversation_id}:{self.id or _digest(self.raw)}"

    @property
    def reference(self) -> TeamsReference:
        return TeamsReference(self.service_url, self.tenant, self.conversation_id, self.bot)

    @property
    def address(self) -> TeamsAddress:
        """Where its answer goes. A click answers no message of its own."""
        return TeamsAddress(
            service_url=self.service_url,
            tenant=self.tenant,
            conversation_id=self.conversation_id,
            place=self.place,
            bot=self.bot,
            user=self.sender.user,
            person=self.sender.person,
            team=self.team,
            asked_in=self.id if self.kind in ASKED_IN else "",
            outside=self.outside,
        )


def read_activity(body: bytes) -> Json:
    """Raises Rejected("teams_unreadable") for what is no JSON object. Half a character, which no store and no server
    takes, is replaced."""
    try:
        found = json.loads(body.decode("utf-8-sig"))
        if _HALF.search(body):
            found = json.loads(_whole(json.dumps(found, ensure_ascii=False)))
    except (ValueError, RecursionError) as exc:
        raise Rejected("teams_unreadable") from exc
    if not isinstance(found, dict):
        raise Rejected("teams_unreadable")
    return found


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def activity_of(raw: Json) -> TeamsActivity:
    """Raises Rejected("teams_unreadable") where it lacks what every activity of Teams has. `tenant` may be "": then
    nobody may be answered."""
    conversation, sender, bot = _object(raw, "conversation"), _object(raw, "from"), _object(raw, "recipient")
    data = _object(raw, "channelData")
    team = _object(data, "team")
    kind, id_ = _id(raw.get("type")), _id(raw.get("id"))
    where, service_url = _id(conversation.get("id")), _id(raw.get("serviceUrl"), _LONGEST_URL)
    if not kind or not where or not service_url or not _id(sender.get("id")):
        raise Rejected("teams_unreadable")
    return TeamsActivity(
        kind=kind,
        id=id_,
        name=_id(raw.get("name")),
        service_url=service_url,
        tenant=_id(_object(data, "tenant").get("id")).lower(),
        conversation_id=where,
        place=_place(conversation, where),
        sender=TeamsSender(
            user=_id(sender.get("id")),
            person=_id(sender.get("aadObjectId")).lower(),
            name=_text(sender.get("name")),
            tenant=_id(sender.get("tenantId")).lower(),
            role=_id(sender.get("role")),
        ),
        bot=_id(bot.get("id")),
        text=_text(raw.get("text")),
        team=_id(team.get("aadGroupId")).lower(),
        team_thread=_id(team.get("id")),
        reply_to=_id(raw.get("replyToId")),
        home=_id(conversation.get("tenantId")).lower(),
        value=_object(raw, "value"),
        channel_data=data,
        raw=raw,
    )


def _place(conversation: Json, id_: str) -> TeamsPlace:
    """Events of installations do not always say it. A chat of two people is "personal", too, where a message extension
    is used in it: its id begins with "19:", unlike that of a chat with the bot. What is not known to be somebody's own
    chat is none: there he is shown what he alone may see."""
    said = _text(conversation.get("conversationType"))
    if said not in _KINDS:
        said = _kind(id_)
    is_alone = said == TeamsPlace.PERSONAL and not id_.startswith(_SHARED) and conversation.get("isGroup") is not True
    if is_alone:
        return TeamsPlace.PERSONAL
    return TeamsPlace.CHANNEL if said == TeamsPlace.CHANNEL else TeamsPlace.GROUP


def _kind(id_: str) -> str:
    """What an id tells."""
    if any(each in id_ for each in _CHANNELS):
        return TeamsPlace.CHANNEL
    return TeamsPlace.PERSONAL if id_.startswith(_ALONE) else ""


_KINDS = frozenset(each.value for each in TeamsPlace)
_ALONE, _SHARED, _CHANNELS = "a:", "19:", ("@thread.tacv2", "@thread.skype")
"""How ids of conversations begin, and those of channels end."""


def _digest(raw: Json) -> str:
    return hashlib.sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()


def _object(of: Json, name: str) -> Json:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _id(value: object, longest: int = _LONGEST_ID) -> str:
    """Of an id that could not be one, nothing."""
    found = _text(value)
    return "" if len(found.encode(errors="replace")) > longest or _CONTROL.search(found) else found


def _listed(value: object) -> tuple[Json, ...]:
    return tuple(each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()
