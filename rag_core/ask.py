"""The whole way of a question: understand -> retrieve -> judge -> compose -> verify."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date

from rag_core.answering.changing import about_changes, asks_for_changes
from rag_core.answering.clarifying import which_place
from rag_core.answering.comparing import spread
from rag_core.answering.compose import Composed, Target, compose
from rag_core.answering.coverage import covered
from rag_core.answering.evidence import LENIENCE, asks_whether, judge
from rag_core.answering.generative.judging import noted
from rag_core.answering.generative.writer import Writer, Written
from rag_core.answering.helping import offer_help
from rag_core.answering.kinship import Kinship
from rag_core.answering.listing import about_documents, list_documents
from rag_core.answering.notices import MOST_CHOICES, sample_labels, section_choices
from rag_core.answering.refusals import clarify, is_off_topic, only_sounds_alike, refuse, refuse_absent
from rag_core.answering.tracing import trace_of
from rag_core.answering.verdicts import decide
from rag_core.answers import (
    Answer,
    AskTrace,
    Clarification,
    Notice,
    Refusal,
    RefusalReason,
    Reply,
    WarningCode,
)
from rag_core.change_answers import ChangeTeller
from rag_core.documents import PolicySource
from rag_core.finding import Finder
from rag_core.ports import ChangeReader, IndexCopies, PolicyStore
from rag_core.questions import AskRequest, DeclaredLabel, Intent, Question, Scope
from rag_core.retrieval.asked_rules import of_rule
from rag_core.retrieval.found import Found
from rag_core.retrieval.known_sources import KnownSources
from rag_core.retrieval.ranking import Ranking
from rag_core.retrieval.reading import PassageReader, answer_in_time
from rag_core.retrieval.referring import referred_sections
from rag_core.retrieval.scoping import index_filter
from rag_core.retrieval.search import Embedded, PolicySearch
from rag_core.understanding.absent import find_absent
from rag_core.understanding.completing import is_follow_up
from rag_core.understanding.defaults import with_defaults
from rag_core.understanding.labels import told_apart
from rag_core.understanding.languages import ENGLISH
from rag_core.understanding.understand import understand
from rag_core.watching import NobodyWatching, Watching

MOST_PLATFORMS = 3
"""Platforms answered for at once where the question names none."""

_OF_DOCUMENTS = (Intent.HELP, Intent.LIST_SOURCES)
_NOTHING = Composed(None, frozenset(), ())


@dataclass(slots=True)
class _Work:
    """What one question has gathered on its way."""

    request: AskRequest
    question: Question
    sources: Sequence[PolicySource]
    watching: Watching
    found: dict[str, Found] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    """Platforms asked about that there are no documents of."""
    kept_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values of labels that are not to be found, and of which the asker is not to know."""

    @property
    def searched(self) -> Question:
        """The question as it is searched for."""
        scope = self.question.scope
        excluded = {key: values for key, values in self.kept_out.items() if key not in scope.labels}
        return replace(self.question, scope=replace(scope, labels_excluded={**scope.labels_excluded, **excluded}))

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
    `lenience`: weight of the words that a verdict may leave unsaid. `labels`: those declared in the catalogue.
    `platforms`: those known by name, so that a question about one without documents is not answered from others.
    `multilingual`: the embedder of `search` reads other languages, too.
    """

    def __init__(
        self,
        search: PolicySearch,
        store: PolicyStore,
        copies: IndexCopies | None = None,
        changes: ChangeReader | None = None,
        *,
        labels: Sequence[DeclaredLabel] = (),
        platforms: Sequence[PolicySource] = (),
        multilingual: bool = False,
        writer: Writer | None = None,
        lenience: float = LENIENCE,
        ranking: Ranking | None = None,
        kinship: Kinship | None = None,
    ) -> None:
        self._writer = writer
        self._lenience = lenience
        self._kinship = kinship
        self._labels = tuple(labels)
        self._platforms = tuple(platforms)
        self._multilingual = multilingual
        self._search = search
        self._store = store
        self._teller = ChangeTeller(changes, store) if changes is not None else None
        self._reader = PassageReader(store, copies)
        self._finder = Finder(search, self._reader, ranking or Ranking())
        self._sources = KnownSources(store, outlives_store=copies is not None)

    def without_writer(self) -> "Asker":
        """The same, from quotes alone: for what costs no model's time."""
        made = copy(self)
        made._writer = None  # noqa: SLF001 - its own
        return made

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        """The reply and how it came about. `watching` is told of it as it grows.

        Raises Rejected for a request that can never be answered (see `understand`), Unavailable when index or store
        do not answer.
        """
        started = time.perf_counter()
        known = await self._sources.known(request.groups)
        question, notes = await self._understood(request, known.sources)
        absent = find_absent(question.search_text, self._platforms, known.sources)
        question = absent.leave_out(question)
        question, ignored = with_defaults(question, request, known.sources, names_absent=bool(absent.names))
        work = _Work(request, question, known.sources, watching or NobodyWatching(), degraded=[*known.degraded])
        work.absent = absent.names
        _, work.kept_out = told_apart(self._labels, known.sources)
        work.notes.update(notes)
        if request.groups:  # who reads the answer again must still be in them: all that it says may come from theirs
            work.notes["groups"] = sorted(request.groups)
        work.watching.understood(question)
        work.timings["understand"] = (time.perf_counter() - started) * 1000
        if (at_once := self._at_once(work)) is not None:
            work.timings["total"] = work.timings["understand"]
            return at_once, AskTrace(work.question, notes=work.notes, timings_ms=dict(work.timings))
        reply, composed = await self._reply(work)
        if work.absent:
            reply = replace(reply, warnings=(*reply.warnings, Notice(WarningCode.NO_DOCUMENTS, work.absent)))
        if ignored:
            reply = replace(reply, warnings=(*reply.warnings, Notice(WarningCode.DEFAULT_IGNORED)))
        if work.question.scope.as_of > request.today:
            reply = replace(reply, warnings=(*reply.warnings, _future(work.question.scope.as_of)))
        work.timings["total"] = (time.perf_counter() - started) * 1000
        return reply, trace_of(work.question, work.found, composed, work.notes, work.timings)

    async def _understood(
        self, request: AskRequest, sources: Sequence[PolicySource]
    ) -> tuple[Question, dict[str, object]]:
        """The question, and what a model did to complete it, where there is one and it is a follow-up."""
        labels, _ = told_apart(self._labels, sources)
        question = understand(request, sources, labels)
        notes: dict[str, object] = {}
        if self._writer is not None and is_follow_up(request, sources, labels):
            rewriting = await self._writer.follow_ups.complete(request, sources, labels)
            if rewriting.text is not None:
                question = understand(request, sources, labels, rewriting.text)
            notes = {"rewriting": rewriting.notes}
        return question, notes

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
        if composed.answer and only_sounds_alike(work.question, composed.answer):
            written = Written(_NOTHING)
        elif composed.answer and (refused := await self._refused_all_the_same(work, targets, embedded)):
            return refused, _NOTHING
        else:
            written = await self._written(work, targets, composed)
        composed = written.composed
        work.notes.update(written.notes)
        reply: Reply = composed.answer or noted(await self._no_answer(work, embedded), written.left_out)
        if isinstance(reply, Answer):
            reply = await self._with_referred(work, reply, composed)
        if isinstance(reply, Answer) and (silent := _silent(work.question.scope, work.targets)):
            reply = replace(reply, warnings=(*reply.warnings, Notice(WarningCode.NOTHING_FOUND, silent)))
        return reply, composed

    async def _with_referred(self, work: _Work, answer: Answer, composed: Composed) -> Answer:
        """The answer with the sections to which its rules refer as further choices."""
        found = [each.passage for each in work.found.values()]
        cited = [each for each in found if each.chunk.chunk_id in composed.cited]
        if not any(each.chunk.refers_to for each in cited):
            return answer
        sections, lacking = await referred_sections(
            cited, found, work.question.scope.regions, self._reader, work.request.groups
        )
        choices = (*answer.choices, *section_choices(work.question, sections))[:MOST_CHOICES]
        return replace(answer, choices=choices, degraded=tuple(dict.fromkeys((*answer.degraded, *lacking))))

    def _at_once(self, work: _Work) -> Reply | None:
        """What is said without looking for anything."""
        if work.question.language != ENGLISH and not self._multilingual:
            return self._refusal(work, RefusalReason.UNSUPPORTED_LANGUAGE, ())
        if work.question.intent in (Intent.SMALL_TALK, Intent.OUT_OF_SCOPE):
            return self._refusal(work, RefusalReason.OFF_TOPIC, ())
        if work.absent and not work.question.scope.policy_sources and work.question.intent not in _OF_DOCUMENTS:
            return refuse_absent(work.question, work.absent, work.sources, work.all_degraded)
        return which_place(work.question)

    async def _targets(self, work: _Work, embedded: Embedded) -> list[Target]:
        """What was found for each place asked, on each platform asked or, where none was, on the best ones.

        A place or platform that was asked about stays, however little was found; others only if they answer.
        """
        scope = work.question.scope
        targets: list[Target] = []
        for place in scope.regions or (None,):
            results = await self._find(work, embedded, place)
            judged = await self._judged(work, place, results)
            complete = [] if scope.policy_sources else [each for each in judged if each.evidence.may_decide]
            targets += complete or judged
        work.targets = targets
        return spread(targets)

    async def _judged(self, work: _Work, place: str | None, results: Sequence[Found]) -> list[Target]:
        """By the words themselves; where that decides nothing, by what is akin to them as well."""
        with work.timed("judge"):
            judged = _judged(work.question, place, results, self._lenience)
        if self._kinship is None or not self._lenience or any(each.evidence.may_decide for each in judged):
            return judged
        if not asks_whether(work.question):
            return judged  # a detail that is asked for must be said, not something like it
        with work.timed("kinship"):
            extended = await self._kinship.extended(work.question, results)
        if extended.terms == work.question.terms:
            return judged
        with work.timed("judge"):
            again = _judged(extended, place, results, self._lenience)
        if not any(each.has_rules for each in again):
            return judged
        work.question = extended
        return again

    async def _find(self, work: _Work, embedded: Embedded, place: str | None) -> list[Found]:
        with work.timed("retrieve"):
            gathered = await self._finder.find(work.searched, work.request, embedded, place)
        work.degraded += gathered.degraded
        work.found.update((found.passage.chunk.chunk_id, found) for found in gathered.found)
        return gathered.found

    def _compose(self, work: _Work, targets: list[Target]) -> Composed:
        answerable = [target for target in targets if target.has_rules]
        if not answerable:
            return _NOTHING
        return compose(work.question, answerable, work.all_degraded)

    async def _written(self, work: _Work, targets: list[Target], composed: Composed) -> Written:
        """What a language model makes of it, where there is one."""
        if self._writer is None:
            return Written(composed)
        ranked = sorted(work.found.values(), key=lambda found: (-found.score, found.passage.chunk.chunk_id))
        with work.timed("model"):
            passages = [found.passage for found in ranked]
            return await self._writer.write(work.question, targets, composed, passages, work.watching.stated)

    async def _refused_all_the_same(self, work: _Work, targets: list[Target], embedded: Embedded) -> Reply | None:
        """What is said instead of rules that are only on something like it: all but that none was found."""
        if not all(target.evidence.is_far for target in targets if target.has_rules):
            return None
        reply = await self._no_answer(work, embedded)
        is_silent = isinstance(reply, Refusal) and reply.reason is RefusalReason.NOT_COVERED
        return None if is_silent else reply

    async def _no_answer(self, work: _Work, embedded: Embedded) -> Refusal | Clarification:
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
        scope, request = work.searched.scope, work.request
        filter_ = index_filter(scope, request.groups, scope.regions, any_day=True)
        found = await self._search.find(work.question.terms, embedded, filter_, request.top_k)
        work.degraded += found.degraded
        others = [each for each in found.results if not each.passage.version.holds_on(scope.as_of)]
        place = scope.regions[0] if scope.regions else None
        return judge(work.question, place, others, self._lenience).may_decide

    def _refusal(self, work: _Work, reason: RefusalReason, results: Sequence[Found]) -> Refusal:
        return refuse(work.question, reason, results, work.sources, work.all_degraded)


def _silent(scope: Scope, targets: Sequence[Target]) -> tuple[str, ...]:
    """The places and platforms asked about for which no rule was found."""
    found = [target for target in targets if target.has_rules]
    places, platforms = {target.place for target in found}, {target.policy_source for target in found}
    silent_places = [place for place in scope.regions if place not in places]
    return (*silent_places, *(slug for slug in scope.policy_sources if slug not in platforms))


def _future(day: date) -> Notice:
    return Notice(WarningCode.FUTURE_DAY, (day.isoformat(),))


def _judged(question: Question, place: str | None, results: Sequence[Found], lenience: float) -> list[Target]:
    """The platforms among `results`, best first, each judged on its own."""
    slugs = list(dict.fromkeys(found.passage.chunk.policy_source for found in results))
    targets = []
    results = of_rule(results, question.rule_number)
    for slug in slugs if question.scope.policy_sources else slugs[:MOST_PLATFORMS]:
        of_slug = [each for each in results if each.passage.chunk.policy_source == slug]
        evidence = judge(question, place, of_slug, lenience)
        targets.append(Target(place, slug, evidence, decide(evidence, question.intent)))
    return targets
