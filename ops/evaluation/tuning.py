"""How the signals of re-ranking are weighed: figures for weights, and weights that do better.

`python -m ops evaluate --tuning`: what the searches of the answerable questions found is noted once, then ordered by
many weights. With `--beir FOLDER` the loss on that collection against fusion alone is beside it.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.progress import Progress as Bar

from ops.config import Config
from ops.evaluation.asking_all import Measured, Progress
from ops.evaluation.beir import found_by_fusion
from ops.evaluation.bots import InProcessBot, query_of, retrieved
from ops.evaluation.corpora import corpus_named, ingested
from ops.evaluation.matching import anchors_in, is_right_section
from ops.evaluation.measures import hit, ndcg, reciprocal_rank
from ops.evaluation.questions import GoldQuestion
from ops.wiring import open_answering
from ops.wording.evaluation import ASKING, tuning_text
from rag_core.retrieval.found import Found
from rag_core.retrieval.ranking import (
    FUSION_ALONE,
    PUBLISHED,
    SIGNALS,
    TUNED,
    Asked,
    Ranked,
    Ranking,
    RankWeights,
    Signal,
    rerank,
    weighed,
)

MOST_LOST = 0.005
"""nDCG@10 that re-ranking may lose on a foreign collection: beyond it, weights are fitted to our own documents."""

_STEPS = (0.0, 0.5, 0.75, 1.25, 1.5, 2.0)
_FIRST = 0.1
_ROUNDS = 3
_GAIN = 0.001
_YEAR = 365.0


@dataclass(frozen=True, slots=True)
class Search:
    """What one search of a question found, before re-ranking."""

    found: tuple[Found, ...]
    asked: Asked


@dataclass(frozen=True, slots=True)
class Noted:
    """A question's searches, and of each chunk whether it is of the right section and which anchors are in it."""

    searches: tuple[Search, ...]
    right: frozenset[str]
    anchors: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Tuned:
    """Figures by name of the weights; `weights` are the best ones found."""

    figures: Mapping[str, Mapping[str, float]]
    weights: RankWeights


class NotingRanking(Ranking):
    """Ranks as ever, and keeps what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[Search] = []

    async def rank(self, found: Sequence[Found], asked: Asked) -> Ranked:
        self.noted.append(Search(tuple(found), asked))
        return await super().rank(found, asked)


async def print_tuning(measured: Measured, config: Config, questions: Sequence[GoldQuestion], beir: Path | None) -> int:
    """Print the figures; always 0. Raises as ingesting and reading the collection do."""
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(ASKING, total=None)
        noted = await note(
            measured, config, questions, lambda done, total: bar.update(task, completed=done, total=total)
        )
    foreign = await foreign_collection(beir) if beir else None
    tuned = await asyncio.to_thread(tuned_on, noted, foreign)
    print(tuning_text(len(noted), tuned.figures, asdict(tuned.weights)))
    return 0


async def note(
    measured: Measured, config: Config, questions: Sequence[GoldQuestion], progress: Progress
) -> list[Noted]:
    """The searches of every answerable question that names its sections; one that searches nothing is left out."""
    wanted = [each for each in questions if each.expected.kind == "answer" and each.expected.sections]
    searched = await searches_of(measured, config, wanted, progress)
    return [_noted(question, searches, measured.today) for question, searches in searched]


async def searches_of(
    measured: Measured, config: Config, questions: Sequence[GoldQuestion], progress: Progress
) -> list[tuple[GoldQuestion, tuple[Search, ...]]]:
    """What each question searched for and found; those that found nothing, or never searched, are left out."""
    searched: list[tuple[GoldQuestion, tuple[Search, ...]]] = []
    for corpus in dict.fromkeys(each.corpus for each in questions):
        documents = await ingested(corpus_named(corpus, config, measured.data), config, measured.cache)
        ranking = NotingRanking()
        async with open_answering(documents, ranking) as answering:
            bot = InProcessBot(answering, measured.today, measured.top_k)
            for each in [each for each in questions if each.corpus == corpus]:
                ranking.noted.clear()
                await bot.ask(query_of(each))
                if found := tuple(search for search in ranking.noted if search.found):
                    searched.append((each, found))
                progress(len(searched), len(questions))
    return searched


def _noted(question: GoldQuestion, searches: Iterable[Search], today: date) -> Noted:
    kept = tuple(searches)
    chunks = {each.passage.chunk.chunk_id: retrieved(each.passage) for search in kept for each in search.found}
    right = frozenset(id_ for id_, each in chunks.items() if is_right_section(question, each, today))
    anchors = {id_: anchors_in(question, (chunks[id_].section_path, chunks[id_].text)) for id_ in right}
    return Noted(kept, right, anchors)


def by_age(found: Sequence[Found], asked: Asked) -> list[float]:
    """Recency as it is published for other fields: half after a year. Measured here, to show what it costs."""
    newest = max((each.passage.version.effective_from for each in found), default=None)
    return [_of_age((newest - each.passage.version.effective_from).days) if newest else 0.0 for each in found]


def _of_age(days: int) -> float:
    return float(0.5 ** (days / _YEAR))


def figures(noted: Sequence[Noted], weights: RankWeights, steps: Mapping[str, Signal] = SIGNALS) -> dict[str, float]:
    """Right section first, in the top 5, MRR and nDCG@10 (of the deciding passages, where they are named)."""
    rankings = [(each, _ranked(each, weights, steps)) for each in noted]
    graded = [(each, ranked) for each, ranked in rankings if any(each.anchors.values())]
    return {
        "section@1": fmean(hit(ranked, each.right, 1) for each, ranked in rankings),
        "section@5": fmean(hit(ranked, each.right, 5) for each, ranked in rankings),
        "MRR": fmean(reciprocal_rank(ranked, each.right) for each, ranked in rankings),
        "nDCG@10": fmean([ndcg(ranked, _first_holders(each, ranked), 10) for each, ranked in graded] or [0.0]),
    }


def _ranked(noted: Noted, weights: RankWeights, steps: Mapping[str, Signal]) -> list[str]:
    """The chunks of all searches, best score first."""
    scores: dict[str, float] = {}
    for search in noted.searches:
        for each in rerank(search.found, search.asked, weights, steps):
            id_ = each.passage.chunk.chunk_id
            scores[id_] = max(scores.get(id_, 0.0), each.score)
    return sorted(scores, key=lambda id_: (-scores[id_], id_))


def _first_holders(noted: Noted, ranked: Sequence[str]) -> frozenset[str]:
    """Of each anchor, the best ranked chunk that holds it: the same words further down are worth nothing more."""
    holders: set[str] = set()
    seen: set[str] = set()
    for id_ in ranked:
        if fresh := noted.anchors.get(id_, frozenset()) - seen:
            holders.add(id_)
            seen |= fresh
    return frozenset(holders)


def tune(
    noted: Sequence[Noted],
    foreign: Callable[[RankWeights], float] | None,
    start: RankWeights,
    steps: Mapping[str, Signal] = SIGNALS,
) -> RankWeights:
    """Weights that do better than `start`: one signal after the other is made heavier, lighter or left out, and what
    gains stays. What loses more than MOST_LOST on `foreign` (its nDCG@10) is no gain."""
    least = foreign(FUSION_ALONE) - MOST_LOST if foreign else 0.0
    best, top = start, _objective(figures(noted, start, steps))
    for _ in range(_ROUNDS):
        before = top
        for name in SIGNALS:
            for step in _STEPS:
                weight = getattr(best, name)
                tried = replace(best, **{name: _FIRST * step if weight == 0 else weight * step})
                if sum(asdict(tried).values()) <= 0:
                    continue
                reached = _objective(figures(noted, tried, steps))
                if reached > top + _GAIN and (foreign is None or foreign(tried) >= least):
                    best, top = tried, reached
        if top <= before:
            break
    total = sum(asdict(best).values())
    return RankWeights(**{name: round(weight / total, 3) for name, weight in asdict(best).items()})


def _objective(measured: Mapping[str, float]) -> float:
    return measured["section@1"] + measured["section@5"] + measured["MRR"] + measured["nDCG@10"]


def tuned_on(noted: Sequence[Noted], foreign: Callable[[RankWeights], float] | None) -> Tuned:
    """The figures of fusion alone, the published weights, ours, ours without each signal, and of better ones."""
    steps = {name: _once(step) for name, step in SIGNALS.items()}

    def row(weights: RankWeights) -> dict[str, float]:
        return figures(noted, weights, steps) | ({"BEIR nDCG@10": foreign(weights)} if foreign else {})

    rows = {
        "fusion alone": row(FUSION_ALONE),
        "published": row(PUBLISHED),
        "published, older is worse": figures(noted, PUBLISHED, {**steps, "recency": by_age}),
        "ours": row(TUNED),
    }
    for name, weight in asdict(TUNED).items():
        if weight:
            rows[f"ours without {name}"] = row(replace(TUNED, **{name: 0.0}))
    best = tune(noted, foreign, TUNED, steps)
    return Tuned(rows | {"best found": row(best)}, best)


async def foreign_collection(folder: Path) -> Callable[[RankWeights], float]:
    """What weights reach on a collection in BEIR's layout (nDCG@10): its first passages by fusion, re-ranked."""
    lists = await found_by_fusion(folder)
    steps = {name: _once(step) for name, step in SIGNALS.items()}

    def reached(weights: RankWeights) -> float:
        rankings = ((each, (*weighed(each.first, each.asked, weights, steps), *each.rest)) for each in lists)
        return fmean(
            ndcg([found.passage.chunk.chunk_id for found in ranked], each.relevant, 10) for each, ranked in rankings
        )

    return reached


def _once(step: Signal) -> Signal:
    """`step`, which remembers what it said of a list of passages: they are the same for all weights."""
    said: dict[int, tuple[Sequence[Found], list[float]]] = {}

    def remembered(found: Sequence[Found], asked: Asked) -> list[float]:
        if id(found) not in said:
            said[id(found)] = (found, step(found, asked))  # kept alive, so that its id stays its own
        return said[id(found)][1]

    return remembered
