"""The rules of the passages found, put to a reader: the likeliest first, further ones only while nothing decides."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from rag_core.answering.evidence import asks_whether
from rag_core.answering.model_reading import Agreement, ModelJudged, as_told, checked, numbered_rules, stricter
from rag_core.deadlines import remaining, within
from rag_core.errors import STORED_TEXT_CHANGED, Unavailable
from rag_core.generation.parsing import ModelReading
from rag_core.generation.reader import LanguageModelReader, ModelOutcome
from rag_core.ports import Vector
from rag_core.questions import AskRequest, Intent, Question
from rag_core.regions import display_name
from rag_core.retrieval.found import Found, of_no_other_rule, of_rule
from rag_core.rules.cues import opinion_of
from rag_core.rules.decide import decide
from rag_core.rules.judging import JudgedRule, Thresholds, closed, judged, quoted_only, thresholds
from rag_core.rules.places import Standing
from rag_core.rules.reader import (
    AskedText,
    Effect,
    Judgement,
    KeptReading,
    Reader,
    RuleReadings,
    RuleText,
    Topic,
    on_policy,
)
from rag_core.rules.rule import Rule, rules_in
from rag_core.understanding.terms import covered
from rag_core.understanding.words import stem

MOST_READ = 40
"""Rules that a reader reads for one place at most."""

_WORD = re.compile(r"[^\W_]+")
_PASSAGE, _LIKENESS, _WORDS = 0.3, 0.45, 0.25


def ranked(
    rules: Sequence[Rule], passages: Mapping[str, float], question: Question, vector: Vector | None
) -> list[tuple[Rule, float]]:
    """The rules with a score in [0, 1], best first: of their passage's fused score (by chunk id), of their own vector's
    likeness to the question, and of the question's words that they say, the rare ones most (IDF over `rules`)."""
    if not rules:
        return []
    stems = [_stems(f"{rule.headings} {rule.text}") for rule in rules]
    asked = _stems(question.search_text)
    spread = Counter(each for said in stems for each in said & asked)
    weights = {each: math.log(1 + len(rules) / (1 + spread[each])) for each in asked}
    total = sum(weight for each, weight in weights.items() if spread[each]) or 1.0
    scored = []
    for rule, said in zip(rules, stems, strict=True):
        words = sum(weights[each] for each in said & asked) / total
        passage = passages[rule.passage.chunk.chunk_id]
        own = rule.kept.vector if rule.kept else None
        likeness = max(0.0, float(np.dot(own, vector))) if own is not None and vector is not None else passage
        scored.append((rule, _PASSAGE * passage + _LIKENESS * likeness + _WORDS * words))
    return sorted(scored, key=lambda each: (-round(each[1], 6), each[0].passage.chunk.chunk_id, each[0].body[0].start))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))


READER, MODEL = "reader", "model"
"""The parts that are named as degraded: the small reader, the language model."""

_STEPS = (12, 26, MOST_READ)
"""Rules read before it is looked whether they decide."""

_NO_RULE = 0.6
"""From this probability on a text is no rule, whatever it says: navigation, or words addressed to a machine."""

_OF_RULES = (Intent.PERMISSION, Intent.REQUIREMENT, Intent.DEFINITION, Intent.INFORMATION)
_ASKING = re.compile(r"\b(?:what|which|who|whom|whose|how|when|where|why)(?:'s)?\b", re.IGNORECASE)
"""Without such a word a topic is named, which asks whether it is allowed."""

_READINGS_SECONDS = 2.0
_READER_SECONDS = 6.0
"""Forty rules take half a second on two idle cores; half of the time that is left at most."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Rules, likeliest to decide first; `degraded` names the reader that did not answer ("reader"); `candidates`: all
    that could have been read, with their scores of retrieval, best first; `beside`: every rule of their passages;
    `is_asked_for`: they are asked for by their number."""

    rules: list[JudgedRule]
    degraded: tuple[str, ...] = ()
    candidates: tuple[tuple[Rule, float], ...] = ()
    beside: tuple[Rule, ...] = ()
    is_asked_for: bool = False


@dataclass(slots=True)
class _ModelCall:
    """What a language model is asked, and how far the small reader agrees with the rules in `deciding`."""

    question: Question
    asked: AskedText
    numbered: tuple[Rule, ...]
    texts: Sequence[RuleText]
    judged: Mapping[str | None, Judged]
    deciding: Mapping[int, Effect] = field(default_factory=dict)
    agreed: Agreement | None = None


class RuleReading:
    """Judges the rules of passages. Without a `reader`, or while it does not answer, rules are only ranked; a
    `language_model` may read them as well."""

    def __init__(
        self,
        reader: Reader | None,
        readings: RuleReadings | None,
        embedding_model: str,
        language_model: LanguageModelReader | None = None,
    ) -> None:
        self._reader = reader
        self._readings = readings
        self._embedding_model = embedding_model
        self._language_model = language_model

    @property
    def asks_model(self) -> bool:
        """Whether a language model reads as well."""
        return self._language_model is not None

    def without_model(self) -> "RuleReading":
        """The same with the small reader alone."""
        made = copy(self)
        made._language_model = None  # noqa: SLF001 - its own
        return made

    async def judge(
        self, question: Question, request: AskRequest, place: str | None, found: Sequence[Found], vector: Vector | None
    ) -> Judged:
        """The rules of `found`, judged for `place` (None: none asked) by the small reader. A rule that is asked for by
        its number is stated whatever a reader says of it, and where a section is asked for its rules are near."""
        best = tuple(await self.candidates(question, found, vector))
        beside = tuple(rule for each in found for rule in rules_in(each.passage))
        number = question.rule_number
        is_asked_for = not asks_whether(question) and bool(number and of_no_other_rule(found, number))
        rules = await self._by_small_reader(asked_text(question, request), best, beside, question, place)
        degraded = () if rules is not None else (READER,)
        made = quoted_only(best, place) if rules is None else rules
        made = _near(made) if question.scope.sections else made
        return Judged(_stated(made) if is_asked_for else made, degraded, best, beside, is_asked_for)

    async def by_model(
        self,
        question: Question,
        request: AskRequest,
        judged: Mapping[str | None, Judged],
        hear: Callable[[ModelJudged], None] | None = None,
    ) -> ModelJudged | None:
        """What the language model says of all rules in `judged`, by place, in one call; None without a model or rules.

        It has the last word where it is not the looser one. `hear` is told of it with each further sentence.
        """
        numbered = numbered_rules(each.candidates for each in judged.values())
        if self._language_model is None or not numbered:
            return None
        places = [place for place in judged if place is not None]
        asked = asked_text(question, request)
        texts = [rule.as_read(places[0] if len(places) == 1 else None) for rule in numbered]
        call = _ModelCall(question, asked, numbered, texts, judged)

        async def begun(reading: ModelReading) -> None:
            if hear is not None:
                hear(await self._made(call, ModelOutcome(reading)))

        as_of = question.scope.as_of
        return await self._made(call, await self._language_model.read(asked, texts, places, as_of, begun))

    async def _made(self, call: "_ModelCall", outcome: ModelOutcome) -> ModelJudged:
        """A reading held against the small reader's, the same each time that it is told of."""
        name = self._language_model.name if self._language_model else ""
        reading = outcome.reading
        if reading is None:
            small = {place: each.rules for place, each in call.judged.items()}
            return ModelJudged(name, outcome, call.numbered, small)
        if call.agreed is None or call.deciding != reading.deciding:
            named = {number: call.texts[number - 1] for number in reading.deciding}
            judgements = dict(zip(named, await self._judgements(call.asked, list(named.values())), strict=False))
            call.agreed = checked(reading, judgements, {number: opinion_of(text) for number, text in named.items()})
            call.deciding = reading.deciding
        told = {}
        for place, small_read in call.judged.items():
            effects = call.agreed.effects
            rules = as_told(small_read.candidates, call.numbered, reading, effects, small_read.rules, place)
            rules = closed(rules, small_read.beside, place) if place else rules
            rules = stricter(rules, small_read.rules, place, asks_permission=asks_whether(call.question))
            told[place] = _stated(rules) if small_read.is_asked_for else rules
        return ModelJudged(name, outcome, call.numbered, told, call.agreed)

    async def _judgements(self, asked: AskedText, rules: Sequence[RuleText]) -> list[Judgement]:
        """What the small reader says of the rules that a language model named; nothing where it does not answer."""
        if self._reader is None:
            return []
        try:
            async with within(min(_READER_SECONDS, remaining(_READER_SECONDS * 2) / 2)):
                return await self._reader.judge(asked, rules)
        except (Unavailable, TimeoutError):
            return []

    async def _by_small_reader(
        self,
        asked: AskedText,
        best: Sequence[tuple[Rule, float]],
        beside: Sequence[Rule],
        question: Question,
        place: str | None,
    ) -> list[JudgedRule] | None:
        """None where there is no reader, or it does not answer."""
        if self._reader is None:
            return None
        try:
            async with within(min(_READER_SECONDS, remaining(_READER_SECONDS * 2) / 2)):
                return await self._in_steps(self._reader, asked, best, beside, question, place)
        except (Unavailable, TimeoutError):
            return None

    async def candidates(
        self, question: Question, found: Sequence[Found], vector: Vector | None
    ) -> list[tuple[Rule, float]]:
        """The rules of `found` that are read at most, each with its score of retrieval in [0, 1], best first."""
        found = of_rule(found, question.rule_number)
        kept = await self._kept([each.passage.chunk.chunk_id for each in found])
        rules = [rule for each in found for rule in rules_in(each.passage, kept.get(each.passage.chunk.chunk_id))]
        rules = [each for each in rules if not _is_no_rule(each)]
        scores = {each.passage.chunk.chunk_id: each.score for each in found}
        return ranked(rules, scores, question, vector)[:MOST_READ]

    async def topic(self, question: Question, request: AskRequest) -> dict[Topic, float]:
        """What is wanted; nothing is known of it where no reader says so."""
        if self._reader is None:
            return {}
        try:
            async with within(min(_READER_SECONDS, remaining(_READER_SECONDS * 2) / 2)):
                return await self._reader.topic(asked_text(question, request))
        except (Unavailable, TimeoutError):
            return {}

    async def _in_steps(
        self,
        reader: Reader,
        asked: AskedText,
        best: Sequence[tuple[Rule, float]],
        beside: Sequence[Rule],
        question: Question,
        place: str | None,
    ) -> list[JudgedRule]:
        judgements: list[Judgement] = []
        found: list[JudgedRule] = []
        for most in _STEPS:
            further = best[len(judgements) : most]
            if not further:
                break
            judgements += await reader.judge(asked, [rule.as_read(place) for rule, _ in further])
            found = judged(best[: len(judgements)], judgements, place)
            found = closed(found, beside, place) if place else found
            if decide(found, place, asks_permission=asks_whether(question)).answers:
                break
        return found

    async def _kept(self, chunk_ids: Sequence[str]) -> dict[str, dict[int, KeptReading]]:
        if self._readings is None or not chunk_ids:
            return {}
        try:
            async with within(_READINGS_SECONDS):
                return await self._readings.kept(chunk_ids, self._embedding_model)
        except Unavailable as exc:
            if exc.code == STORED_TEXT_CHANGED:
                raise
            return {}
        except TimeoutError:
            return {}


def as_understood(question: Question, topics: Mapping[Topic, float], limits: Thresholds | None = None) -> Question:
    """The question with what a reader says of whether it asks for permission, where that is plain."""
    limits = limits or thresholds()
    if question.intent not in _OF_RULES or not topics:
        return question
    asks = topics[Topic.PERMISSION] / max(1e-6, on_policy(topics))
    if asks >= limits.asks_permission:
        return replace(question, intent=Intent.PERMISSION)
    if asks <= limits.asks_detail and question.intent is Intent.PERMISSION and _ASKING.search(question.text):
        return replace(question, intent=Intent.INFORMATION)
    return question


def asked_text(question: Question, request: AskRequest, place: str | None = None) -> AskedText:
    """The question as a reader gets it: a follow-up that names what it is about behind what it follows, another one
    completed, so that it is read alike after one turn and after ten; a comparison as what it asks of `place`."""
    if question.intent is Intent.COMPARISON and question.terms:
        topic = " ".join(term.text for term in question.terms)
        return AskedText(f"can we advertise {topic}{f' in {display_name(place)}' if place else ''}?")
    if not question.rewritten:
        return AskedText(question.text)
    if question.terms and not covered(question.text, question.terms):
        return AskedText(question.rewritten)
    return AskedText(question.text, tuple(turn.content for turn in request.history if turn.role == "user")[-2:])


def _near(rules: list[JudgedRule]) -> list[JudgedRule]:
    """The rules that hold here as likely as what is shown at least: a title alone asks for nothing that one decides."""
    shown = thresholds().shown
    return [
        replace(each, elsewhere=max(each.elsewhere, shown)) if each.place.standing is Standing.HOLDS else each
        for each in rules
    ]


def _stated(rules: Sequence[JudgedRule]) -> list[JudgedRule]:
    """Those that hold in the place as deciding beyond doubt."""
    return [
        replace(each, decides=1.0, elsewhere=1.0) if each.place.standing is Standing.HOLDS else each for each in rules
    ]


def _is_no_rule(rule: Rule) -> bool:
    return rule.kept is not None and rule.kept.corrected is None and rule.kept.reading.no_rule >= _NO_RULE
