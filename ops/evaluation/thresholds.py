"""Which signals tell a question that can be answered from one that cannot, and how far a threshold on them goes.

`python -m ops evaluate --thresholds FOLDER`: on SQuAD 2.0's questions and on the golden ones (near-misses against
answerable), each signal alone, all together held out, and what was learnt on the one used on the other.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress as Bar

from ops.config import Config
from ops.evaluation.answerability import SIGNALS, Case, Rarity
from ops.evaluation.asking_all import Measured
from ops.evaluation.questions import GoldQuestion
from ops.evaluation.squad import Labelled, squad_cases
from ops.evaluation.telling import Flags, Logistic, Numbers, auc, found_at, held_out
from ops.evaluation.tuning import Search, searches_of
from ops.wording_evaluation import asking, thresholds_text
from rag_core.questions import Question, Scope
from rag_core.retrieval.reranking import rerank

COST = 0.05
"""Share of answerable questions that may be refused."""

CURVE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
_FOLDS = 5
_TOP = 15


@dataclass(frozen=True, slots=True)
class Table:
    """The signals of questions: a row a question, a column a signal, in the order of SIGNALS."""

    columns: Numbers
    good: Flags
    folds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """`signals`: of each, and of all together, AUC and recall at COST. `curve`: cost -> recall of all together.
    `judge`: the share of answerable and of other questions that the judge leaves without a verdict as it is."""

    questions: int
    unanswerable: int
    signals: Mapping[str, tuple[float, float]]
    curve: Mapping[float, float]
    judge: tuple[float, float]
    weights: Mapping[str, float]


async def print_thresholds(measured: Measured, config: Config, questions: Sequence[GoldQuestion], squad: Path) -> int:
    """Print the figures; always 0. Raises as ingesting and reading the folder do."""
    wanted = [each for each in questions if each.expected.kind in ("answer", "gap")]
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(asking(), total=None)
        searched = await searches_of(
            measured, config, wanted, lambda done, total: bar.update(task, completed=done, total=total)
        )
    ours = await asyncio.to_thread(_table, golden_cases(searched, measured))
    theirs = await asyncio.to_thread(_table, await squad_cases(squad))
    tables = {"golden questions": ours, squad.name: theirs}
    told = {name: await asyncio.to_thread(tell, table) for name, table in tables.items()}
    crossed = {
        f"learnt on {one}, used on {other}": _crossed(tables[one], tables[other])
        for one in tables
        for other in tables
        if one != other
    }
    print(thresholds_text(told, crossed, COST))
    return 0


def golden_cases(searched: Sequence[tuple[GoldQuestion, Sequence[Search]]], measured: Measured) -> list[Labelled]:
    """The first search of each question: what was asked of the best platform and place."""
    rarity = Rarity(
        {
            each.passage.chunk.chunk_id: each.passage
            for _, searches in searched
            for search in searches
            for each in search.found
        }.values()
    )
    cases = []
    for number, (gold, searches) in enumerate(searched):
        asked = searches[0].asked
        scope = Scope(gold.as_of or measured.today, regions=(asked.place,) if asked.place else ())
        question = Question(asked.text, scope, asked.intent, asked.terms, True)
        case = Case(question, asked.place, rerank(searches[0].found, asked)[:_TOP], rarity)
        cases.append(Labelled(case, gold.expected.kind == "answer", number))
    return cases


def _table(cases: Sequence[Labelled]) -> Table:
    kept = [each for each in cases if each.case.found and each.case.question.terms]
    return Table(
        np.array([[signal(each.case) for signal in SIGNALS.values()] for each in kept], dtype=np.float64),
        np.array([each.answerable for each in kept]),
        tuple(each.group % _FOLDS for each in kept),
    )


def tell(table: Table) -> Told:
    """The figures of one set of questions."""
    good = table.good
    together = held_out(table.columns, good, table.folds)
    signals = {name: table.columns[:, number] for number, name in enumerate(SIGNALS)}
    complete = signals["complete (judge)"] > 0
    weights = Logistic(table.columns, good).weights[1:]
    return Told(
        questions=len(good),
        unanswerable=int((~good).sum()),
        signals={
            name: (auc(values, good), found_at(values, good, COST))
            for name, values in {**signals, "all together, held out": together}.items()
        },
        curve={cost: found_at(together, good, cost) for cost in CURVE},
        judge=(_share(~complete[good]), _share(~complete[~good])),
        weights=dict(zip(SIGNALS, map(float, weights), strict=True)),
    )


def _crossed(learnt: Table, used: Table) -> tuple[float, float]:
    values = Logistic(learnt.columns, learnt.good).values(used.columns)
    return auc(values, used.good), found_at(values, used.good, COST)


def _share(flags: Flags) -> float:
    return float(flags.mean()) if len(flags) else 0.0
