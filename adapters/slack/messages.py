"""Message events read: what somebody typed, changed or deleted, as plain text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adapters.slack.access import said_outside
from adapters.slack.payloads import installed_in
from bot.model.messages import Actor, Conversation, edit_key
from bot.questions.addressing import CODE, Piece, Said, said

_ANGLED = re.compile(r"<([^<>]{1,3000})>")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+'-]*(?:::skin-tone-\d)?:(?![\w:])", re.IGNORECASE)
_MARKS = (
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"),
    re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])"),
    CODE,
    re.compile(r"`([^`\n]+)`"),
)
_QUOTED_LINE = re.compile(r"(?m)^(?:&gt;)+[ \t]?")


def unescaped(text: str) -> str:
    """Slack escapes three characters, and only these, each once."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain_text(text: str) -> str:
    """All of a message as people read it, without formatting: its own mention of anybody as their name."""
    return said_in(text, "").text


def as_written(text: str) -> str:
    """All of it, with its formatting and emoji as they were typed. The address of a link stands beside its label, so
    that whoever reads it sees where it leads."""
    pieces = _pieces(text, "", addresses=True)
    return "".join(unescaped(each.text) if each.raw else each.text for each in pieces).strip()


def said_in(text: str, bot_user: str) -> Said:
    """A message as plain text, with who is called in it; the mention of `bot_user` is left out."""
    return said(list(_pieces(text, bot_user)), _unformatted, quotes=bool(_QUOTED_LINE.match(text.lstrip())))


def _pieces(text: str, bot_user: str, *, addresses: bool = False) -> Iterator[Piece]:
    done = 0
    for found in _ANGLED.finditer(text):
        yield Piece(text[done : found.start()], raw=True)
        yield _special(found[1], bot_user, addresses=addresses)
        done = found.end()
    yield Piece(text[done:], raw=True)


def _special(inside: str, bot_user: str, *, addresses: bool) -> Piece:
    target, _, label = inside.partition("|")
    label = unescaped(label)
    if target.startswith("@"):
        is_bot = bool(bot_user) and target[1:] == bot_user
        return Piece("", calls="bot") if is_bot else Piece(f"@{label.lstrip('@') or 'somebody'}", calls="other")
    if target.startswith("!subteam^") or target in ("!here", "!channel", "!everyone"):
        return Piece(label or "@group", calls="other")
    if target.startswith("#"):
        named = label or (target[1:] if addresses else "")
        return Piece(f"#{named}" if named else "")
    # a date comes with what is shown where it cannot be; an address with its label as it was typed
    if target.startswith("!"):
        return Piece(label)
    address = unescaped(target).removeprefix("mailto:")
    if addresses and label not in ("", address):
        return Piece(f"{label} ({address})")
    return Piece(label or address)


def _unformatted(text: str) -> str:
    text = _QUOTED_LINE.sub("", text)
    for mark in _MARKS:
        text = mark.sub(r"\1", text)
    return unescaped(_EMOJI.sub("", text))


_TS = re.compile(r"\d{1,12}\.\d{1,9}")
_CALLED = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")
_SLACKBOT = "USLACKBOT"
_WRITTEN = (None, "", "file_share")
"""Subtypes of what a person writes; with a file it is a question all the same."""


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """What a person wrote. `thread_ts` "" outside of threads; `edited` is when it was changed last, "" for never.

    `is_direct`: in the conversation of one person with the bot. `is_mention`: an `app_mention` event. `outside`: as in
    `SlackAddress`.
    """

    team: str
    enterprise: str
    channel: str
    user: str
    ts: str
    thread_ts: str
    text: str
    bot_user: str
    is_direct: bool = False
    is_mention: bool = False
    edited: str = ""
    outside: str = ""

    @property
    def claim_key(self) -> str:
        """The same for the mention and the message that one line makes, and for all their deliveries."""
        return f"slack:{self.team}:{self.channel}:{self.ts}"

    @property
    def edit_key(self) -> str:
        """Of the question as it was changed; that of the message where it never was."""
        return edit_key(self.claim_key, self.edited)

    @property
    def thread(self) -> str:
        """The thread that an answer goes into."""
        return self.thread_ts or self.ts

    @property
    def is_reply(self) -> bool:
        return bool(self.thread_ts) and self.thread_ts != self.ts

    @property
    def actor(self) -> Actor:
        return Actor("slack", self.team, self.user)

    @property
    def conversation(self) -> Conversation:
        return Conversation("slack", self.team, self.channel, self.thread)

    @property
    def said(self) -> Said:
        return said_in(self.text, self.bot_user)


@dataclass(frozen=True, slots=True)
class Edited:
    """A message that says something else now."""

    new: SlackMessage
    old: SlackMessage


@dataclass(frozen=True, slots=True)
class Deleted:
    """A message that is gone, as it was."""

    old: SlackMessage


Happened = SlackMessage | Edited | Deleted


def happened(body: Mapping[str, object]) -> Happened | None:
    """What an event says of a person's message.

    None for messages of bots and apps, our own ones, what Slack hides or says itself (joins, topics, broadcasts of
    thread replies), and for what is no such event at all.
    """
    event = _mapping(body.get("event"))
    kind, subtype = event.get("type"), event.get("subtype")
    if kind == "app_mention":
        return _written(body, event, event)
    if kind != "message":
        return None
    if subtype == "message_changed":
        return _changed(body, event)
    if subtype == "message_deleted":
        old = _written(body, event, _mapping(event.get("previous_message")))
        return Deleted(old) if old else None
    if subtype not in _WRITTEN or event.get("hidden"):
        return None
    return _written(body, event, event)


def _changed(body: Mapping[str, object], event: Mapping[str, object]) -> Happened | None:
    message, previous = _mapping(event.get("message")), _mapping(event.get("previous_message"))
    old = _written(body, event, previous)
    if old is None or message.get("ts") != previous.get("ts"):
        return None
    if message.get("subtype") == "tombstone":  # what is left of a deleted message that a thread begins with
        return Deleted(old)
    new = _written(body, event, message)
    return Edited(new, old) if new and message.get("subtype") in _WRITTEN else None


def _written(
    body: Mapping[str, object], event: Mapping[str, object], message: Mapping[str, object]
) -> SlackMessage | None:
    team, enterprise, bot_user = installed_in(body)
    user, ts, text = (_text(message.get(name)) for name in ("user", "ts", "text"))
    channel, is_mention = _text(event.get("channel")), event.get("type") == "app_mention"
    if message.get("bot_id") or message.get("app_id") or message.get("subtype") == "bot_message":
        return None
    if not (team and channel and user and _TS.fullmatch(ts)) or user in (bot_user, _SLACKBOT):
        return None
    if is_mention and not bot_user and (found := _CALLED.search(text)):
        bot_user = found[1]
    thread, edited = _text(message.get("thread_ts")), _text(_mapping(message.get("edited")).get("ts"))
    return SlackMessage(
        team=team,
        enterprise=enterprise,
        channel=channel,
        user=user,
        ts=ts,
        thread_ts=thread if _TS.fullmatch(thread) else "",
        text=text,
        bot_user=bot_user,
        is_direct=event.get("channel_type") == "im",
        is_mention=is_mention,
        edited=edited if _TS.fullmatch(edited) else "",
        outside=said_outside({**body, "event": message}, team),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
