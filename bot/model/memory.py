"""Conversation history: context for the next question, never evidence."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.model.messages import Conversation
from bot.model.outcomes import kind_of
from rag_core.answers import Answer, AskTrace, Citation, Reply
from rag_core.questions import Background, Turn

MOST_TURNS = 8
"""Turns that are kept at hand; a follow-up is completed from the last 4 messages."""

MOST_CONDENSED = 12
"""Topics, places, platforms and documents that are known of a conversation before the turns at hand, of each."""

_LONGEST_CONDENSED = 100
"""Characters kept of each of them."""

LONGEST_TEXT = 2_000
"""Characters kept of a question: a turn has a bounded size, however long the thread."""


@dataclass(frozen=True, slots=True)
class CitedChunk:
    """What an answer stood on."""

    chunk_id: str
    doc_id: str
    document_id: str
    policy_source: str
    section_path: str = ""


@dataclass(frozen=True, slots=True)
class RememberedTurn:
    """One question and what came of it. `understood` is the question completed from the conversation, if it was
    one of those that need it. `kind` is answer, refusal or clarification; `topics` are the content words.
    The scope's fields are those of `rag_core.questions.Scope`, `as_of` ISO 8601. `before` condenses all turns before
    this one: bounded, so that the last turn knows of a thread however long. `needed`: the groups of those it was
    answered for. All that it says, `before` as well, may come from what only they may see: it is for nobody who is not
    in all of them."""

    answer_id: str
    person: str
    asked: str
    understood: str
    kind: str
    at: datetime
    as_of: str
    regions: tuple[str, ...] = ()
    policy_sources: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    citations: tuple[CitedChunk, ...] = ()
    before: Background = field(default_factory=Background)
    needed: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `turn_from` reads them."""
        return {**asdict(self), "at": self.at.isoformat()}


def turn_from(value: Mapping[str, Any]) -> RememberedTurn:
    """The turn that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else; for a turn of which it
    is not said whom it is for, too."""
    lists: dict[str, Any] = {
        name: tuple(value[name]) for name in ("regions", "policy_sources", "content_types", "topics", "needed")
    }
    cited = tuple(CitedChunk(**each) for each in value["citations"])
    plain = {name: value[name] for name in ("answer_id", "person", "asked", "understood", "kind", "as_of")}
    before = background_from(value.get("before") or {})  # older versions wrote none
    return RememberedTurn(**plain, **lists, citations=cited, at=datetime.fromisoformat(value["at"]), before=before)


def open_to(groups: frozenset[str], turns: Iterable[RememberedTurn]) -> tuple[RememberedTurn, ...]:
    """Those that somebody in `groups` may be told of."""
    return tuple(turn for turn in turns if groups.issuperset(turn.needed))


def background_from(value: Mapping[str, Any]) -> Background:
    """What was written of a Background; raises TypeError for what is none."""
    return Background(**{name: tuple(values)[:MOST_CONDENSED] for name, values in value.items()})


def condensed(turns: Sequence[RememberedTurn]) -> Background:
    """What the conversation was about up to the last of `turns`, newest first: what that one knows of those before it,
    and itself."""
    if not turns:
        return Background()
    last = turns[-1]
    documents = tuple(each.document_id for each in last.citations)
    return Background(
        topics=_newest(last.topics, last.before.topics),
        regions=_newest(last.regions, last.before.regions),
        policy_sources=_newest(last.policy_sources, last.before.policy_sources),
        document_ids=_newest(documents, last.before.document_ids),
    )


def _newest(new: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each[:_LONGEST_CONDENSED] for each in (*new, *known)))[:MOST_CONDENSED]


def conversation_key(conversation: Conversation) -> str:
    """SHA-256 (hex) of where it is: no id and no text of anybody in a key."""
    parts = (conversation.platform, conversation.workspace, conversation.channel, conversation.thread)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def as_turn(
    answer_id: str,
    person: str,
    asked: str,
    at: datetime,
    reply: Reply,
    trace: AskTrace,
    earlier: Sequence[RememberedTurn] = (),
    groups: frozenset[str] = frozenset(),
) -> RememberedTurn:
    """A question as it was asked and understood, and what came of it for people in `groups`; `earlier` turns that are
    open to them, of which the last one counts."""
    scope = reply.scope
    return RememberedTurn(
        answer_id=answer_id,
        person=person,
        asked=asked[:LONGEST_TEXT],
        understood=trace.question.search_text[:LONGEST_TEXT],
        kind=kind_of(reply),
        at=at,
        as_of=scope.as_of.isoformat(),
        # what was only assumed, nobody has named: it must not be carried over as if somebody had
        regions=() if "regions" in scope.assumed else scope.regions,
        policy_sources=() if "policy_sources" in scope.assumed else scope.policy_sources,
        content_types=tuple(str(each) for each in scope.content_types),
        topics=tuple(term.text for term in trace.question.terms),
        citations=tuple(_cited(each) for each in reply.citations) if isinstance(reply, Answer) else (),
        before=condensed(earlier),
        needed=tuple(sorted(groups)),
    )


def _cited(citation: Citation) -> CitedChunk:
    return CitedChunk(
        citation.chunk_id, citation.doc_id, citation.document_id, citation.policy_source, citation.section_path
    )


def history_of(turns: Iterable[RememberedTurn]) -> tuple[Turn, ...]:
    """The last turns as the core takes them: those that were about something."""
    return tuple(Turn("user", turn.understood) for turn in turns if turn.topics)[-MOST_TURNS:]


MOST_BYTES = 65_536
"""What is kept of one conversation. Most need a tenth of it."""


def entry_of(turn: RememberedTurn, most_bytes: int = MOST_BYTES) -> str | None:
    """The turn as ASCII JSON: a character is a byte. One that is too large loses its citations and topics, and its
    texts are cut; None if it is still too large."""
    entry = _json(turn)
    if len(entry) <= most_bytes:
        return entry
    asked, understood = turn.asked[:LONGEST_TEXT], turn.understood[:LONGEST_TEXT]
    entry = _json(replace(turn, asked=asked, understood=understood, citations=(), topics=(), before=Background()))
    return entry if len(entry) <= most_bytes else None


def turn_of(entry: str | bytes) -> RememberedTurn | None:
    """What `entry_of` wrote; None for anything else, such as what an older version wrote."""
    try:
        return turn_from(json.loads(entry))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def entries_of(turns: Sequence[RememberedTurn], most_bytes: int = MOST_BYTES) -> list[tuple[str, str]]:
    """(answer_id, entry) of the last turns that have room together, oldest first, each answer once."""
    kept: dict[str, str] = {}
    for turn in turns:
        entry = entry_of(turn, most_bytes)
        if entry is not None and turn.answer_id not in kept:
            kept[turn.answer_id] = entry
    return last_that_fit(list(kept.items()), most_bytes)


def last_that_fit(entries: Sequence[tuple[str, str]], most_bytes: int = MOST_BYTES) -> list[tuple[str, str]]:
    """MOST_TURNS of (answer_id, entry) at most, and `most_bytes` of entries."""
    first, size = len(entries), 0
    while first > 0 and len(entries) - first < MOST_TURNS:
        size += len(entries[first - 1][1])
        if size > most_bytes:
            break
        first -= 1
    return list(entries[first:])


def _json(turn: RememberedTurn) -> str:
    return json.dumps(turn.to_json(), separators=(",", ":"))
