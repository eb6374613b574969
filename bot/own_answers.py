"""An answer read again: by the person who asked, as long as everything behind it may be seen.

What cannot be read again looks like what never was. Whoever runs the bot has the record (`ops audit show`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.messages import Actor, Conversation
from bot.ports import GivenAnswers, RecordedAnswer
from rag_core.answers import RefusalReason
from rag_core.ports import PolicyStore

_ONE_HOUSE = frozenset({"rest", "web"})
"""The same person, signed in the same way, on the pages and over the API."""

_CHUNKS, _VERSIONS, _DOCUMENTS = "chunk_id", "doc_id", "document_id"
_SOURCES = frozenset({"policy_source", "policy_sources"})
_AS_ASKED = "scope"
"""Names what the question names, whether it is on file or not."""


SHOWN_IN = "shown_in"
"""Among the notes of an answer's trace: the channel whose readers were all shown it. Not there for a private one."""


KnownAs = Callable[[Actor], str]
"""How answers on record name a person."""


def by_own_id(actor: Actor) -> str:
    """KnownAs, without pseudonyms."""
    return actor.person


def belongs_to(answer: RecordedAnswer, actor: Actor, known_as: KnownAs = by_own_id) -> bool:
    """Whether this person asked."""
    roads = {answer.answered_from, actor.platform}
    same_road = len(roads) == 1 or roads <= _ONE_HOUSE
    return same_road and (answer.workspace, answer.person) == (actor.workspace, known_as(actor))


def was_shown_to(answer: RecordedAnswer, actor: Actor, seen_in: Conversation | None) -> bool:
    """Whether the answer stood where this person is: `seen_in`, as the platform itself says that he is there. Older
    answers do not say where they stood."""
    if seen_in is None:
        return False
    notes = (answer.trace or {}).get("notes")
    channel = notes.get(SHOWN_IN) if isinstance(notes, Mapping) else None
    same_road = answer.answered_from == actor.platform == seen_in.platform
    same_house = answer.workspace == actor.workspace == seen_in.workspace
    return same_road and same_house and bool(channel) and channel == seen_in.channel


class OwnAnswers:
    """Reads answers again. Raises Unavailable."""

    def __init__(self, answers: GivenAnswers, store: PolicyStore, known_as: KnownAs = by_own_id) -> None:
        self._answers = answers
        self._store = store
        self._known_as = known_as

    async def read(self, answer_id: str, actor: Actor, groups: frozenset[str]) -> dict[str, object] | None:
        """The REST shape as it was answered; None: there is none, somebody else asked, or it stands on something that
        these groups may not see, or that is not on file any more."""
        answer = await self._answers.answer(answer_id)
        if answer is None or not belongs_to(answer, actor, self._known_as):
            return None
        return answer.reply if await sees_all(answer, self._store, groups) else None


async def sees_all(answer: RecordedAnswer, store: PolicyStore, groups: frozenset[str]) -> bool:
    """Whether these groups may see everything behind an answer, and it is still on file. Raises Unavailable."""
    behind = named_in(answer)
    return behind is not None and groups >= answered_for(answer) and await _sees(behind, store, groups)


async def _sees(behind: "Behind", store: PolicyStore, groups: frozenset[str]) -> bool:
    passages = await store.passages(sorted(behind.chunks), groups, None)
    if behind.chunks - {each.chunk.chunk_id for each in passages}:
        return False
    versions = {each.chunk.doc_id for each in passages}
    documents = {each.version.document_id for each in passages}
    sources = {each.version.policy_source for each in passages}
    if not (behind.versions <= versions and behind.documents <= documents):
        for each in await store.versions(groups):
            versions.add(each.doc_id)
            documents.add(each.document_id)
            sources.add(each.policy_source)
    if not behind.sources <= sources:
        sources |= {each.slug for each in await store.sources(groups)}
    return behind.versions <= versions and behind.documents <= documents and behind.sources <= sources


@dataclass(frozen=True, slots=True)
class Behind:
    """What an answer stands on: ids of chunks, versions and documents, slugs of sources."""

    chunks: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)


def answered_for(answer: RecordedAnswer) -> frozenset[str]:
    """The groups of those it was answered for: a title or a date in it may come from what only they may see, and say
    so by no id."""
    notes = (answer.trace or {}).get("notes")
    groups = notes.get("groups") if isinstance(notes, Mapping) else None
    return frozenset(groups or ())


def named_in(answer: RecordedAnswer) -> Behind | None:
    """Whatever the reply names, and every passage that was looked at for it: a choice or a verdict may tell of one that
    is not cited. None: nobody can know any more, for want of a trace, or because it tells of something unnamed."""
    candidates = answer.trace.get("candidates") if answer.trace is not None else None
    if not isinstance(candidates, list) or _tells_of_unnamed(answer.reply):
        return None
    behind = Behind()
    known = {_CHUNKS: behind.chunks, _VERSIONS: behind.versions, _DOCUMENTS: behind.documents}
    reply = {name: value for name, value in answer.reply.items() if name != _AS_ASKED}
    for name, value in _fields((reply, candidates)):
        found = behind.sources if name in _SOURCES else known.get(name)
        if found is not None:
            found.update(value if isinstance(value, list) else [value] if value is not None else [])
    return behind


def _tells_of_unnamed(reply: Mapping[str, Any]) -> bool:
    """Whether it says that there is something, and not what: rules of another day, an earlier change."""
    changes, refusal = reply.get("changes") or {}, reply.get("refusal") or {}
    return changes.get("last_before") is not None or refusal.get("reason") == RefusalReason.OTHER_DAY.value


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """All fields of all objects in it, however deep."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield name, each
            yield from _fields(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _fields(each)
