"""The whole way of a question: understand -> retrieve -> judge -> compose -> verify."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import count

from rag_core.answering.change_answers import ChangeTeller
from rag_core.answering.changing import about_changes, about_what_holds, asks_for_changes
from rag_core.answering.compose import Composed, compose, noted_rules, spread, trace_of
from rag_core.answering.evidence import Target, by_platform, is_gap, nearest_of, targets_of
from rag_core.answering.model_reading import ModelJudged, noted_model
from rag_core.answering.model_sentences import Written, noted, with_sentences
from rag_core.answering.notices import MOST_CHOICES, sample_labels, section_choices
from rag_core.answering.refusals import (
    about_documents,
    clarify,
    list_documents,
    offer_help,
    refuse,
    refuse_absent,
    which_place,
)
from rag_core.answering.rule_reading import MODEL, RuleReading, as_understood
from rag_core.answering.topics import is_change_elsewhere, is_elsewhere, is_surely_elsewhere
from rag_core.answers import (
    Answer,
    AskTrace,
    Clarification,
    Notice,
    Refusal,
    RefusalReason,
    Reply,
    Statement,
    WarningCode,
)
from rag_core.documents import PolicySource
from rag_core.generation.follow_ups import FollowUpWriter
from rag_core.generation.reader import LanguageModelReader
from rag_core.ports import ChangeReader, IndexCopies, NobodyWatching, PolicyStore, Watching
from rag_core.questions import AskRequest, DeclaredLabel, Intent, Question, Scope
from rag_core.retrieval.finder import Finder, referred_sections
from rag_core.retrieval.found import Found, of_no_other_rule
from rag_core.retrieval.ranking import Ranking
from rag_core.retrieval.search import Embedded, PolicySearch, index_filter
from rag_core.retrieval.stored import KnownSources, PassageReader, answer_in_time
from rag_core.rules.judging import JudgedRule
from rag_core.rules.reader import Reader, RuleReadings, Topic
from rag_core.rules.rule import Rule
from rag_core.understanding.absent import find_absent
from rag_core.understanding.completing import is_follow_up
from rag_core.understanding.defaults import with_defaults
from rag_core.understanding.languages import ENGLISH
from rag_core.understanding.mentions import told_apart
from rag_core.understanding.terms import covered
from rag_core.understanding.understand import understand

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
    noted: list[dict[str, object]] = field(default_factory=list)
    absent: tuple[str, ...] = ()
    """Platforms asked about that there are no documents of."""
    topic: Mapping[Topic, float] = field(default_factory=dict)
    model: ModelJudged | None = None
    """What a language model said of the rules, where it was asked."""
    told: int = 0
    """Statements that whoever is watching was told of."""
    kept_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values of labels that are not to be found, and of which the asker is not to know."""

    @property
    def searched(self) -> Question:
        """The question as it is searched for."""
        scope = self.question.scope
        excluded = {key: values for key, values in self.kept_out.items() if key not in scope.labels}
        return replace(self.question, scope=replace(scope, labels_excluded={**scope.labels_excluded, **excluded}))

    @property
    def is_undecided(self) -> bool:
        """Whether rules were looked for, and none decides, nor is one place's rule another than the rest's."""
        decisions = [target.decision for target in self.targets]
        return bool(decisions) and not any(each.answers or each.differing for each in decisions)

    @property
    def all_degraded(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.degraded))

    @property
    def is_watched(self) -> bool:
        return not isinstance(self.watching, NobodyWatching)

    def telling(self) -> Callable[[Statement], None]:
        """Tells of the statements of an answer but of those told before: each time it begins alike, and is longer."""
        at = count(1)

        def tell(statement: Statement) -> None:
            if (position := next(at)) > self.told:
                self.told = position
                self.watching.stated(statement)

        return tell

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings[step] = self.timings.get(step, 0.0) + (time.perf_counter() - started) * 1000


class Asker:
    """Answers questions from the policies in a store, through a search over them.

    With `copies` (those of `search`) it goes on while the store is down: from public documents, and says so.
    What changed it tells with `changes`; without, such a question is answered like any other.
    `reader` judges rules, `readings` are what it read in them before; without one rules are quoted, with no verdict.
    A `language_model` reads the same rules beside it, in one call, and its sentences are shown as far as they hold;
    `follow_ups` completes follow-ups with one. `labels`: those declared in the catalogue.
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
        ranking: Ranking | None = None,
        reader: Reader | None = None,
        readings: RuleReadings | None = None,
        language_model: LanguageModelReader | None = None,
        follow_ups: FollowUpWriter | None = None,
    ) -> None:
        self._follow_ups = follow_ups
        self._labels = tuple(labels)
        self._platforms = tuple(platforms)
        self._multilingual = multilingual
        self._search = search
        self._store = store
        self._teller = ChangeTeller(changes, store) if changes is not None else None
        self._reader = PassageReader(store, copies)
        self._finder = Finder(search, self._reader, ranking or Ranking())
        self._rules_read = RuleReading(reader, readings, search.model, language_model)
        self._sources = KnownSources(store, outlives_store=copies is not None)

    def without_model(self) -> "Asker":
        """The same, from quotes alone: for what costs no language model's time."""
        made = copy(self)
        made._follow_ups = None  # noqa: SLF001 - its own
        made._rules_read = self._rules_read.without_model()  # noqa: SLF001
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
        if not any(each.isalnum() for each in question.text):
            work.topic = {Topic.INSTRUCTION: 1.0}
        elif question.intent not in _OF_DOCUMENTS:
            with work.timed("topic"):
                work.topic = await self._rules_read.topic(question, request)
            work.question = as_understood(question, work.topic)
        work.watching.understood(work.question)
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
        work.notes["rules"] = work.noted
        work.timings["total"] = (time.perf_counter() - started) * 1000
        is_nearest = isinstance(reply, Answer) and work.is_undecided
        return reply, trace_of(work.question, work.found, composed, work.notes, work.timings, is_nearest=is_nearest)

    async def candidates(
        self, request: AskRequest
    ) -> tuple[Question, dict[Topic, float], list[tuple[str | None, list[tuple[Rule, float]]]]]:
        """The question as its words say it, what a reader says is wanted, and for each place asked the rules that a
        reader would get, with their scores: what calibration learns from. Raises what `ask` raises."""
        known = await self._sources.known(request.groups)
        question, _ = await self._understood(request, known.sources)
        topics = await self._rules_read.topic(question, request)
        work = _Work(request, question, known.sources, NobodyWatching())
        embedded = await self._embedded(work)
        found = []
        for place in question.scope.regions or (None,):
            results = await self._find(work, embedded, place)
            found.append((place, await self._rules_read.candidates(question, results, embedded.vector)))
        return question, topics, found

    async def _understood(
        self, request: AskRequest, sources: Sequence[PolicySource]
    ) -> tuple[Question, dict[str, object]]:
        """The question, and what a model did to complete it, where there is one and it is a follow-up."""
        labels, _ = told_apart(self._labels, sources)
        question = understand(request, sources, labels)
        notes: dict[str, object] = {}
        if self._follow_ups is not None and is_follow_up(request, sources, labels):
            rewriting = await self._follow_ups.complete(request, sources, labels)
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
        is_told = bool(changes and (changes.rules or changes.left_out))
        is_recorded = is_told and not told.answer.not_stated
        if is_change_elsewhere(work.question, work.topic, is_recorded=is_recorded):
            return self._refusal(work, RefusalReason.OFF_TOPIC, ()), _NOTHING
        if is_told or not work.question.terms:
            work.found.update((each.chunk.chunk_id, Found(each, 1.0)) for each in told.passages)
            return told.answer, Composed(told.answer, frozenset(work.found), ())
        asked, work.question = work.question, about_what_holds(work.question)
        reply, composed = await self._rules(work)
        work.question = asked
        reply = replace(reply, rewritten_question=asked.rewritten)
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
        refused: Refusal | Clarification | None = None
        if is_elsewhere(work.question, work.topic, targets):
            return self._refusal(work, RefusalReason.OFF_TOPIC, ()), _NOTHING
        if work.question.is_broad or not any(target.decision.answers for target in targets):
            refused = await self._refused_all_the_same(work, embedded) if composed.answer else None
        written = self._written(work, targets, _NOTHING if refused else composed)
        composed = written.composed
        reply: Reply
        if composed.answer is None:
            reply = noted(refused or await self._no_answer(work, embedded), len(written.dropped))
        else:
            reply = composed.answer
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
        looks_at_changes = self._teller is not None and asks_for_changes(work.question)
        is_elsewhere_surely = not looks_at_changes and is_surely_elsewhere(work.question, work.topic)
        if work.question.intent is Intent.SMALL_TALK or is_elsewhere_surely:
            return self._refusal(work, RefusalReason.OFF_TOPIC, ())
        if work.absent and not work.question.scope.policy_sources and work.question.intent not in _OF_DOCUMENTS:
            return refuse_absent(work.question, work.absent, work.sources, work.all_degraded)
        return which_place(work.question)

    async def _targets(self, work: _Work, embedded: Embedded) -> list[Target]:
        """What was found for each place asked, on each platform asked or, where none was, on the best ones.

        A place or platform that was asked about stays, however little was found; others only if they answer.
        """
        scope = work.question.scope
        results = {place: await self._find(work, embedded, place) for place in scope.regions or (None,)}
        judged = await self._judged(work, embedded, results)
        work.noted += [each for place, rules in judged.items() for each in noted_rules(rules, place)]
        work.targets = _with_gap(work, targets_of(work.question, results, judged))
        return spread(work.targets)

    async def _judged(
        self, work: _Work, embedded: Embedded, results: Mapping[str | None, Sequence[Found]]
    ) -> Mapping[str | None, list[JudgedRule]]:
        """The rules of each place, judged by the small reader and, where there is one, by the language model."""
        read = {}
        with work.timed("read"):
            for place, found in results.items():
                read[place] = await self._rules_read.judge(work.question, work.request, place, found, embedded.vector)
        lacking = [name for each in read.values() for name in each.degraded]
        judged: Mapping[str | None, list[JudgedRule]] = {place: each.rules for place, each in read.items()}
        if self._rules_read.asks_model:
            with work.timed("model"):
                hear = partial(self._hear, work, results) if work.is_watched else None
                work.model = await self._rules_read.by_model(work.question, work.request, read, hear)
        if work.model is not None:
            work.notes["model"] = noted_model(work.model)
            lacking = [*lacking, MODEL] if work.model.outcome.reading is None else []
            judged = work.model.judged
        work.degraded += lacking
        return judged

    def _hear(self, work: _Work, results: Mapping[str | None, Sequence[Found]], model: ModelJudged) -> None:
        """Tells of the sentences that a language model wrote so far, where it is plain that there will be an answer."""
        work.model = model
        work.targets = _with_gap(work, targets_of(work.question, results, model.judged))
        targets = spread(work.targets)
        if work.question.is_broad or not any(target.decision.answers for target in targets):
            return
        if not is_elsewhere(work.question, work.topic, targets):
            self._written(work, targets, self._compose(work, targets))

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

    def _written(self, work: _Work, targets: list[Target], composed: Composed) -> Written:
        """The answer with what holds of a language model's sentences, where there is one."""
        if work.model is None:
            return Written(composed, (), ())
        with work.timed("verify"):
            written = with_sentences(work.question, targets, composed, work.model, work.telling())
        work.notes["model"] = {**noted_model(work.model), **written.notes}
        return written

    async def _refused_all_the_same(self, work: _Work, embedded: Embedded) -> Refusal | Clarification | None:
        """What is said instead of rules that only come near: all but that none was found."""
        if any(target.decision.differing for target in work.targets):
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
        if await self._said_on_another_day(work, embedded):
            return self._refusal(work, RefusalReason.OTHER_DAY, results)
        return self._refusal(work, RefusalReason.NOT_COVERED, results)

    async def _said_on_another_day(self, work: _Work, embedded: Embedded) -> bool:
        """Whether a version that does not hold on the day asked would answer. Of a rule asked for by its number only
        that rule: any number in an old text would do otherwise."""
        scope, request = work.searched.scope, work.request
        filter_ = index_filter(scope, request.groups, scope.regions, any_day=True)
        found = await self._search.find(work.question.terms, embedded, filter_, request.top_k)
        work.degraded += found.degraded
        others = [each for each in found.results if not each.passage.version.holds_on(scope.as_of)]
        others = of_no_other_rule(others, work.question.rule_number)
        if not others:
            return False
        place = scope.regions[0] if scope.regions else None
        judged = await self._rules_read.judge(work.question, request, place, others, embedded.vector)
        return any(each.decision.answers for each in by_platform(work.question, place, others, judged.rules))

    def _refusal(self, work: _Work, reason: RefusalReason, results: Sequence[Found]) -> Refusal:
        return refuse(work.question, reason, results, work.sources, work.all_degraded)


def _with_gap(work: _Work, targets: list[Target]) -> list[Target]:
    """Where nothing decides: what a language model says is not stated, in place of what was made out by words."""
    reading = work.model.outcome.reading if work.model else None
    if reading is None or reading.not_stated is None or any(each.decision.answers for each in targets):
        return targets
    gap = reading.not_stated
    near = [nearest_of(each.rules or each.elsewhere) for each in targets]
    return [
        replace(each, not_stated=(gap,)) if is_gap(gap, work.question, rules) else each
        for each, rules in zip(targets, near, strict=True)
    ]


def _silent(scope: Scope, targets: Sequence[Target]) -> tuple[str, ...]:
    """The places and platforms asked about for which no rule was found."""
    found = [target for target in targets if target.has_rules]
    places, platforms = {target.place for target in found}, {target.policy_source for target in found}
    silent_places = [place for place in scope.regions if place not in places]
    return (*silent_places, *(slug for slug in scope.policy_sources if slug not in platforms))


def _future(day: date) -> Notice:
    return Notice(WarningCode.FUTURE_DAY, (day.isoformat(),))
