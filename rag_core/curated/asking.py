"""In front of the asker: a question that somebody has answered and approved gets that answer."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from rag_core.answering.notices import sample_labels
from rag_core.answering.statements import cited
from rag_core.answers import (
    Answer,
    Approved,
    AskTrace,
    Candidate,
    Citation,
    PlaceVerdict,
    Quote,
    Reply,
    Statement,
    Verdict,
    WarningCode,
)
from rag_core.curated.kept import CuratedAnswer, CuratedAnswers, CuratedCitation, WordingVectors, stands_on
from rag_core.curated.matching import THRESHOLD, Likeness, Saying, asked_in, likenesses
from rag_core.documents import Passage, PolicySource
from rag_core.errors import STORED_TEXT_CHANGED, Unavailable
from rag_core.ports import Embedder, NobodyWatching, PolicyStore, Vector, Watching
from rag_core.questions import AskRequest, DeclaredLabel, NoteKind, Question
from rag_core.regions import GLOBAL
from rag_core.retrieval.stored import KnownSources
from rag_core.revealing import AsksPolicies
from rag_core.understanding.absent import find_absent
from rag_core.understanding.defaults import with_defaults
from rag_core.understanding.mentions import told_apart


def shown(answer: CuratedAnswer, question: Question, passages: Mapping[str, Passage]) -> Answer:
    """`passages`: the cited chunks by id, of which all stand. The answer has an approval."""
    citations = tuple(
        _citation(number, each, passages[each.chunk_id]) for number, each in enumerate(answer.citations, start=1)
    )
    approval = answer.approval
    return Answer(
        scope=question.scope,
        statements=tuple(_statement(each.text, each.citations, citations, passages) for each in answer.statements),
        citations=citations,
        verdicts=_verdicts(answer.verdict, question, citations),
        warnings=tuple(sample_labels(each.version.labels for each in passages.values())),
        approved=Approved(approval.by, approval.at.date(), answer.curated_id, answer.revision) if approval else None,
    )


def candidates(answer: CuratedAnswer, passages: Mapping[str, Passage]) -> tuple[Candidate, ...]:
    """What it stands on, for the record."""
    return tuple(
        Candidate(each.chunk_id, each.doc_id, passages[each.chunk_id].chunk.content_hash, 1.0, None, "cited")
        for each in answer.citations
    )


def _verdicts(verdict: Verdict | None, question: Question, citations: tuple[Citation, ...]) -> tuple[PlaceVerdict, ...]:
    if verdict is None:
        return ()
    numbers = tuple(each.number for each in citations)
    slugs = question.scope.policy_sources or tuple(dict.fromkeys(each.policy_source for each in citations))
    places = question.scope.regions or (None,)
    return tuple(PlaceVerdict(place, slug, verdict, (), numbers) for place in places for slug in slugs)


def _statement(
    text: str, numbers: tuple[int, ...], citations: tuple[Citation, ...], passages: Mapping[str, Passage]
) -> Statement:
    """A person's words, with the quotes that they stand on."""
    used = [each for each in citations if each.number in numbers]
    return Statement(text, numbers, tuple(_quote(each, passages[each.chunk_id]) for each in used))


def _quote(citation: Citation, passage: Passage) -> Quote:
    start = citation.char_start - passage.chunk.char_start
    return Quote(citation.chunk_id, citation.quote, start, start + len(citation.quote))


def _citation(number: int, approved: CuratedCitation, passage: Passage) -> Citation:
    start = passage.chunk.chunk_text.index(approved.quote)
    return cited(number, passage, start, start + len(approved.quote))


CURATED = "curated"
"""In a trace's notes: id, revision and number of the wording of the approved answer that was shown."""

_DIFFERS = frozenset({WarningCode.PLACES_DIFFER, WarningCode.CONFLICT, WarningCode.SPECIFIC_FIRST})


@dataclass(frozen=True, slots=True)
class _Found:
    """An approved answer for the question, and what it stands on."""

    likeness: Likeness
    passages: Mapping[str, Passage]
    asked: Saying
    cosine: float


@dataclass(slots=True)
class CuratedAsker:
    """An asker that looks for an approved answer first.

    It is shown where one of its wordings says what is asked, for the same platforms, day, material and labels, in one
    of its places, and all that it cites stands and may be seen by the audience; defaults of a channel count like words.
    In a narrower place than its own (and where none is named) only if the policies' own answer there cites no rule but
    its places' and comes to the same verdict. Several that fit: none, for nobody said which. Whatever it needs is down:
    the policies' own answer.
    """

    asker: AsksPolicies
    answers: CuratedAnswers
    vectors: WordingVectors
    embedder: Embedder
    store: PolicyStore
    labels: Sequence[DeclaredLabel] = ()
    platforms: Sequence[PolicySource] = ()
    _sources: KnownSources = field(init=False)
    _kept: dict[str, CuratedAnswer] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._sources = KnownSources(self.store)

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        began = time.perf_counter()
        try:
            found = await self._found(request)
        except Unavailable as exc:
            if exc.code == STORED_TEXT_CHANGED:
                raise
            found = None
        if found is None:
            return await self.asker.ask(request, watching)
        if found.likeness.is_wider:
            reply, trace = await self.asker.ask(request, NobodyWatching())
            if not _agrees(reply, found.likeness.answer):
                return reply, trace
        return self._shown(request, found, began, watching)

    async def _found(self, request: AskRequest) -> _Found | None:
        approved = await self._approved()
        if not approved or request.as_of not in (None, request.today):
            return None
        sources = (await self._sources.known(request.groups)).sources
        labels, _ = told_apart(self.labels, sources)
        asked = asked_in(request, sources, labels)
        if find_absent(asked.question.search_text, self.platforms, sources).names:
            return None
        question, unknown = with_defaults(asked.question, request, sources)
        if unknown or _is_asked_back(question):
            return None
        asked = replace(asked, question=question)
        near = likenesses(asked, approved, request.today, sources, labels)
        meant = await self._of_one_meaning(asked, near) if near else None
        if meant is None:
            return None
        likeness, cosine = meant
        passages = await self._standing(likeness.answer, request.groups, request.today)
        return _Found(likeness, passages, asked, cosine) if passages is not None else None

    async def _approved(self) -> list[CuratedAnswer]:
        """Each read once a revision."""
        revisions = await self.answers.approved()
        fresh = {id_: each for id_, each in self._kept.items() if revisions.get(id_) == each.revision}
        for each in await self.answers.some([id_ for id_ in revisions if id_ not in fresh]):
            fresh[each.curated_id] = each
        self._kept = fresh
        return [each for _, each in sorted(fresh.items()) if each.is_shown]

    async def _of_one_meaning(self, asked: Saying, near: Sequence[Likeness]) -> tuple[Likeness, float] | None:
        """The one answer that is near enough; of its own place before one for a wider place."""
        question, *wordings = await self._vectors([asked.core, *(each.core for each in near)])
        told = [(each, float(question @ vector)) for each, vector in zip(near, wordings, strict=True)]
        told = [each for each in told if each[1] >= THRESHOLD]
        own = [each for each in told if not each[0].is_wider] or told
        if len({each.answer.curated_id for each, _ in own}) != 1:
            return None
        return max(own, key=lambda each: each[1])

    async def _vectors(self, cores: Sequence[str]) -> list[Vector]:
        """The first, of the question, is computed each time; those of wordings once for each model."""
        keys = {core: hashlib.sha256(f"wording:{core}".encode()).hexdigest() for core in cores[1:]}
        known = dict(await self.vectors.known(self.embedder.model, sorted(set(keys.values()))))
        missing = [core for core in dict.fromkeys(cores[1:]) if keys[core] not in known]
        made = await self.embedder.embed([cores[0], *missing])
        new = {keys[core]: vector for core, vector in zip(missing, made[1:], strict=True)}
        if new:
            await self.vectors.keep(self.embedder.model, new)
        return [made[0], *((known | new)[keys[core]] for core in cores[1:])]

    async def _standing(self, answer: CuratedAnswer, groups: frozenset[str], today: date) -> dict[str, Passage] | None:
        visible = await self.store.passages([each.chunk_id for each in answer.citations], groups, today)
        return stands_on(answer, visible, today)

    def _shown(
        self, request: AskRequest, found: _Found, began: float, watching: Watching | None
    ) -> tuple[Reply, AskTrace]:
        answer, question = found.likeness.answer, found.asked.question
        reply = shown(answer, question, found.passages)
        note = {"id": answer.curated_id, "revision": answer.revision, "wording": found.likeness.wording}
        notes: dict[str, object] = {CURATED: {**note, "cosine": round(found.cosine, 4)}}
        if request.groups:
            notes["groups"] = sorted(request.groups)
        watching = watching or NobodyWatching()
        watching.understood(question)
        # not `stated`: what is shown while it grows is shown as quotes of the policies, and these are a person's words
        total = (time.perf_counter() - began) * 1000
        return reply, AskTrace(question, candidates(answer, found.passages), (), notes, {"total": total})


def _is_asked_back(question: Question) -> bool:
    """Whether not all places that it names are known: what holds in the others alone is no answer to it."""
    unknown = (NoteKind.UNCLEAR_PLACE, NoteKind.PLACES_LEFT_OUT)
    return any(each.kind in unknown for each in question.scope.notes)


def _agrees(reply: Reply, answer: CuratedAnswer) -> bool:
    """Whether the policies have nothing of their own to say here that the approved answer does not know of."""
    if not isinstance(reply, Answer) or reply.not_stated or reply.comparison is not None:
        return False
    places = {*answer.scope.regions, GLOBAL}
    if any(not frozenset(each.regions) <= places for each in reply.citations):
        return False
    if any(each.code in _DIFFERS for each in reply.warnings):
        return False
    own = {each.verdict for each in reply.verdicts}
    return own == ({answer.verdict} if answer.verdict else set())
