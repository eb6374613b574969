"""A recorded answer: read back from its REST shape, found by its id, and shown to those who may see it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from bot.model.messages import Actor, Conversation
from bot.ports import GivenAnswers, RecordedAnswer
from rag_core.answers import (
    Answer,
    Approved,
    ChangedRule,
    Changes,
    Citation,
    Comparison,
    ComparisonRow,
    Condition,
    ConditionKind,
    DocumentList,
    ListedDocument,
    ListedVersion,
    Notice,
    PlaceVerdict,
    QuoteType,
    RefusalReason,
    Statement,
    Verdict,
    WarningCode,
)
from rag_core.documents import ContentType
from rag_core.errors import Rejected
from rag_core.policy_changes import Direction, RuleChangeKind
from rag_core.ports import PolicyStore
from rag_core.questions import Scope

Json = Mapping[str, Any]


def answer_from(shape: Json, trace: Json | None = None) -> Answer:
    """The answer that `bot.render.json.reply_json` made this of, without choices and without how words were read.

    Raises Rejected("answer_unreadable") for anything else, and for what a later version wrote.
    """
    try:
        return replace(_answer(shape), scope=scope_from(shape, trace))
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise Rejected("answer_unreadable") from exc


def _answer(shape: Json) -> Answer:
    if shape["kind"] != "answer":
        raise ValueError(shape["kind"])
    return Answer(
        scope=_scope(shape["scope"]),
        statements=tuple(Statement(each["text"], tuple(each["citations"]), ()) for each in shape["statements"]),
        citations=tuple(map(_citation, shape["citations"])),
        verdicts=tuple(map(_verdict, shape["verdicts"])),
        not_stated=tuple(shape.get("not_stated", ())),
        warnings=tuple(Notice(WarningCode(each["code"]), tuple(each["subjects"])) for each in shape["warnings"]),
        degraded=tuple(shape["degraded"]),
        rewritten_question=shape.get("rewritten_question"),
        comparison=_comparison(shape["comparison"]) if "comparison" in shape else None,
        changes=_changes(shape["changes"]) if "changes" in shape else None,
        documents=_documents(shape["documents"]) if "documents" in shape else None,
        approved=_approved(shape["approved"]) if "approved" in shape else None,
    )


def _approved(shape: Json) -> Approved:
    """Which of the approved answers it was, the shape does not say."""
    return Approved(shape["by"], date.fromisoformat(shape["on"]), "", 0)


def scope_from(shape: Json, trace: Json | None) -> Scope:
    """The scope of a reply in the REST shape, in which what was read and what was assumed are one; its trace, if there
    is one, tells them apart. Raises Rejected("answer_unreadable")."""
    try:
        read = _scope(shape["scope"])
        asked = trace["question"]["scope"] if trace and trace.get("question") else {}
        assumed = tuple(each for each in read.inferred if each in asked.get("assumed", ()))
        inferred = tuple(each for each in read.inferred if each not in assumed)
        return replace(read, inferred=inferred, assumed=assumed)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise Rejected("answer_unreadable") from exc


def _scope(shape: Json) -> Scope:
    types = shape["content_type"]
    listed: Sequence[str] = types if isinstance(types, list) else [types] if types else []
    return Scope(
        as_of=date.fromisoformat(shape["as_of"]),
        policy_sources=tuple(shape["policy_sources"]),
        regions=tuple(shape["regions"]),
        content_types=tuple(map(ContentType, listed)),
        labels={key: tuple(values) for key, values in shape["labels"].items()},
        inferred=tuple("content_types" if each == "content_type" else each for each in shape["inferred"]),
        since=_day(shape.get("since")),
    )


def _citation(shape: Json) -> Citation:
    return Citation(
        number=shape["number"],
        chunk_id=shape["chunk_id"],
        doc_id=shape["doc_id"],
        document_id=shape["document_id"],
        policy_source=shape["policy_source"],
        title=shape["title"],
        url=shape["url"],
        anchor=None,
        section_path=shape["section_path"],
        rule_number=shape["rule_number"],
        page=shape["page"],
        regions=tuple(shape["regions"]),
        effective_from=date.fromisoformat(shape["effective_from"]),
        effective_to=_day(shape["effective_to"]),
        checked_at=datetime.fromisoformat(shape["checked_at"]),
        char_start=shape["char_start"],
        char_end=shape["char_end"],
        quote=shape["quote"],
        quote_type=QuoteType(shape["quote_type"]),
        confidence=shape["confidence"],
        author=shape.get("author"),
        posted_at=datetime.fromisoformat(shape["posted_at"]) if shape.get("posted_at") else None,
        post_number=shape.get("post_number"),
        date_stated=shape.get("date_stated", True),
    )


def _verdict(shape: Json) -> PlaceVerdict:
    conditions = tuple(map(_condition, shape["conditions"]))
    verdict = Verdict(shape["verdict"])
    return PlaceVerdict(shape["region"], shape["policy_source"], verdict, conditions, tuple(shape["citations"]))


def _condition(shape: Json) -> Condition:
    return Condition(ConditionKind(shape["kind"]), shape["text"], tuple(shape["citations"]))


def _comparison(shape: Json) -> Comparison:
    rows = tuple(
        ComparisonRow(
            row["region"],
            row["policy_source"],
            Verdict(row["verdict"]) if row["verdict"] else None,
            tuple(map(_condition, row["conditions"])),
            tuple(row["not_stated"]),
            tuple(row["citations"]),
        )
        for row in shape["rows"]
    )
    return Comparison(rows, shape["left_out"])


def _changes(shape: Json) -> Changes:
    return Changes(
        since=_day(shape["since"]),
        until=date.fromisoformat(shape["until"]),
        rules=tuple(map(_changed, shape["rules"])),
        left_out=shape["left_out"],
        last_before=_day(shape["last_before"]),
        looked_for=tuple(shape["looked_for"]),
    )


def _changed(rule: Json) -> ChangedRule:
    return ChangedRule(
        kind=RuleChangeKind(rule["kind"]),
        changed_on=date.fromisoformat(rule["changed_on"]),
        policy_source=rule["policy_source"],
        document_id=rule["document_id"],
        title=rule["title"],
        section_path=rule["section_path"],
        before=rule["before"],
        after=rule["after"],
        before_citation=rule["before_citation"],
        after_citation=rule["after_citation"],
        lead_in=rule["lead_in"],
        direction=Direction(rule["direction"]) if rule["direction"] else None,
        whole_document=rule["whole_document"],
        moved_from=rule["moved_from"],
    )


def _documents(shape: Json) -> DocumentList:
    return DocumentList(tuple(map(_document, shape["documents"])), shape["left_out"])


def _document(shape: Json) -> ListedDocument:
    versions = tuple(
        ListedVersion(
            each["doc_id"],
            date.fromisoformat(each["effective_from"]),
            _day(each["effective_to"]),
            each.get("date_stated", True),
        )
        for each in shape["versions"]
    )
    return ListedDocument(
        document_id=shape["document_id"],
        policy_source=shape["policy_source"],
        title=shape["title"],
        url=shape["url"],
        versions=versions,
        checked_at=datetime.fromisoformat(shape["checked_at"]),
        more_versions=shape["more_versions"],
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


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
