"""Asks every question of the corpus it belongs to."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import aiohttp

from ops.config import Config
from ops.evaluation.bots import Bot, InProcessBot, MockBot, Query, RestBot, query_of
from ops.evaluation.corpora import corpus_named, ingested
from ops.evaluation.judge_model import JudgeModel
from ops.evaluation.judging import Judged
from ops.evaluation.matching import Pool
from ops.evaluation.questions import GoldQuestion, Injection
from ops.evaluation.results import Tried
from ops.wiring import open_answering
from rag_core.ports import AnswerModel

EMBEDDED, SERVICES, MOCK = "embedded", "services", "mock"
_NOBODY_JUDGED = Pool()
_WARM_UP = 3
_REST_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Measured:
    """`bot`: embedded, services, mock or the address of a server. `data`: the folder of public data sets. `model`: the
    language model of a bot made here, instead of the one that the settings name."""

    bot: str
    today: date
    top_k: int
    data: Path
    cache: Path
    retrieval_only: bool = False
    skip_correctness: bool = False
    model: AnswerModel | None = None

    @property
    def checks(self) -> bool:
        """Whether what answers say is held against what they cite."""
        return not self.retrieval_only and not self.skip_correctness


@dataclass(frozen=True, slots=True)
class Selected:
    """What is asked. `documents`: those of them that are injections in documents are ingested, all of them. `pool`:
    what people found of sections beside the gold."""

    questions: Sequence[GoldQuestion]
    injections: Sequence[Injection] = ()
    documents: Sequence[Injection] = ()
    pool: Pool = _NOBODY_JUDGED


Progress = Callable[[int, int], None]


async def ask_all(
    measured: Measured, config: Config, selected: Selected, progress: Progress, judge: JudgeModel | None = None
) -> tuple[list[Judged], list[Tried]]:
    """Every question, one after the other, corpus by corpus; the first few twice, so that caches are warm.

    Raises Unavailable when the bot does not answer, and what `corpora` raises.
    """
    judged: list[Judged] = []
    tried: list[Tried] = []
    total = len(selected.questions) + len(selected.injections)
    for corpus in _corpora(selected):
        mine = [each for each in selected.questions if each.corpus == corpus]
        theirs = [each for each in selected.injections if each.asked_of == corpus]
        async with _opened(measured, config, corpus, selected) as bot:
            for each in mine[:_WARM_UP]:
                await bot.ask(query_of(each))
            for each in mine:
                observed = await bot.ask(query_of(each))
                supported = await bot.supports(observed) if measured.checks else None
                grades = await judge.grade(each, observed) if judge is not None else None
                judged.append(Judged(each, observed, measured.today, selected.pool, supported, grades))
                progress(len(judged) + len(tried), total)
            for one in theirs:
                tried.append(Tried(one, await bot.ask(_query(one))))
                progress(len(judged) + len(tried), total)
    return judged, tried


@asynccontextmanager
async def _opened(measured: Measured, config: Config, corpus: str, selected: Selected) -> AsyncIterator[Bot]:
    if measured.bot == MOCK:
        yield MockBot(selected.questions)
        return
    async with AsyncExitStack() as stack:
        if measured.bot not in (EMBEDDED, SERVICES):
            timeout = aiohttp.ClientTimeout(total=_REST_SECONDS)
            session = await stack.enter_async_context(aiohttp.ClientSession(timeout=timeout))
            yield RestBot(session, measured.bot, measured.top_k, retrieval_only=measured.retrieval_only)
            return
        if measured.bot == EMBEDDED:
            documents = corpus_named(corpus, config, measured.data, selected.documents)
            config = await ingested(documents, config, measured.cache)
        answering = await stack.enter_async_context(open_answering(config, model=measured.model))
        yield InProcessBot(answering, measured.today, measured.top_k)


def _corpora(selected: Selected) -> list[str]:
    asked_of = [each.asked_of for each in selected.injections]
    return list(dict.fromkeys([*(each.corpus for each in selected.questions), *asked_of]))


def _query(injection: Injection) -> Query:
    groups = frozenset({injection.id}) if injection.where == "document" else frozenset[str]()
    return Query(injection.asked, groups=groups)
