"""An activity as Teams sends it, read once, with what was typed as plain text."""

import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from adapters.teams.addresses import TeamsAddress, TeamsPlace, TeamsReference, channel_of
from bot.access.outsiders import Outside
from bot.questions.addressing import CODE, Piece, Said, said, without_invisible
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


_AT = re.compile(r"<at\b[^<>]{0,200}>(.{0,500}?)</at>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|blockquote|tr)>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_QUOTE_BEGINS = re.compile(r"<blockquote\b[^<>]{0,500}>", re.IGNORECASE)
_QUOTE_ENDS = re.compile(r"</blockquote>", re.IGNORECASE)
_APART = re.compile(r"(?:\s|&nbsp;|&#160;|>|&gt;)*+")
"""What stands between the words of a quotation, and no part of them."""
_QUOTED_LINE = re.compile(r"(?m)^(?:>|&gt;)+[ \t]?")
_MARKS = (
    re.compile(r"(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])"),
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<![\w_])__?(?=\S)([^_\n]+?)(?<=\S)__?(?![\w_])"),
    re.compile(r"~~(?=\S)([^~\n]+?)(?<=\S)~~"),
    CODE,
    re.compile(r"`([^`\n]+)`"),
    re.compile(r"(?m)^#{1,6}[ \t]+(.*)$"),
    re.compile(r"\[([^\[\]\n]{1,500})\]\([^()\s]{1,2000}\)"),
)

_MOST_MENTIONS = 200
_HTML = "text/html"
_REFERENCE = "messageReference"
_NOT_FILES = (_HTML, "text/plain", _REFERENCE)
_MARKED_UP = ("xml", "html")


def said_to(activity: TeamsActivity) -> Said:
    """A message as plain text, with who is called in it; the mention of the bot is left out, that of others is their
    name, and what it quotes is not said by it."""
    quoted = _quoted(activity.attachments)
    text = _without(activity.text, quoted)
    pieces = list(_pieces(text, activity.entities, activity.bot))
    return _said(pieces, activity, quotes=bool(quoted) or bool(_QUOTED_LINE.match(text.lstrip())))


def files_in(activity: TeamsActivity) -> tuple[str, ...]:
    """Names of what is attached and not read: files, pictures, cards. "" for what has no name."""
    return tuple(
        str(each.get("name") or "")[:200]
        for each in activity.attachments
        if isinstance(each.get("contentType"), str) and each["contentType"] not in _NOT_FILES
    )


def _said(pieces: Sequence[Piece], activity: TeamsActivity, *, quotes: bool) -> Said:
    format_ = str(activity.raw.get("textFormat") or "plain").lower()
    found = said(pieces, partial(_unformatted, format_=format_), quotes=quotes)
    if not found.mentions_bot and _mentions(activity.entities, activity.bot):
        return replace(found, before_bot="")  # mentioned, and nobody can tell where
    return found


def _mentions(entities: Sequence[Json], bot: str) -> bool:
    return any(_is_bot(each, bot) for each in entities if each.get("type") == "mention")


def _is_bot(entity: Json, bot: str) -> bool:
    mentioned = entity.get("mentioned")
    id_ = mentioned.get("id") if isinstance(mentioned, Mapping) else None
    return isinstance(id_, str) and bool(bot) and id_.lower() == bot.lower()


def _pieces(text: str, entities: Sequence[Json], bot: str) -> Iterator[Piece]:
    """Each `<at>` span belongs to the entity with the same text, of several to one after the other; the name alone
    counts where no entity has the very text."""
    mentions = [each for each in entities if each.get("type") == "mention"]
    left = [(each, _entity_name(each)) for each in mentions[:_MOST_MENTIONS]]
    done = 0
    for found in _AT.finditer(text):
        yield Piece(text[done : found.start()], raw=True)
        done = found.end()
        chosen = _entity_of(found, left)
        if chosen is not None and len([each for each, _ in left if each.get("text") == chosen[0].get("text")]) > 1:
            left.remove(chosen)  # the last one stands for all that follow
        is_bot = chosen is not None and _is_bot(chosen[0], bot)
        yield Piece("", calls="bot") if is_bot else Piece(f"@{_name(found[1]) or 'somebody'}", calls="other")
    yield Piece(text[done:], raw=True)


def _entity_of(span: re.Match[str], entities: Sequence[tuple[Json, str]]) -> tuple[Json, str] | None:
    """`entities`: each with its name."""
    exact = next((each for each in entities if each[0].get("text") == span[0]), None)
    if exact is not None:
        return exact
    name = _name(span[1])
    return next((each for each in entities if each[1] == name), None)


def _entity_name(entity: Json) -> str:
    text = entity.get("text")
    found = _AT.search(text) if isinstance(text, str) else None
    return _name(found[1]) if found else ""


def _name(inside: str) -> str:
    return " ".join(without_invisible(html.unescape(_TAG.sub("", inside))).split()).lstrip("@")


def _unformatted(text: str, format_: str) -> str:
    """Entities are replaced once: what was typed as `&amp;` stays that."""
    text = _QUOTED_LINE.sub("", text)
    if format_ in _MARKED_UP:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if format_ == "markdown":
        for mark in _MARKS:
            text = mark.sub(r"\1", text)
    return html.unescape(text)


def _quoted(attachments: Sequence[Json]) -> tuple[str, ...]:
    """What somebody else wrote and the message answers to, as plain text; "" of a quotation without words."""
    found = [_plain(each) for text in _contents(attachments, _HTML) for each in _blocks(text)]
    return (*found, *(_preview(text) for text in _contents(attachments, _REFERENCE)))


def _blocks(marked_up: str) -> Iterator[str]:
    """What stands in its quotations; one that nothing ends is none."""
    begins = _QUOTE_BEGINS.search(marked_up)
    while begins is not None and (ends := _QUOTE_ENDS.search(marked_up, begins.end())):
        yield marked_up[begins.end() : ends.start()]
        begins = _QUOTE_BEGINS.search(marked_up, ends.end())


def _contents(attachments: Sequence[Json], kind: str) -> list[Any]:
    found = [each.get("content") for each in attachments if each.get("contentType") == kind]
    return [each for each in found if each is not None and (kind == _REFERENCE or isinstance(each, str))]


def _preview(content: object) -> str:
    """Of a reference to a message; it comes as JSON in a text."""
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return ""
    preview = content.get("messagePreview") if isinstance(content, Mapping) else None
    return _plain(preview) if isinstance(preview, str) else ""


def _plain(marked_up: str) -> str:
    return without_invisible(html.unescape(_TAG.sub(" ", marked_up)))


def _without(text: str, quoted: Sequence[str]) -> str:
    """The text without a quotation that it begins with, however that is spaced."""
    for each in quoted:
        if end := _end_of(each.replace(">", " ").split(), text):
            return text[end:]
    return text


def _end_of(words: Sequence[str], text: str) -> int:
    """Where the words end that the text begins with, one by one and never gone back: what was quoted may be anything. 0
    where it does not begin with them."""
    at = 0
    for word in words:
        found = _APART.match(text, at)
        at = found.end() if found else at
        typed = next((each for each in (html.escape(word), word) if text.startswith(each, at)), "")
        if not typed:
            return 0
        at += len(typed)
    return at
