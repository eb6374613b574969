"""The whole way of a question: understand -> retrieve -> judge -> compose -> verify."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date

from rag_core.answering.changing import about_changes, asks_for_changes
from rag_core.answering.clarifying import which_place
from rag_core.answering.comparing import spread
from rag_core.answering.compose import Composed, Target, compose
from rag_core.answering.coverage import covered
from rag_core.answering.evidence import judge
from rag_core.answering.generative.writer import Writer, Written
from rag_core.answering.helping import offer_help
from rag_core.answering.listing import about_documents, list_documents
from rag_core.answering.notices import sample_labels
from rag_core.answering.places import refers_to_list
from rag_core.answering.refusals import clarify, is_off_topic, refuse
from rag_core.answering.units import units_of
from rag_core.answering.verdicts import decide
from rag_core.answers import Answer, AskTrace, Candidate, Notice, Refusal, RefusalReason, Reply, WarningCode
from rag_core.change_answers import ChangeTeller
from rag_core.documents import PolicySource
from rag_core.ports import ChangeReader, IndexCopies, PolicyStore
from rag_core.questions import AskRequest, DeclaredLabel, Intent, QueryTerm, Question, Scope
from rag_core.regions import display_name
from rag_core.retrieval.asked_rules import of_rule
from rag_core.retrieval.found import Found
from rag_core.retrieval.known_sources import KnownSources
from rag_core.retrieval.reading import PassageReader, answer_in_time
from rag_core.retrieval.scoping import index_filter
from rag_core.retrieval.search import Embedded, PolicySearch
from rag_core.understanding.languages import ENGLISH
from rag_core.understanding.understand import understand

MOST_PLATFORMS = 3
"""Platforms answered for at once where the question names none."""

_NOTHING = Composed(None, frozenset(), ())
_OWN_RULES = 8
_LIST_CHUNKS = 20


@dataclass(slots=True)
class _Work:
    """What one question has gathered on its way."""

    request: AskRequest
    question: Question
    sources: Sequence[PolicySource]
    found: dict[str, Found] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)

    @property
    def all_degraded(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.degraded))

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings[step] = self.timings.get(step, 0.0) + (time.perf_counter() - started) * 1000


class Asker:
    """Answers questions from the policies in a store, through a search over them.

    With `copies` (those of `search`) it goes on while the store is down: from public documents, and says so.
    What changed it tells with `changes`; without, such a question is answered like any other. With a `writer` an
    answer is put in a language model's words, as far as they hold.
    `labels`: those declared in the catalogue. `multilingual`: the embedder of `search` reads other languages, too.
    """

    def __init__(
        self,
        search: PolicySearch,
        store: PolicyStore,
        copies: IndexCopies | None = None,
        changes: ChangeReader | None = None,
        *,
        labels: Sequence[DeclaredLabel] = (),
        multilingual: bool = False,
        writer: Writer | None = None,
    ) -> None:
        self._writer = writer
        self._labels = tuple(labels)
        self._multilingual = multilingual
        self._search = search
        self._store = store
        self._teller = ChangeTeller(changes, store) if changes is not None else None
        self._reader = PassageReader(store, copies)
        self._sources = KnownSources(store, outlives_store=copies is not None)

    async def ask(self, request: AskRequest) -> tuple[Reply, AskTrace]:
        """The reply and how it came about.

        Raises Rejected for a request that can never be answered (see `understand`), Unavailable when index or store
        do not answer.
        """
        started = time.perf_counter()
        known = await self._sources.known(request.groups)
        work = _Work(
            request, understand(request, known.sources, self._labels), known.sources, degraded=[*known.degraded]
        )
        work.timings["understand"] = (time.perf_counter() - started) * 1000
        if (at_once := self._at_once(work)) is not None:
            work.timings["total"] = work.timings["understand"]
            return at_once, AskTrace(work.question, timings_ms=dict(work.timings))
        reply, composed = await self._reply(work)
        if work.question.scope.as_of > request.today:
            reply = replace(reply, warnings=(*reply.warnings, _future(work.question.scope.as_of)))
        work.timings["total"] = (time.perf_counter() - started) * 1000
        return reply, _trace(work, composed)

    async def _reply(self, work: _Work) -> tuple[Reply, Composed]:
        """What the question wants: help, a list of documents, what changed, or the rules."""
        match work.question.intent:
            case Intent.HELP:
                versions = await answer_in_time(self._store.versions(work.request.groups))
                return offer_help(work.question, versions or ()), _NOTHING
            case Intent.LIST_SOURCES:
                return await self._documents(work), _NOTHING
            case _ if self._teller is not None and asks_for_changes(work.question):
                return await self._changes(work, self._teller)
            case _:
                return await self._rules(work)

    async def _documents(self, work: _Work) -> Reply:
        """The documents there are; of a topic, those that name it in their title or that a search finds."""
        groups = work.request.groups
        work.question = about_documents(work.question)
        speaking: set[str] = set()
        if terms := work.question.terms:
            await self._find(work, await self._embedded(work), None)
            passages = [found.passage for found in work.found.values()]
            on_it = [each for each in passages if len(covered(each.chunk.search_text, terms)) == len(terms)]
            speaking = {each.version.document_id for each in on_it}
        versions = await self._store.versions(groups)
        found = list_documents(work.question, versions, speaking)
        if not found.documents:
            return self._refusal(work, RefusalReason.NOT_COVERED, ())
        ids = {each.document_id for each in found.documents}
        warnings = sample_labels(each.labels for each in versions if each.document_id in ids)
        return Answer(
            work.question.scope, (), (), warnings=tuple(warnings), degraded=work.all_degraded, documents=found
        )

    async def _changes(self, work: _Work, teller: ChangeTeller) -> tuple[Reply, Composed]:
        """What changed. Where nothing did: that, with the rules as they are, if there are any on it."""
        work.question = about_changes(work.question)
        with work.timed("changes"):
            told = await teller.tell(work.question, work.request.groups)
        changes = told.answer.changes
        if (changes and (changes.rules or changes.left_out)) or not work.question.terms:
            work.found.update((each.chunk.chunk_id, Found(each, 1.0)) for each in told.passages)
            return told.answer, Composed(told.answer, frozenset(work.found), ())
        reply, composed = await self._rules(work)
        if isinstance(reply, Answer):
            reply = replace(reply, verdicts=(), comparison=None, changes=changes)
        return reply, composed

    async def _embedded(self, work: _Work) -> Embedded:
        embedded = await self._search.embed(work.question.search_text)
        work.timings["embed"] = embedded.milliseconds
        return embedded

    async def _rules(self, work: _Work) -> tuple[Reply, Composed]:
        embedded = await self._embedded(work)
        targets = await self._targets(work, embedded)
        with work.timed("compose"):
            composed = self._compose(work, targets)
        written = await self._written(work, targets, composed)
        composed = written.composed
        work.notes.update(written.notes)
        reply: Reply = composed.answer or await self._no_answer(work, embedded)
        if isinstance(reply, Answer) and (silent := _silent(work.question.scope, work.targets)):
            reply = replace(reply, warnings=(*reply.warnings, Notice(WarningCode.NOTHING_FOUND, silent)))
        return reply, composed

    def _at_once(self, work: _Work) -> Reply | None:
        """What is said without looking for anything."""
        if work.question.language != ENGLISH and not self._multilingual:
            return self._refusal(work, RefusalReason.UNSUPPORTED_LANGUAGE, ())
        if work.question.intent in (Intent.SMALL_TALK, Intent.OUT_OF_SCOPE):
            return self._refusal(work, RefusalReason.OFF_TOPIC, ())
        return which_place(work.question)

    async def _targets(self, work: _Work, embedded: Embedded) -> list[Target]:
        """What was found for each place asked, on each platform asked or, where none was, on the best ones.

        A place or platform that was asked about stays, however little was found; others only if they answer.
        """
        scope = work.question.scope
        targets: list[Target] = []
        for place in scope.regions or (None,):
            results = await self._find(work, embedded, place)
            with work.timed("judge"):
                judged = _judged(work.question, place, results)
            complete = [] if scope.policy_sources else [each for each in judged if each.evidence.is_complete]
            targets += complete or judged
        work.targets = targets
        return spread(targets)

    async def _find(self, work: _Work, embedded: Embedded, place: str | None) -> list[Found]:
        """One search for each platform asked: a comparison must not lose one side to the other's better scores."""
        scope, request = work.question.scope, work.request
        results: list[Found] = []
        with work.timed("retrieve"):
            terms = (*work.question.terms, *_place_terms(place))
            general = index_filter(scope, request.groups, (place,) if place else ())
            # The place's own rules are few among the general ones: they get a search of their own.
            searches = [(general, request.top_k)] + ([(general.without_global(), _OWN_RULES)] if place else [])
            for slugs in [frozenset({slug}) for slug in scope.policy_sources] or [frozenset()]:
                narrowed = [(filter_.for_sources(slugs), limit) for filter_, limit in searches]
                found = await self._search.find_each(terms, embedded, narrowed)
                results += found.results
                work.degraded += found.degraded
            results += await self._listed_places(work, results) if place else []
        work.found.update((found.passage.chunk.chunk_id, found) for found in results)
        return results

    async def _listed_places(self, work: _Work, results: Sequence[Found]) -> list[Found]:
        """The rest of sections that allow only places of a list: the list may stand in another chunk."""
        known = {found.passage.chunk.chunk_id for found in results}
        added: list[Found] = []
        for found in results:
            if not any(refers_to_list(unit) for unit in units_of(found.passage)):
                continue
            chunk = found.passage.chunk
            read = await self._reader.section(
                chunk.doc_id, chunk.chunk_index + 1, chunk.chunk_index + _LIST_CHUNKS, work.request.groups
            )
            work.degraded += read.degraded
            for passage in read.passages:
                if passage.chunk.policy_path == chunk.policy_path and passage.chunk.chunk_id not in known:
                    known.add(passage.chunk.chunk_id)
                    added.append(Found(passage, found.score, found.cosine))
        return added

    def _compose(self, work: _Work, targets: list[Target]) -> Composed:
        answerable = [target for target in targets if target.evidence.rules or target.evidence.elsewhere]
        if not answerable:
            return _NOTHING
        return compose(work.question, answerable, work.all_degraded)

    async def _written(self, work: _Work, targets: list[Target], composed: Composed) -> Written:
        """What a language model makes of it, where there is one."""
        if self._writer is None:
            return Written(composed)
        ranked = sorted(work.found.values(), key=lambda found: (-found.score, found.passage.chunk.chunk_id))
        with work.timed("model"):
            return await self._writer.write(work.question, targets, composed, [found.passage for found in ranked])

    async def _no_answer(self, work: _Work, embedded: Embedded) -> Reply:
        results = sorted(work.found.values(), key=lambda found: (-found.score, found.passage.chunk.chunk_id))
        if work.question.is_broad:
            broad = clarify(work.question, results, work.all_degraded)
            if broad is not None:
                return broad
        if is_off_topic(work.question, results):
            return self._refusal(work, RefusalReason.OFF_TOPIC, results)
        if await self._said_on_another_day(work, embedded):
            return self._refusal(work, RefusalReason.OTHER_DAY, results)
        return self._refusal(work, RefusalReason.NOT_COVERED, results)

    async def _said_on_another_day(self, work: _Work, embedded: Embedded) -> bool:
        """Whether a version that does not hold on the day asked would answer."""
        scope, request = work.question.scope, work.request
        filter_ = index_filter(scope, request.groups, scope.regions, any_day=True)
        found = await self._search.find(work.question.terms, embedded, filter_, request.top_k)
        work.degraded += found.degraded
        others = [each for each in found.results if not each.passage.version.holds_on(scope.as_of)]
        place = scope.regions[0] if scope.regions else None
        return judge(work.question, place, others).is_complete

    def _refusal(self, work: _Work, reason: RefusalReason, results: Sequence[Found]) -> Refusal:
        return refuse(work.question, reason, results, work.sources, work.all_degraded)


def _silent(scope: Scope, targets: Sequence[Target]) -> tuple[str, ...]:
    """The places and platforms asked about for which no rule was found."""
    found = [target for target in targets if target.evidence.rules or target.evidence.elsewhere]
    places, platforms = {target.place for target in found}, {target.policy_source for target in found}
    silent_places = [place for place in scope.regions if place not in places]
    return (*silent_places, *(slug for slug in scope.policy_sources if slug not in platforms))


def _future(day: date) -> Notice:
    return Notice(WarningCode.FUTURE_DAY, (day.isoformat(),))


def _place_terms(place: str | None) -> tuple[QueryTerm, ...]:
    """The place's name for the keyword leg: rows and items of general sections name it."""
    return (QueryTerm(display_name(place).split(" (")[0]),) if place else ()


def _judged(question: Question, place: str | None, results: Sequence[Found]) -> list[Target]:
    """The platforms among `results`, best first, each judged on its own."""
    slugs = list(dict.fromkeys(found.passage.chunk.policy_source for found in results))
    targets = []
    results = of_rule(results, question.rule_number)
    for slug in slugs if question.scope.policy_sources else slugs[:MOST_PLATFORMS]:
        evidence = judge(question, place, [each for each in results if each.passage.chunk.policy_source == slug])
        targets.append(Target(place, slug, evidence, decide(evidence, question.intent)))
    return targets


def _trace(work: _Work, composed: Composed) -> AskTrace:
    candidates = tuple(
        Candidate(
            chunk_id=chunk_id,
            doc_id=found.passage.chunk.doc_id,
            content_hash=found.passage.chunk.content_hash,
            score=found.score,
            cosine=found.cosine,
            fate="cited" if chunk_id in composed.cited else "unused",
        )
        for chunk_id, found in work.found.items()
    )
    return AskTrace(work.question, candidates, composed.dropped, work.notes, dict(work.timings))
