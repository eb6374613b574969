"""Thresholds from what the reader says of documents that it never saw, and the figures that they give."""

import itertools
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from adapters.models.rule_reader import OnnxRuleReader
from ops.config import Config, load_config
from ops.evaluation.corpora import Corpus, ingested
from ops.evaluation.measures import Share
from ops.evaluation.results import figure
from ops.parts import utc_now
from ops.training.documents import TrainingDocument, fold_of
from ops.training.examples import EFFECT_LETTERS, Judged, Judgements, load, topic_examples
from ops.wiring import open_answering
from rag_core.answering.evidence import asks_whether
from rag_core.answering.rule_reading import as_understood, asked_text
from rag_core.answers import Verdict
from rag_core.questions import AskRequest, Filters, Question, Turn
from rag_core.rules.decide import OUTCOMES, decide, decisive, verdict_features
from rag_core.rules.judging import THRESHOLDS, JudgedRule, Thresholds, judged, mixed_effects, thresholds
from rag_core.rules.reader import AskedText, Effect, Judgement, Reader, Relation, Topic, on_policy
from rag_core.rules.rule import Rule

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Candidates:
    """For one place of a question: the rules that would be read, with their scores of retrieval, and of each what was
    judged ("" where nobody did)."""

    judged: Judged
    platform: str
    question: Question
    topics: Mapping[Topic, float]
    asked: AskedText
    place: str | None
    rules: Sequence[tuple[Rule, float]]
    codes: Sequence[str]

    def asks_permission(self, limits: Thresholds) -> bool:
        """Whether it is taken for a question for permission."""
        return asks_whether(as_understood(self.question, self.topics, limits))


def corpus_of(name: str, documents: Iterable[TrainingDocument]) -> Corpus:
    """The documents as a corpus, each platform a source of its own."""
    files: dict[str, bytes] = {}
    platforms: dict[str, str] = {}
    for each in documents:
        slug = slug_of(each.platform)
        platforms[slug] = each.platform
        files[f"{slug}/{each.path.parent.name}-{each.path.name}".replace(" ", "-")] = each.path.read_bytes()
    entries = [
        {"id": slug, "type": "folder", "path": slug, "policy_source": slug, "display_name": shown.title()}
        for slug, shown in sorted(platforms.items())
    ]
    return Corpus(name, files, entries)


def slug_of(platform: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", platform.lower()).strip("-")


@dataclass(frozen=True, slots=True)
class Message:
    """A message to the bot, mostly no question on policies: what is wanted, and the rules that would be read."""

    kind: str
    topics: Mapping[Topic, float]
    asked: AskedText
    rules: Sequence[tuple[Rule, float]]


async def candidates_of(
    data: Judgements,
    questions: Sequence[Judged],
    messages: Sequence[tuple[str, str]],
    config: Config,
    cache: Path,
    today: date,
) -> tuple[list[Candidates], list[Message]]:
    """What the product would read for `questions`, each asked of its document's platform only, and for `messages`, each
    with its topic, asked of all."""
    asked = {data.platform(each.document) for each in questions}
    corpus = corpus_of("reading", [each for each in data.documents.values() if each.platform in asked])
    settings = await ingested(corpus, config, cache)
    found: list[Candidates] = []
    async with open_answering(settings) as answering:
        for judged in questions:
            document = data.documents[judged.document]
            codes = {words_of(rule.body): judged.judged.get(rule.key, "") for rule in document.rules}
            request = AskRequest(
                judged.question,
                today,
                filters=Filters(policy_sources=(slug_of(document.platform),)),
                history=tuple(Turn("user", each) for each in judged.history),
            )
            question, topics, places = await answering.asker.candidates(request)
            for place, rules in places:
                found.append(
                    Candidates(
                        judged,
                        document.platform,
                        question,
                        topics,
                        asked_text(question, request, place),
                        place,
                        rules,
                        [codes.get(words_of(rule.body[0].text), "") for rule, _ in rules],
                    )
                )
        told = []
        for text, kind in messages:
            request = AskRequest(text, today)
            question, topics, places = await answering.asker.candidates(request)
            rules = [each for _, rules in places for each in rules]
            told.append(Message(kind, topics, asked_text(question, request), rules))
    return found, told


def words_of(text: str) -> str:
    """The words of a text as they are compared."""
    return " ".join(_WORD.findall(text.lower()))


_UNDECIDED = {each: 1 / len(Relation) for each in Relation}
_PENALTY, _STEPS, _RATE = 20.0, 600, 0.5
_RIGHT, _WRONG, _NEAR_MISS, _SILENT = 1.0, -1.2, -1.5, -0.2
_TOO_LOOSE = {
    (Verdict.ALLOWED, Verdict.PROHIBITED): -8.0,
    (Verdict.ALLOWED, Verdict.RESTRICTED): -2.0,
    (Verdict.RESTRICTED, Verdict.PROHIBITED): -2.0,
}
"""What a verdict is worth: a right one, a wrong one, any where nobody could say, none where one could be given; and one
that is looser than it is."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question in one place with its judged candidates, and what is right."""

    candidates: Candidates
    judgements: Sequence[Judgement]

    @property
    def is_permission(self) -> bool:
        return self.candidates.judged.kind in ("permission", "comparison")

    @property
    def is_near_miss(self) -> bool:
        return self.candidates.judged.kind == "nearmiss"

    @property
    def verdict(self) -> Verdict | None:
        verdict = self.candidates.judged.verdict
        return Verdict(verdict) if verdict else None

    @property
    def codes(self) -> dict[int, str]:
        """What was judged of each rule, by its id()."""
        pairs = zip(self.candidates.rules, self.candidates.codes, strict=True)
        return {id(rule): code for (rule, _), code in pairs}


async def cases_of(found: Iterable[Candidates], reader: Reader) -> list[Case]:
    """The candidates as `reader` judges them."""
    cases = []
    for each in found:
        rules = [rule.as_read(each.place) for rule, _ in each.rules]
        cases.append(Case(each, await reader.judge(each.asked, rules)))
    return cases


def fitted(cases: Sequence[Case], start: Thresholds) -> Thresholds:
    """`start` with everything learnt from `cases`."""
    reader, score, bias = _regression(cases)
    limits = replace(start, reader=reader, score=score, bias=bias)
    limits = _asking(cases, limits)
    cues = (0.0, 0.4, 0.8, 1.2)
    limits = replace(limits, cue=max(cues, key=lambda cue: effect_figures(cases, replace(limits, cue=cue))["right"]))
    limits = replace(limits, weights=_verdict_weights(cases, limits))
    return _thresholds(cases, limits)


def _asking(cases: Sequence[Case], limits: Thresholds) -> Thresholds:
    """From which share on a question asks for permission and up to which it does not: what tells most kinds rightly,
    of those that do so the middle."""
    known = [case for case in cases if not case.is_near_miss]
    shares = [round(0.3 + at / 20, 2) for at in range(14)]
    pairs = [(most, least) for least, most in itertools.combinations_with_replacement(shares, 2)]
    right = {}
    for asks, detail in pairs:
        tried = replace(limits, asks_permission=asks, asks_detail=detail)
        right[asks, detail] = sum(case.candidates.asks_permission(tried) is case.is_permission for case in known)
    best = sorted(pair for pair in pairs if right[pair] == max(right.values()))
    asks, detail = best[len(best) // 2]
    return replace(limits, asks_permission=asks, asks_detail=detail)


async def topics_fitted(
    cases: Sequence[Case], messages: Sequence[Message], reader: Reader, limits: Thresholds
) -> Thresholds:
    """`limits` with those of what is wanted: 1 in 100 of the policy questions sounds so little like one that nothing is
    looked for, 2 in 100 need a rule that answers them; 1 in 100 of the messages has more than what shows such a rule,
    or, where it is no chat, than what shows chat."""
    shares = [on_policy(case.candidates.topics) for case in cases]
    off_topic, doubtful = np.percentile(shares, (1, 2)).round(2).tolist()
    chat, met = [], []
    for each in messages:
        if each.kind == "policy":
            chat.append(max(each.topics[Topic.SMALL_TALK], each.topics[Topic.INSTRUCTION]))
        elif on_policy(each.topics) < doubtful and each.rules:
            judgements = await reader.judge(each.asked, [rule.as_read(None) for rule, _ in each.rules])
            met.append(judged(each.rules, judgements, None, limits)[0].decides)
    on_topic, surely_chat = (round(float(np.percentile(known, 99)), 2) for known in (met, chat))
    return replace(limits, off_topic=off_topic, doubtful=doubtful, on_topic=on_topic, chat=surely_chat)


def _regression(cases: Sequence[Case]) -> tuple[float, float, float]:
    """Logistic regression, by Newton's method: does a judged rule decide, by the reader's logit and the score."""
    rows, right = [], []
    for case in cases:
        for (_, score), judgement, code in zip(
            case.candidates.rules, case.judgements, case.candidates.codes, strict=True
        ):
            if code:
                share = judgement.decides
                rows.append((np.log((share + 1e-6) / (1 - share + 1e-6)), score, 1.0))
                right.append(code[0] == "D")
    features, labels = np.array(rows), np.array(right, dtype=float)
    weights = np.zeros(3)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (labels - chance) - 1e-3 * weights
        curve = (features * (chance * (1 - chance))[:, None]).T @ features + 1e-3 * np.eye(3)
        weights = weights + np.linalg.solve(curve, slope)
    reader, score, bias = (round(float(each), 3) for each in weights)
    return reader, score, bias


def effect_figures(cases: Sequence[Case], limits: Thresholds) -> dict[str, float]:
    """How many effects of deciding rules on the thing asked are read rightly, in [0, 1], and of how many."""
    right = total = 0
    for case in cases:
        for (rule, _), judgement, code in zip(
            case.candidates.rules, case.judgements, case.candidates.codes, strict=True
        ):
            if code[:1] == "D":
                effects = mixed_effects(rule, judgement, limits, case.candidates.place)
                right += max(effects, key=effects.__getitem__) is EFFECT_LETTERS[code[1]]
                total += 1
    return {"right": right / max(1, total), "rules": total}


def _verdict_weights(cases: Sequence[Case], limits: Thresholds) -> tuple[tuple[float, ...], ...]:
    """Multinomial logistic regression of the right verdict (none for near-misses) on what decides, with an L2 penalty
    on all but the constant, by gradient descent on standardised features."""
    rows, right = [], []
    for case in cases:
        if not case.candidates.asks_permission(limits):
            continue
        if not (case.is_near_miss or (case.is_permission and case.verdict)):
            continue
        rules = judged(case.candidates.rules, case.judgements, case.candidates.place, limits)
        rows.append(verdict_features(decisive(rules, limits)))
        right.append(OUTCOMES.index(None if case.is_near_miss else case.verdict))
    features, labels = np.array(rows)[:, :-1], np.eye(len(OUTCOMES))[right]
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled = np.hstack([(features - mean) / spread, np.ones((len(features), 1))])
    weights = np.zeros((scaled.shape[1], len(OUTCOMES)))
    penalty = np.full((scaled.shape[1], 1), _PENALTY / len(scaled))
    penalty[-1] = 0
    for _ in range(_STEPS):
        logits = scaled @ weights
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        weights -= _RATE * (scaled.T @ (chances - labels) / len(scaled) + penalty * weights)
    slopes = weights[:-1] / spread[:, None]
    constants = weights[-1] - mean @ slopes
    return tuple(tuple(round(float(each), 3) for each in column) for column in np.vstack([slopes, constants]).T)


def _thresholds(cases: Sequence[Case], limits: Thresholds) -> Thresholds:
    """`given`, from which probability on a verdict is worth more than none; then one threshold after the other, twice,
    each where the worth of all answers is highest."""
    limits = replace(limits, given=round((_SILENT - _WRONG) / (_RIGHT - _WRONG), 2))
    known = [(case, judged(case.candidates.rules, case.judgements, case.candidates.place, limits)) for case in cases]
    grid: Mapping[str, Sequence[float]] = {
        "allowed": (0.2, 0.3),
        "forbids": (0.03, 0.06, 0.1, 0.15),
        "overrules": (0.6, 0.7, 0.8),
        "conditioned": (0.5, 0.6, 0.8),
        "states": (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    }
    for _ in range(2):
        for name, values in grid.items():
            tried = [replace(limits, **dict[str, Any]({name: value})) for value in values]
            limits = max(tried, key=lambda each: worth(known, each))
    return limits


def worth(known: Sequence[tuple[Case, Sequence[JudgedRule]]], limits: Thresholds) -> float:
    """The worth of all verdicts, and of what is stated to those who ask for none."""
    total = 0.0
    for case, rules in known:
        asks = case.candidates.asks_permission(limits)
        decision = decide(rules, case.candidates.place, asks_permission=asks, limits=limits)
        given = decision.verdict
        if not asks and not case.is_permission and decision.answers:
            codes = case.codes
            if case.is_near_miss:
                total += _NEAR_MISS
            elif any(codes[id(each.rule)] for each in decision.deciding):
                decides = any(codes[id(each.rule)][:1] == "D" for each in decision.deciding)
                total += _RIGHT if decides else _WRONG
        if given is None:
            total += _SILENT if case.is_permission and case.verdict is not None else 0.0
            continue
        if not (case.is_permission or case.is_near_miss):
            continue
        if case.is_near_miss:
            total += _NEAR_MISS
        elif given is case.verdict or case.verdict is None:
            total += _RIGHT if given is case.verdict else _WRONG
        else:
            total += _TOO_LOOSE.get((given, case.verdict), _WRONG)
    return total


def observed(cases: Sequence[Case], limits: Thresholds) -> dict[str, list[tuple[str, Share]]]:
    """Of each figure what each case adds to it, by platform."""
    found: dict[str, list[tuple[str, Share]]] = {}
    for case in cases:
        for name, right, counted in _shares(case, limits):
            found.setdefault(name, []).append((case.candidates.platform, Share(right, counted)))
    return found


def _shares(case: Case, limits: Thresholds) -> Iterator[tuple[str, float, float]]:
    rules = judged(case.candidates.rules, case.judgements, case.candidates.place, limits)
    asks = case.candidates.asks_permission(limits)
    decision = decide(rules, case.candidates.place, asks_permission=asks, limits=limits)
    codes = case.codes
    ranked = [codes[id(each.rule)][:1] for each in rules]
    if any(code[:1] == "D" for code in case.candidates.judged.judged.values()):
        yield "deciding rule first", ranked[:1] == ["D"], 1
        yield "deciding rule among five", "D" in ranked[:5], 1
        yield "deciding rule read", "D" in ranked, 1
    if case.is_near_miss:
        yield "near-misses handled", decision.verdict is None and not (decision.answers and not asks), 1
    if case.verdict is not None:
        is_given = decision.verdict is not None
        yield "verdict given", is_given, 1
        yield "verdict right", decision.verdict is case.verdict, 1
        yield "verdict right where given", decision.verdict is case.verdict, is_given
    if case.verdict is Verdict.PROHIBITED:
        yield "allowed though prohibited", decision.verdict is Verdict.ALLOWED, 1
    if not case.is_permission and not case.is_near_miss:
        yield "what decides is stated", any(codes[id(each.rule)][:1] == "D" for each in decision.deciding), 1
    effects = effect_figures([case], limits)
    yield "effect right", effects["right"] * effects["rules"], effects["rules"]


def figures(cases: Sequence[Case], limits: Thresholds) -> dict[str, str]:
    """What the thresholds give on `cases`: shares in [0, 1] with the 95% interval of a bootstrap over platforms."""
    return {"questions": str(len(cases))} | _told(observed(cases, limits))


def _told(shares: Mapping[str, Sequence[tuple[str, Share]]]) -> dict[str, str]:
    told = {}
    for name, known in shares.items():
        if (found := figure([each for each in known if each[1].counted])) is not None:
            told[name] = f"{found.value:.3f} [{found.low:.2f}, {found.high:.2f}]"
    return told


def family_of(document: str) -> str:
    """What kind of policy a document is: invented ones, ads of platforms, and what is no ad policy."""
    if not document.startswith("shared:") or "/invented/" in document:
        return "invented"
    return "ads" if "platforms/" in document or "ad-policies/" in document else "other policies"


def ablated(cases: Sequence[Case], limits: Thresholds) -> dict[str, dict[str, str]]:
    """The figures where a part is taken out and the thresholds are fitted again."""
    even = {each: 1 / len(Effect) for each in Effect}
    alone = [replace(case, judgements=[replace(each, effects=even) for each in case.judgements]) for case in cases]
    blind = [
        replace(case, judgements=[replace(each, relations=_UNDECIDED) for each in case.judgements]) for case in cases
    ]
    parts = {
        "words alone say what a rule does": (alone, replace(limits, cue=2.0)),
        "without the words' opinion": (cases, replace(limits, cue=0.0)),
        "without the reader's say in what decides": (blind, limits),
    }
    return {name: figures(changed, _thresholds(changed, limits)) for name, (changed, limits) in parts.items()}


async def calibrate_and_tell(weights: Path, fold: tuple[int, int], most: int, cache: Path, *, write: bool) -> None:
    """Calibrate on the platforms of a fold that `weights` never saw, half of them for the thresholds and half for the
    figures and then the other way round; print both, and keep the thresholds that all of them give."""
    data = load()
    asked = [each for each in data.questions if fold_of(data.platform(each.document), fold[1]) == fold[0]]
    random.Random(0).shuffle(asked)
    texts = [
        each
        for each, example in zip(data.topics, topic_examples(data), strict=False)
        if fold_of(example.group, fold[1]) == fold[0]
    ]
    random.Random(0).shuffle(texts)
    config = load_config().model_copy(update={"rule_reader": str(weights)})
    found, messages = await candidates_of(data, asked[:most], texts[: most // 10], config, cache, utc_now().date())
    reader = OnnxRuleReader(weights)
    cases = await cases_of(found, reader)
    halves = [[each for each in cases if fold_of(each.candidates.platform, 7) % 2 == side] for side in (0, 1)]
    limits = await topics_fitted(cases, messages, reader, fitted(cases, thresholds()))
    await reader.aclose()
    held_out = _of_both([(test, fitted(train, thresholds())) for train, test in (halves, halves[::-1])])
    told = {
        "held out": held_out,
        "by family": {
            family: figures([each for each in cases if family_of(each.candidates.judged.document) == family], limits)
            for family in ("ads", "other policies", "invented")
        },
        "without": ablated(cases, limits),
        "thresholds": asdict(limits),
    }
    print(json.dumps(told, indent=1))
    if write:
        of = {
            "set": f"platforms that {weights.stem} never saw, {utc_now().date()}; fitted to one half, told of the other"
        }
        kept = {"thresholds": asdict(limits), "figures": of | held_out}
        THRESHOLDS.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def _of_both(sides: Sequence[tuple[Sequence[Case], Thresholds]]) -> dict[str, str]:
    """The figures of all cases, each with thresholds that were fitted to others."""
    told = {"questions": str(sum(len(cases) for cases, _ in sides))}
    both: dict[str, list[tuple[str, Share]]] = {}
    for cases, limits in sides:
        for name, shares in observed(cases, limits).items():
            both.setdefault(name, []).extend(shares)
    return told | _told(both)
