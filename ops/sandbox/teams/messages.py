"""What stands in conversations; and streamed messages, with the rules and codes of "Stream bot messages"."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ops.sandbox.tasks import Waiting
from ops.sandbox.teams.cards import ADAPTIVE_CARD
from ops.sandbox.teams.limits import TeamsRefusal

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Message:
    """As it stands now. `thread`: id of the message that its thread begins with, "" for one that begins it and
    wherever there are no threads. `activity`: what was sent; `before`: what it was before it was changed, at
    `changed_at`, None for never."""

    id: str
    conversation: str
    author: str
    activity: Mapping[str, object]
    at: datetime
    thread: str = ""
    before: tuple[Mapping[str, object], ...] = ()
    is_deleted: bool = False
    is_streaming: bool = False
    heard: bool = False
    """The bot was told of it."""
    changed_at: datetime | None = None

    @property
    def is_by_bot(self) -> bool:
        return self.author.startswith("28:")

    @property
    def is_edited(self) -> bool:
        return bool(self.before)

    @property
    def root(self) -> str:
        """The message that its thread begins with: itself where it begins one."""
        return self.thread or self.id

    @property
    def text(self) -> str:
        return str(self.activity.get("text") or "")

    @property
    def attachments(self) -> list[Mapping[str, object]]:
        return objects(self.activity.get("attachments"))

    @property
    def cards(self) -> list[dict[str, object]]:
        """Contents of its Adaptive Cards."""
        found = [each.get("content") for each in self.attachments if each.get("contentType") == ADAPTIVE_CARD]
        return [each for each in found if isinstance(each, dict)]

    @property
    def card(self) -> dict[str, object]:
        """The first; {} for none."""
        return next(iter(self.cards), {})

    @property
    def entities(self) -> list[Mapping[str, object]]:
        return objects(self.activity.get("entities"))

    @property
    def citations(self) -> list[Mapping[str, object]]:
        found = [each.get("citation") for each in self.entities if each.get("type") == "https://schema.org/Message"]
        return objects(found[0]) if found else []

    @property
    def suggestions(self) -> list[str]:
        """Titles of its suggested actions."""
        found = self.activity.get("suggestedActions")
        actions = found.get("actions") if isinstance(found, dict) else None
        return [str(each.get("title") or "") for each in objects(actions)]

    @property
    def feedback(self) -> str:
        """ "default", "custom", or "" where it cannot be rated."""
        data = self.activity.get("channelData")
        loop = data.get("feedbackLoop") if isinstance(data, dict) else None
        return str(loop.get("type") or "") if isinstance(loop, dict) else ""


class Messages:
    """All messages, by conversation. Nothing is looked for by going through all of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._places: dict[str, dict[str, Message]] = {}
        self._last = 0
        self._waiting = Waiting()

    def new_id(self) -> str:
        """Milliseconds, as Teams counts messages; each later than the one before."""
        self._last = max(self._last + 1, int(self._clock().timestamp() * 1000))
        return str(self._last)

    def put(self, message: Message) -> Message:
        self._places.setdefault(message.conversation, {})[message.id] = message
        self._waiting.changed()
        return message

    def post(
        self,
        conversation: str,
        author: str,
        activity: Mapping[str, object],
        *,
        thread: str = "",
        id_: str = "",
        is_streaming: bool = False,
        heard: bool = False,
    ) -> Message:
        made = Message(id_ or self.new_id(), conversation, author, activity, self._clock(), thread)
        return self.put(replace(made, is_streaming=is_streaming, heard=heard))

    def change(self, message: Message, activity: Mapping[str, object], *, is_streaming: bool = False) -> Message:
        before = message.before if message.is_streaming else (*message.before, message.activity)
        changed = replace(message, activity=activity, before=before, changed_at=self._clock())
        return self.put(replace(changed, is_streaming=is_streaming))

    def find(self, conversation: str, id_: str) -> Message | None:
        return self._places.get(conversation, {}).get(id_)

    def listed(self, conversation: str, *, deleted: bool = False) -> list[Message]:
        found = self._places.get(conversation, {}).values()
        return [each for each in found if deleted or not each.is_deleted]

    def everywhere(self) -> Iterator[Message]:
        """What stands in any conversation now."""
        for each in self._places.values():
            yield from (message for message in each.values() if not message.is_deleted)

    def nudge(self) -> None:
        """Something that is waited for has changed."""
        self._waiting.changed()

    async def until(self, holds: Callable[[], bool], seconds: float) -> None:
        """Waits for something about messages; TimeoutError when that takes longer."""
        await self._waiting.until(holds, seconds)


def objects(value: object) -> list[Mapping[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


LASTS = timedelta(minutes=2)
MOST_INFORMATIVE = 1_000
CANCELLED = "Content stream was canceled by user."
COMPLETED = "Content stream is not allowed on an already completed streamed message"
EXPIRED = "Content stream finished due to exceeded streaming time."
NOT_ALLOWED = "Content stream is not allowed"


@dataclass(slots=True)
class Stream:
    """`shown`: what was streamed as content last; `ended`: with which words a further chunk is refused."""

    id: str
    began: datetime
    chunk_at: float
    sequence: int = 1
    shown: str = ""
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """`stream`: its id, "" for the first. `sequence` None: not given."""

    stream: str
    kind: str
    sequence: int | None
    text: str
    has_attachments: bool

    @property
    def is_final(self) -> bool:
        return self.kind == "final"


class Streams:
    """One at a time in a chat. `seconds`: at least between two chunks. `dropped`: chunks out of order."""

    def __init__(self, clock: Clock, monotonic: Callable[[], float], seconds: float) -> None:
        self._clock = clock
        self._monotonic = monotonic
        self._seconds = seconds
        self._latest: dict[str, Stream] = {}
        self._by_id: dict[tuple[str, str], Stream] = {}
        self.dropped: list[Chunk] = []

    def is_unfinished(self, conversation: str, id_: str) -> bool:
        found = self._by_id.get((conversation, id_))
        return found is not None and not self._end(found)

    def is_stopped(self, conversation: str, id_: str) -> bool:
        """By the person: what was shown stays as it is."""
        found = self._by_id.get((conversation, id_))
        return found is not None and found.ended == CANCELLED

    def stop(self, conversation: str) -> None:
        """The person presses Stop."""
        found = self._latest.get(conversation)
        if found is not None and not self._end(found):
            found.ended = CANCELLED

    def begin(self, conversation: str, chunk: Chunk, id_: str) -> None:
        """In a personal chat. Raises TeamsRefusal."""
        latest = self._latest.get(conversation)
        if latest is not None and not self._end(latest):
            raise TeamsRefusal("ContentStreamNotAllowed", NOT_ALLOWED)
        if chunk.is_final or chunk.sequence != 1:
            raise _wrong("Start streaming activities should have streamSequence 1")
        _check_text(chunk)
        made = Stream(id_, self._clock(), self._monotonic())
        made.shown = chunk.text if chunk.kind == "streaming" else ""
        self._latest[conversation] = self._by_id[conversation, id_] = made

    def go_on(self, conversation: str, chunk: Chunk) -> bool:
        """False: out of order, and dropped. Raises TeamsRefusal."""
        found = self._by_id.get((conversation, chunk.stream))
        if found is None:
            raise _wrong("The streamId is not that of a stream in this chat")
        if self._end(found):
            raise TeamsRefusal("ContentStreamNotAllowed", found.ended)
        if chunk.is_final and chunk.sequence is not None:
            raise _wrong("The final streaming activity must not have a streamSequence")
        if not chunk.is_final and chunk.sequence is None:
            raise _wrong("Continue streaming activities should have a streamSequence")
        _check_text(chunk)
        if chunk.sequence is not None and chunk.sequence <= found.sequence:
            self.dropped.append(chunk)
            return False
        if not chunk.is_final and self._monotonic() - found.chunk_at < self._seconds:
            raise TeamsRefusal("Throttled", "API calls quota exceeded", retry_after=1)
        if chunk.kind != "informative" and not chunk.text.startswith(found.shown):
            raise _wrong("The content must contain what was streamed before")
        self._advance(found, chunk)
        return True

    def _advance(self, found: Stream, chunk: Chunk) -> None:
        found.chunk_at = self._monotonic()
        found.sequence = chunk.sequence or found.sequence
        found.shown = found.shown if chunk.kind == "informative" else chunk.text
        if chunk.is_final:
            found.ended = COMPLETED

    def _end(self, stream: Stream) -> str:
        if not stream.ended and self._clock() - stream.began > LASTS:
            stream.ended = EXPIRED
        return stream.ended


def chunk_of(activity: Mapping[str, object]) -> Chunk | None:
    """None for what is no part of a stream. Raises TeamsRefusal."""
    found = [each for each in objects(activity.get("entities")) if each.get("type") == "streaminfo"]
    if not found:
        return None
    said = found[0]
    sequence = said.get("streamSequence")
    if sequence is not None and (not isinstance(sequence, int) or isinstance(sequence, bool) or sequence < 1):
        raise _wrong("streamSequence must be a positive integer")
    kind = str(said.get("streamType") or "streaming")
    if (activity.get("type") == "message") != (kind == "final"):
        raise _wrong("A final streaming activity is a message, every other one typing")
    text, attachments = str(activity.get("text") or ""), objects(activity.get("attachments"))
    return Chunk(str(said.get("streamId") or ""), kind, sequence, text, bool(attachments))


def _check_text(chunk: Chunk) -> None:
    if not chunk.text.strip() and not (chunk.is_final and chunk.has_attachments):
        raise _wrong("Streaming activities should include text")
    if chunk.kind not in ("informative", "streaming", "final"):
        raise _wrong(f"Unknown streamType {chunk.kind}")
    if chunk.kind == "informative" and len(chunk.text) > MOST_INFORMATIVE:
        raise _wrong(f"An informative message must not be longer than {MOST_INFORMATIVE} characters")
    if chunk.has_attachments and not chunk.is_final:
        raise _wrong("Attachments are allowed in the final streaming activity only")


def _wrong(message: str) -> TeamsRefusal:
    return TeamsRefusal("BadRequest", message)
