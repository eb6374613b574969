"""The measures: each a function of one judged question to its share, right of counted, or None where it says nothing.

A figure is the sum of all `right` over the sum of all `counted`.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import log2
from typing import NamedTuple

from ops.evaluation.judging import Judged
from ops.evaluation.matching import words_spoken_of
from ops.evaluation.questions import AS_OF, FOLLOW_UP, OFF_TOPIC, WHAT_CHANGED
from rag_core.answers import Verdict


def hit(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """1 if one of the first `depth` is relevant, else 0 (Success@depth)."""
    return float(any(each in relevant for each in ranked[:depth]))


def reciprocal_rank(ranked: Sequence[str], relevant: AbstractSet[str]) -> float:
    """1 / rank of the first relevant one; 0 without one. Its mean over questions is MRR."""
    return next((1 / rank for rank, each in enumerate(ranked, start=1) if each in relevant), 0.0)


def ndcg(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """Normalised discounted cumulative gain with grades 0 and 1 (Jarvelin and Kekalainen, 2002), as trec_eval:
    sum of 1 / log2(rank + 1) over the relevant ones, divided by that of the best possible ranking."""
    gained = sum(1 / log2(rank + 1) for rank, each in enumerate(ranked[:depth], start=1) if each in relevant)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(len(relevant), depth) + 1))
    return gained / best if best else 0.0


def recall(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """The share of what is relevant among the first `depth`."""
    return len(relevant & set(ranked[:depth])) / len(relevant) if relevant else 0.0


class Share(NamedTuple):
    right: float
    counted: float = 1.0


Measure = Callable[[Judged], Share | None]
RECALL_DEPTH = 15


def section_hit(depth: int) -> Measure:
    """Success@depth: 1 if one of the first `depth` chunks is of the right section, version and place."""

    def measure(judged: Judged) -> Share | None:
        return Share(hit(*_sections(judged), depth)) if _has_ranking(judged) else None

    return measure


def anchor_hit(depth: int) -> Measure:
    """Success@depth: 1 if one of the first `depth` chunks holds a gold anchor, in the right version and place."""

    def measure(judged: Judged) -> Share | None:
        return Share(float(any(judged.anchors_ranked[:depth]))) if _has_anchors(judged) else None

    return measure


def mrr(judged: Judged) -> Share | None:
    """1 / rank of the first chunk of the right section."""
    return Share(reciprocal_rank(*_sections(judged))) if _has_ranking(judged) else None


def ndcg_10(judged: Judged) -> Share | None:
    """nDCG@10 over passages: each gold anchor is one relevant passage, found where it first stands."""
    return Share(ndcg(*_anchors(judged), 10)) if _has_anchors(judged) else None


def recall_k(judged: Judged) -> Share | None:
    """The share of the gold anchors that stand in the first 15 chunks."""
    if not _has_anchors(judged):
        return None
    found = frozenset[str]().union(*judged.anchors_ranked[:RECALL_DEPTH])
    return Share(recall(sorted(found), frozenset(judged.question.expected.anchors), len(found)))


def verdict_right(judged: Judged) -> Share | None:
    """Of the answerable questions that have a verdict: it was given, or one that is accepted as well."""
    gold = judged.question.expected
    has_verdict = gold.verdict is not None or any(each.verdict for each in gold.verdicts)
    return Share(float(judged.verdict_is_right)) if judged.is_answerable and has_verdict else None


def verdict_or_none_right(judged: Judged) -> Share | None:
    """Of all answerable questions, also those for which the gold says "none": what was given is accepted."""
    is_counted = judged.is_answerable and judged.question.expected.says_verdict
    return Share(float(judged.verdict_is_right)) if is_counted else None


def allowed_though_prohibited(judged: Judged) -> Share | None:
    """Of the questions where the gold says prohibited: "allowed" was given. A count, best 0."""
    return _permissive(judged, Verdict.ALLOWED)


def restricted_though_prohibited(judged: Judged) -> Share | None:
    """Of the questions where the gold says prohibited and accepts nothing else: "restricted" was given."""
    return _permissive(judged, Verdict.RESTRICTED)


def citation_precision(judged: Judged) -> Share | None:
    """Of the citations of answers to answerable questions: those of a gold section (or with a gold anchor in what is
    quoted), in the right version and place. What supports beside the gold counts as wrong: a lower bound."""
    return Share(sum(judged.supporting), len(judged.supporting)) if judged.counts_citations else None


def citation_supports(judged: Judged) -> Share | None:
    """Of the same citations: those that are gold, or of a section that people judged as supporting an answer. What
    nobody judged counts as wrong."""
    return Share(judged.supports.count(True), len(judged.supports)) if judged.counts_citations else None


def citation_span_precision(judged: Judged) -> Share | None:
    """The same, but what is quoted must hold a gold anchor."""
    if not (judged.is_answerable and judged.is_answered and judged.question.expected.anchors):
        return None
    return Share(sum(judged.spans_supporting), len(judged.spans_supporting)) if judged.spans_supporting else None


def first_citation(judged: Judged) -> Share | None:
    """Of the answers to answerable questions: the first citation is of a gold section, version and place."""
    is_counted = judged.is_answerable and judged.is_answered and judged.supporting
    return Share(float(judged.supporting[0])) if is_counted else None


def citation_recall(judged: Judged) -> Share | None:
    """Of the gold sections of answerable questions: those that are cited; a refusal cites none."""
    sections = judged.question.expected.sections
    return Share(judged.sections_cited, len(sections)) if judged.is_answerable and sections else None


def anchor_recall(judged: Judged) -> Share | None:
    """Of the gold anchors of answerable questions: those that are quoted."""
    anchors = judged.question.expected.anchors
    return Share(len(judged.anchors_quoted), len(anchors)) if judged.is_answerable and anchors else None


def rule_cited(judged: Judged) -> Share | None:
    """Of the answered questions whose gold section has a number: a citation carries it, or one below it."""
    return (
        Share(float(judged.cites_rule)) if judged.is_answerable and judged.is_answered and judged.is_numbered else None
    )


def near_miss_handled(judged: Judged) -> Share | None:
    """Of the questions that the documents do not answer: refused, or answered with the gap named, and no verdict."""
    return Share(float(judged.gap_is_handled)) if judged.question.expected.kind == "gap" else None


def refusal_precision(judged: Judged) -> Share | None:
    """Of what was declined (refused, or a gap stated without a verdict): those that the documents do not answer."""
    return Share(float(not judged.is_answerable)) if judged.observed.declines else None


def refusal_recall(judged: Judged) -> Share | None:
    """Of the questions that the documents do not answer: those that were declined."""
    unanswerable = judged.question.expected.kind in ("gap", "refusal")
    return Share(float(judged.observed.declines)) if unanswerable else None


def answerable_refused(judged: Judged) -> Share | None:
    """Of the answerable questions: those refused. The rate at which recall of refusals is to be read."""
    return Share(float(judged.observed.kind == "refusal")) if judged.is_answerable else None


def answerable_declined(judged: Judged) -> Share | None:
    """Of the answerable questions that have a verdict: refused, or answered with a gap and no verdict instead."""
    wants_verdict = judged.is_answerable and None not in judged.question.expected.accepted
    return Share(float(judged.observed.declines)) if wants_verdict else None


def off_topic_refused(judged: Judged) -> Share | None:
    """Of what is off topic: refused."""
    is_off = OFF_TOPIC in judged.question.tags
    return Share(float(judged.observed.kind == "refusal")) if is_off else None


def other_day_refused(judged: Judged) -> Share | None:
    """Of the questions about a day before any version: refused."""
    is_other = "other-day" in judged.question.tags
    return Share(float(judged.observed.kind == "refusal")) if is_other else None


def asked_back(judged: Judged) -> Share | None:
    """Of the questions that are too broad: answered with choices."""
    is_broad = judged.question.expected.kind == "clarification"
    return Share(float(judged.observed.kind == "clarification")) if is_broad else None


def place_right(judged: Judged) -> Share | None:
    """Of the answers to questions about places: none of their citations holds in other places only."""
    gold = judged.question.expected
    about_places = bool(gold.not_regions) or any(each.region for each in gold.verdicts)
    return Share(float(not judged.places_wrong)) if about_places and judged.observed.citations else None


def day_right(judged: Judged) -> Share | None:
    """Of the as-of questions: answered, and each citation of the gold document is of the version that was in force."""
    tags, gold = judged.question.tags, judged.question.expected
    names_day = gold.version_day is not None or judged.question.as_of is not None
    if not judged.is_answerable or not names_day or AS_OF not in tags or WHAT_CHANGED in tags:
        return None
    return Share(float(judged.is_answered and judged.cites_document and not judged.days_wrong))


def follow_up_right(judged: Judged) -> Share | None:
    """Of the follow-ups: answered from the gold document, for the place that the conversation means."""
    if not judged.is_answerable or FOLLOW_UP not in judged.question.tags:
        return None
    asked = {each.region for each in judged.question.expected.verdicts if each.region}
    same_place = asked <= set(judged.observed.regions) and not judged.places_wrong
    return Share(float(judged.cites_document and same_place))


def mentioned(judged: Judged) -> Share | None:
    """Of the words that must be mentioned: those that the statements say."""
    words = judged.question.expected.must_mention
    return Share(len(words) - len(judged.words_missing), len(words)) if judged.is_answerable and words else None


def correct(judged: Judged) -> Share | None:
    """Right in kind, verdict, section, place and day, and every word that must be mentioned is said."""
    return Share(float(judged.is_right and not (judged.is_answerable and judged.words_missing)))


def faithful(judged: Judged) -> Share | None:
    """Of the statements of answers: those that stand in what they cite, verbatim or by the check that
    `POST /api/v1/verify-citation` makes. Needs no judge model."""
    if not judged.is_answered or not judged.supported:
        return None
    return Share(sum(judged.supported), len(judged.supported))


def relevant(judged: Judged) -> Share | None:
    """Of the content words of answerable questions that were answered: those of which the answer speaks."""
    if not (judged.is_answerable and judged.is_answered and judged.observed.statements):
        return None
    spoken, asked = words_spoken_of(judged.question, judged.observed)
    return Share(spoken, asked) if asked else None


def graded(name: str) -> Measure:
    """Of the answers that a judge model graded: yes is 1, partly a half, no 0."""

    def measure(judged: Judged) -> Share | None:
        return Share(getattr(judged.grades, name).share) if judged.grades is not None else None

    return measure


RETRIEVAL: Mapping[str, Measure] = {
    "section_hit@1": section_hit(1),
    "section_hit@5": section_hit(5),
    "section_hit@10": section_hit(10),
    "anchor_hit@5": anchor_hit(5),
    "mrr": mrr,
    "ndcg@10": ndcg_10,
    "recall@15": recall_k,
}

ANSWERS: Mapping[str, Measure] = {
    "verdict_right": verdict_right,
    "verdict_or_none_right": verdict_or_none_right,
    "allowed_though_prohibited": allowed_though_prohibited,
    "restricted_though_prohibited": restricted_though_prohibited,
    "citation_precision": citation_precision,
    "citation_supports": citation_supports,
    "citation_span_precision": citation_span_precision,
    "first_citation": first_citation,
    "citation_recall": citation_recall,
    "anchor_recall": anchor_recall,
    "rule_cited": rule_cited,
    "near_miss_handled": near_miss_handled,
    "refusal_precision": refusal_precision,
    "refusal_recall": refusal_recall,
    "answerable_refused": answerable_refused,
    "answerable_declined": answerable_declined,
    "off_topic_refused": off_topic_refused,
    "other_day_refused": other_day_refused,
    "asked_back": asked_back,
    "place_right": place_right,
    "day_right": day_right,
    "follow_up_right": follow_up_right,
}

CORRECTNESS: Mapping[str, Measure] = {
    "faithful": faithful,
    "relevant": relevant,
    "mentioned": mentioned,
    "correct": correct,
    "judge_faithful": graded("faithful"),
    "judge_relevant": graded("relevant"),
    "judge_correct": graded("correct"),
}


def _has_ranking(judged: Judged) -> bool:
    return judged.is_answerable and bool(judged.question.expected.sections) and judged.observed.retrieved is not None


def _has_anchors(judged: Judged) -> bool:
    return _has_ranking(judged) and bool(judged.question.expected.anchors)


def _sections(judged: Judged) -> tuple[list[str], frozenset[str]]:
    ids = [each.chunk_id for each in judged.observed.retrieved or ()]
    return ids, frozenset(each for each, right in zip(ids, judged.right_in_ranking, strict=True) if right)


def _anchors(judged: Judged) -> tuple[list[str], frozenset[str]]:
    """A chunk with two fresh anchors is two relevant passages, one behind the other."""
    ranked = [
        each
        for number, anchors in enumerate(judged.anchors_ranked)
        for each in (sorted(anchors) or [f"chunk {number}"])
    ]
    return ranked, frozenset(judged.question.expected.anchors)


def _permissive(judged: Judged, verdict: Verdict) -> Share | None:
    gold = judged.question.expected
    said = [each.verdict for each in gold.verdicts] or [gold.verdict]
    if not judged.is_answerable or Verdict.PROHIBITED not in said:
        return None
    return Share(float(judged.wrong_permissive is verdict))
