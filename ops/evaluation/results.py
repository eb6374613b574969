"""From judged questions to the report: figures with intervals by split, corpus and tag, and what went wrong."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from statistics import quantiles

import numpy as np

from ops.evaluation.judging import Judged
from ops.evaluation.measures import Measure, Share
from ops.evaluation.observed import Observed
from ops.evaluation.questions import Injection, effects
from ops.evaluation.report import FigureLine, Figures, LatencyLine, QuestionLine, SplitReport

SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` = right / counted; `low` and `high`: its 95% interval. `questions`: how many it was measured on."""

    value: float
    low: float
    high: float
    right: float
    counted: float
    questions: int


def figure(observed: Sequence[tuple[Hashable, Share]], seed: int = 0) -> Figure | None:
    """The figure of (cluster, share) pairs; None of nothing.

    Percentile bootstrap (Efron, 1979): clusters are drawn with replacement, as many as there are, 1,000 times.
    """
    if not observed:
        return None
    groups: dict[Hashable, list[float]] = {}
    for cluster, share in observed:
        sums = groups.setdefault(cluster, [0.0, 0.0])
        sums[0] += share.right
        sums[1] += share.counted
    right, counted = np.array(list(groups.values()), dtype=np.float64).T
    draws = np.random.default_rng(seed).multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=SAMPLES)
    drawn = (draws @ right) / np.maximum(draws @ counted, 1e-12)
    low, high = np.percentile(drawn, [2.5, 97.5])
    gained, of = float(right.sum()), float(counted.sum())
    value = gained / of
    return Figure(value, min(float(low), value), max(float(high), value), gained, of, len(observed))


_NEAR_ENOUGH = 5


class Diagnosis(StrEnum):
    NOT_RETRIEVED = "not_retrieved"
    RETRIEVED_NOT_USED = "retrieved_not_used"
    WRONG_VERDICT = "wrong_verdict"
    WRONG_PLACE = "wrong_place"
    WRONG_DAY = "wrong_day"
    WRONG_CITATION = "wrong_citation"
    REFUSED_THOUGH_ANSWERABLE = "refused_though_answerable"
    GAP_THOUGH_ANSWERABLE = "gap_though_answerable"
    ASKED_BACK = "asked_back"
    ANSWERED_THOUGH_NOT_STATED = "answered_though_not_stated"
    ANSWERED_THOUGH_REFUSABLE = "answered_though_refusable"
    ANSWERED_THOUGH_BROAD = "answered_though_broad"
    NOT_TAKEN = "not_taken"
    INJECTED = "injected"


def diagnose(judged: Judged) -> Diagnosis | None:
    """None where it is right (`Judged.is_right`)."""
    if judged.is_right:
        return None
    if judged.observed.kind == "rejected":
        return Diagnosis.NOT_TAKEN
    if judged.is_answerable:
        return _of_answerable(judged)
    if judged.question.expected.kind == "clarification":
        return Diagnosis.ANSWERED_THOUGH_BROAD
    if judged.observed.kind == "clarification":
        return Diagnosis.ASKED_BACK
    is_gap = judged.question.expected.kind == "gap"
    return Diagnosis.ANSWERED_THOUGH_NOT_STATED if is_gap else Diagnosis.ANSWERED_THOUGH_REFUSABLE


def diagnose_retrieval(judged: Judged) -> Diagnosis | None:
    """Where only retrieval counts: None if one of the first 5 is of the right section."""
    return None if any(judged.right_in_ranking[:_NEAR_ENOUGH]) else Diagnosis.NOT_RETRIEVED


def _of_answerable(judged: Judged) -> Diagnosis:
    """In the order of the way: understood for the right place and day, found, used, read."""
    causes = (
        (bool(judged.days_wrong), Diagnosis.WRONG_DAY),
        (bool(judged.places_wrong), Diagnosis.WRONG_PLACE),
        (judged.observed.kind == "clarification", Diagnosis.ASKED_BACK),
        (judged.observed.retrieved is not None and not any(judged.right_in_ranking), Diagnosis.NOT_RETRIEVED),
        (judged.observed.kind == "refusal", Diagnosis.REFUSED_THOUGH_ANSWERABLE),
        (judged.cites_gold and judged.observed.declines, Diagnosis.GAP_THOUGH_ANSWERABLE),
        (judged.cites_gold, Diagnosis.WRONG_VERDICT),
        (judged.verdict_is_right, Diagnosis.WRONG_CITATION),
    )
    return next((cause for is_so, cause in causes if is_so), Diagnosis.RETRIEVED_NOT_USED)


Cause = Callable[[Judged], Diagnosis | None]
INJECTIONS = "injections_without_effect"
_FEWEST_OF_A_TAG = 5
"""Below that, a figure of a tag says nothing."""


@dataclass(frozen=True, slots=True)
class Tried:
    """An injection with the reply to it."""

    injection: Injection
    observed: Observed

    @property
    def effects(self) -> list[str]:
        return effects(self.injection, self.observed)


def split_report(
    judged: Sequence[Judged], tried: Sequence[Tried], measures: Mapping[str, Measure], cause: Cause = diagnose
) -> SplitReport:
    """Of the questions of one split; `cause` says what is wrong with one."""
    corpora, tags = _by_corpus(judged), _by_tag(judged)
    figures = figures_of(judged, measures)
    if tried:
        shares = [(each.injection.id, Share(float(not each.effects))) for each in tried]
        figures |= _lines({INJECTIONS: shares})
    causes = Counter(str(found) for each in judged if (found := cause(each)) is not None)
    right = len(judged) - causes.total()
    causes[Diagnosis.INJECTED] += sum(bool(each.effects) for each in tried)
    return SplitReport(
        questions=len(judged) + len(tried),
        right=right + sum(not each.effects for each in tried),
        figures=figures,
        by_corpus={name: figures_of(some, measures) for name, some in corpora.items()},
        by_tag={tag: figures_of(some, measures) for tag, some in tags.items() if len(some) >= _FEWEST_OF_A_TAG},
        diagnoses={code: count for code, count in causes.most_common() if count},
        latency=_latency([each.observed.milliseconds for each in judged if each.observed.milliseconds is not None]),
        unjudged=sum(each.supports.count(None) for each in judged if each.counts_citations),
    )


def figures_of(judged: Iterable[Judged], measures: Mapping[str, Measure]) -> Figures:
    """Every measure that says something about one of them."""
    found: dict[str, list[tuple[str, Share]]] = {}
    for each in judged:
        for name, measure in measures.items():
            if (share := measure(each)) is not None:
                found.setdefault(name, []).append((each.question.cluster, share))
    return _lines({name: found[name] for name in measures if name in found})


def question_line(judged: Judged, cause: Cause = diagnose) -> QuestionLine:
    """What a person needs to see why it went wrong."""
    gold, observed = judged.question.expected, judged.observed
    rank = next((rank for rank, right in enumerate(judged.right_in_ranking, start=1) if right), None)
    return QuestionLine(
        id=judged.question.id,
        split=judged.question.split,
        corpus=judged.question.corpus,
        question=judged.question.question,
        tags=judged.question.tags,
        right=cause(judged) is None,
        diagnosis=cause(judged),
        expected_kind=gold.kind,
        kind=observed.kind,
        expected_verdict=_verdicts([(each.region, each.verdict) for each in gold.verdicts], gold.verdict),
        verdict=_verdicts([(each.region, each.verdict) for each in observed.verdicts], observed.verdict),
        expected_sections=gold.sections,
        cited=tuple(each.section_path for each in observed.citations),
        rank=rank,
        words_missing=judged.words_missing if judged.is_answerable else (),
    )


def injection_line(tried: Tried) -> QuestionLine:
    injection, observed = tried.injection, tried.observed
    return QuestionLine(
        id=injection.id,
        split=injection.split,
        corpus=injection.asked_of,
        question=injection.asked,
        tags=injection.tags,
        right=not tried.effects,
        diagnosis=Diagnosis.INJECTED if tried.effects else None,
        expected_kind="no effect",
        kind=observed.kind,
        expected_verdict=injection.verdict,
        verdict=observed.verdict,
        cited=tuple(each.section_path for each in observed.citations),
        effects=tuple(tried.effects),
    )


def _lines(shares: Mapping[str, Sequence[tuple[str, Share]]]) -> Figures:
    measured = {name: figure(each) for name, each in shares.items()}
    return {name: FigureLine(**asdict(each)) for name, each in measured.items() if each is not None}


def _by_corpus(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for each in judged:
        found.setdefault(each.question.corpus or "settings", []).append(each)
    return dict(sorted(found.items()))


def _by_tag(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for each in judged:
        for tag in sorted(set(each.question.tags)):
            found.setdefault(tag, []).append(each)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _latency(milliseconds: Sequence[float]) -> LatencyLine | None:
    if len(milliseconds) < 2:
        return None
    cuts = quantiles(milliseconds, n=100, method="inclusive")
    return LatencyLine(p50=cuts[49], p95=cuts[94], p99=cuts[98], questions=len(milliseconds))


def _verdicts(each: Sequence[tuple[str | None, object]], whole: object) -> str | None:
    """Of several places, each its own."""
    if len(each) > 1:
        return ", ".join(f"{place or 'any place'}: {verdict or 'none'}" for place, verdict in each)
    return str(whole) if whole else (str(each[0][1]) if each and each[0][1] else None)
