"""Streamed messages, with the rules and codes of "Stream bot messages"."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from ops.sandbox.teams.messages import Clock, objects
from ops.sandbox.teams.places import PlaceKind
from ops.sandbox.teams.refusals import TeamsRefusal, bad_stream, stream_not_allowed

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

    def is_open(self, conversation: str) -> bool:
        found = self._latest.get(conversation)
        return found is not None and not self._end(found)

    def is_unfinished(self, conversation: str, id_: str) -> bool:
        found = self._by_id.get((conversation, id_))
        return found is not None and not self._end(found)

    def is_stopped(self, conversation: str, id_: str) -> bool:
        """By the person: what was shown stays as it is."""
        found = self._by_id.get((conversation, id_))
        return found is not None and found.ended == CANCELLED

    def stop(self, conversation: str) -> None:
        """The person presses Stop."""
        if self.is_open(conversation):
            self._latest[conversation].ended = CANCELLED

    def begin(self, conversation: str, kind: PlaceKind, chunk: Chunk, id_: str) -> None:
        """Raises TeamsRefusal."""
        if kind is not PlaceKind.PERSONAL or self.is_open(conversation):
            raise stream_not_allowed(NOT_ALLOWED)
        if chunk.is_final or chunk.sequence != 1:
            raise bad_stream("Start streaming activities should have streamSequence 1")
        self._check_text(chunk)
        made = Stream(id_, self._clock(), self._monotonic())
        made.shown = chunk.text if chunk.kind == "streaming" else ""
        self._latest[conversation] = self._by_id[conversation, id_] = made

    def go_on(self, conversation: str, chunk: Chunk) -> bool:
        """False: out of order, and dropped. Raises TeamsRefusal."""
        found = self._by_id.get((conversation, chunk.stream))
        if found is None:
            raise bad_stream("The streamId is not that of a stream in this chat")
        if self._end(found):
            raise stream_not_allowed(found.ended)
        if chunk.is_final and chunk.sequence is not None:
            raise bad_stream("The final streaming activity must not have a streamSequence")
        if not chunk.is_final and chunk.sequence is None:
            raise bad_stream("Continue streaming activities should have a streamSequence")
        self._check_text(chunk)
        if chunk.sequence is not None and chunk.sequence <= found.sequence:
            self.dropped.append(chunk)
            return False
        self._check_pace(found, chunk)
        if chunk.kind != "informative" and not chunk.text.startswith(found.shown):
            raise bad_stream("The content must contain what was streamed before")
        self._advance(found, chunk)
        return True

    def _advance(self, found: Stream, chunk: Chunk) -> None:
        found.chunk_at = self._monotonic()
        found.sequence = chunk.sequence or found.sequence
        found.shown = found.shown if chunk.kind == "informative" else chunk.text
        if chunk.is_final:
            found.ended = COMPLETED

    def _check_text(self, chunk: Chunk) -> None:
        if not chunk.text.strip() and not (chunk.is_final and chunk.has_attachments):
            raise bad_stream("Streaming activities should include text")
        if chunk.kind not in ("informative", "streaming", "final"):
            raise bad_stream(f"Unknown streamType {chunk.kind}")
        if chunk.kind == "informative" and len(chunk.text) > MOST_INFORMATIVE:
            raise bad_stream(f"An informative message must not be longer than {MOST_INFORMATIVE} characters")
        if chunk.has_attachments and not chunk.is_final:
            raise bad_stream("Attachments are allowed in the final streaming activity only")

    def _check_pace(self, found: Stream, chunk: Chunk) -> None:
        if not chunk.is_final and self._monotonic() - found.chunk_at < self._seconds:
            raise TeamsRefusal(429, "Throttled", "API calls quota exceeded", retry_after=1)

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
        raise bad_stream("streamSequence must be a positive integer")
    kind = str(said.get("streamType") or "streaming")
    if (activity.get("type") == "message") != (kind == "final"):
        raise bad_stream("A final streaming activity is a message, every other one typing")
    return Chunk(
        str(said.get("streamId") or ""),
        kind,
        sequence,
        str(activity.get("text") or ""),
        bool(objects(activity.get("attachments"))),
    )
