"""Asks a model for an answer's wording, and shows of it what holds. It may take claims away, never add one.

Whatever goes wrong on the way, the extractive answer is still there.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from rag_core.answering.compose import Composed, Target
from rag_core.answering.generative import prompt
from rag_core.answering.generative.assemble import RunningNumbers, assemble
from rag_core.answering.generative.budget import Budget, Context, budget_of, fit
from rag_core.answering.generative.check import CheckScope, DraftCheck
from rag_core.answering.generative.drafts import Checked, Judgement
from rag_core.answering.generative.extracting import QuoteExtractor
from rag_core.answering.generative.judging import Lowered, lowered, noted
from rag_core.answering.generative.pace import ReadingPace
from rag_core.answering.generative.parse import SentenceScanner
from rag_core.answering.generative.rewriting import FollowUpWriter
from rag_core.answering.generative.stream import VerifiedStream
from rag_core.answers import Answer, Statement
from rag_core.deadlines import remaining
from rag_core.documents import Passage
from rag_core.errors import Unavailable
from rag_core.ports import AnswerModel, ModelPiece, ModelRequest, TokenUsage
from rag_core.questions import Question

NOTHING_HELD = "nothing_held"
NO_ROOM = "no_room"
NO_TIME = "no_time"
TOO_SLOW = "model_slow"

_RESERVE_SECONDS = 1.0
"""Left of the asker's patience for what comes behind the model: record and rendering."""

_LEAST_SECONDS = 0.5

Shown = Callable[[Statement], None]
_Tell = Callable[[Sequence[Checked]], None]


@dataclass(frozen=True, slots=True)
class WriterSettings:
    """`seconds` for all that models do for one answer; `context_tokens` of documents at most; `judges`: whether a model
    may take a verdict away.

    `paced`: how fast the main model reads is measured, and it gets no more documents than it can read in time; for
    models in the process, whose pace is the processor's. `rewrite_seconds`: for completing a follow-up.
    """

    seconds: float = 15.0
    context_tokens: int = 4_000
    judges: bool = True
    paced: bool = False
    rewrite_seconds: float = 4.0


@dataclass(frozen=True, slots=True)
class Written:
    """The answer with a model's statements, or as it was; `notes` for the trace say what the model did. Without an
    answer the question is to be refused; `left_out` sentences of the model are then still to be told of."""

    composed: Composed
    left_out: int = 0
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Run:
    """What came of one answer so far."""

    stream: VerifiedStream
    context: Context
    budget: Budget
    usage: TokenUsage = field(default_factory=TokenUsage)
    prompt_tokens: int = 0
    failure: str | None = None
    judgement: Judgement | None = None
    missing: tuple[str, ...] = ()


class Writer:
    """One constrained call of `model`; or, with `extractor`, sentences of `model` for which the extractor, a faster
    one, finds the quotes while the next sentence is being written, and `judge`, by default the same, says whether the
    question is answered; of one model all of that is one call. Follow-ups are completed by `rewriter`, by default the
    faster one of them."""

    def __init__(
        self,
        model: AnswerModel,
        settings: WriterSettings | None = None,
        extractor: AnswerModel | None = None,
        *,
        judge: AnswerModel | None = None,
        rewriter: AnswerModel | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._model = model
        self._settings = settings or WriterSettings()
        self._extractor = QuoteExtractor(extractor, judge) if extractor is not None else None
        self._clock = clock
        self._pace = ReadingPace()
        self.follow_ups = FollowUpWriter(rewriter or extractor or model, self._settings.rewrite_seconds, clock)

    async def write(
        self,
        question: Question,
        targets: Sequence[Target],
        composed: Composed,
        passages: Sequence[Passage],
        shown: Shown | None = None,
    ) -> Written:
        """`composed` in the model's words as far as they hold. `passages`, best first, are all that may be cited.

        `shown` is called with each verified statement as soon as it stands: these are the first ones of the answer, and
        their citations have the numbers that they have in it.
        """
        answer = composed.answer
        if answer is None:
            return Written(composed)
        began = self._clock()
        run = await self._run(question, answer, _cited_first(composed, passages), _telling(shown))
        if run.stream.checked:
            composed = assemble(question, targets, composed, answer, run.stream.checked)
        judged = self._judged(question, composed.answer or answer, run)
        notes = self._notes(run, judged, (self._clock() - began) * 1000)
        return Written(_finished(composed, judged, run), len(run.stream.dropped), {"model": notes})

    async def _run(self, question: Question, answer: Answer, passages: Sequence[Passage], tell: _Tell) -> _Run:
        """What came of it; every failure of a model is noted there."""
        run = _Run(VerifiedStream(DraftCheck({})), Context({}, {}, 0), Budget(0, "setting"))
        seconds = remaining(self._settings.seconds + _RESERVE_SECONDS) - _RESERVE_SECONDS
        if seconds < _LEAST_SECONDS:
            run.failure = NO_TIME
            return run
        ends = self._clock() + seconds
        try:
            async with asyncio.timeout(seconds):
                await self._measured(run)
                await self._prepared(run, question, answer, passages, ends)
                if run.context.blocks:
                    await (self._one_call if self._extractor is None else self._two_models)(question, run, tell)
                else:
                    run.failure = NO_ROOM
        except Unavailable as exc:
            run.failure = exc.code
        except TimeoutError:
            run.failure = TOO_SLOW
        tell(run.stream.end())
        if run.failure is None and run.judgement is None:
            run.judgement, run.missing = run.stream.judgement, run.stream.missing
        return run

    async def _measured(self, run: _Run) -> None:
        """Once, before the first answer: how fast the model reads. What it read then it need not read again."""
        if not self._settings.paced or self._pace.tokens_per_second is not None:
            return
        request = prompt.reading_request()
        tokens = await asyncio.to_thread(self._model.count_tokens, request.system)
        async with aclosing(self._timed(request, tokens)) as pieces:
            async for piece in pieces:
                run.usage += piece.usage or TokenUsage()

    async def _prepared(
        self, run: _Run, question: Question, answer: Answer, passages: Sequence[Passage], ends: float
    ) -> None:
        """The documents that go to the model: as many as are set, as its window holds, and as it can read in time."""
        model = self._model
        framing = await asyncio.to_thread(model.count_tokens, prompt.framing(question))
        in_time = self._pace.room(ends - self._clock(), framing) if self._settings.paced else None
        run.budget = budget_of(
            self._settings.context_tokens, model.window - prompt.ANSWER_TOKENS - framing - 64, in_time
        )
        run.context = await asyncio.to_thread(fit, passages, run.budget.tokens, model.count_tokens)
        run.prompt_tokens = framing + run.context.tokens
        verdicts = tuple(each.verdict for each in answer.verdicts)
        scope = CheckScope(question.scope.regions, verdicts, question.terms)
        run.stream = VerifiedStream(DraftCheck(run.context.passages, scope))

    async def _timed(self, request: ModelRequest, tokens: int) -> AsyncGenerator[ModelPiece, None]:
        """The model's output; how long it took to read the request is remembered."""
        began = self._clock()
        is_reading = True
        try:
            async with aclosing(self._model.stream(request)) as pieces:
                async for piece in pieces:
                    if is_reading:
                        self._pace.read(tokens, self._clock() - began)
                        is_reading = False
                    yield piece
        except (Unavailable, TimeoutError, asyncio.CancelledError) as exc:
            is_slow = not isinstance(exc, Unavailable) or exc.code == TOO_SLOW
            if is_reading and is_slow:
                self._pace.gave_up(tokens, self._clock() - began)
            raise

    async def _one_call(self, question: Question, run: _Run, tell: _Tell) -> None:
        request = prompt.answer_request(question, run.context.blocks)
        async with aclosing(self._timed(request, run.prompt_tokens)) as pieces:
            async for piece in pieces:
                tell(run.stream.feed(piece.text))
                run.usage += piece.usage or TokenUsage()
                if run.stream.is_full:
                    return

    async def _two_models(self, question: Question, run: _Run, tell: _Tell) -> None:
        extractor = self._extractor
        if extractor is None:
            return
        request = prompt.sentences_request(question, run.context.blocks)
        async with extractor.at_work(question, run.context, judges=self._settings.judges) as quotes:
            try:
                scanner = SentenceScanner()
                async with aclosing(self._timed(request, run.prompt_tokens)) as pieces:
                    async for piece in pieces:
                        quotes.look_for(scanner.feed(piece.text))
                        run.usage += piece.usage or TokenUsage()
                        tell(run.stream.take(quotes.ready()))
                        if run.stream.is_full or quotes.is_full:
                            break
                quotes.look_for(scanner.rest())
                async for draft in quotes.all():
                    tell(run.stream.take([draft]))
            finally:
                tell(run.stream.take(quotes.left()))
                run.judgement, run.missing = quotes.judgement
                run.usage += quotes.usage

    def _judged(self, question: Question, answer: Answer, run: _Run) -> Lowered:
        if not self._settings.judges:
            return Lowered(answer)
        return lowered(question, answer, run.judgement, run.missing, shown=bool(run.stream.checked))

    def _notes(self, run: _Run, judged: Lowered, milliseconds: float) -> dict[str, Any]:
        stream = run.stream
        extractor = self._extractor
        pace = self._pace.tokens_per_second
        fallback = None if stream.checked else run.failure or NOTHING_HELD
        return {
            "name": self._model.name,
            "extractor": extractor.name if extractor else None,
            "prompt_version": prompt.PROMPT_VERSION,
            "documents": len(run.context.blocks),
            "context_tokens": run.context.tokens,
            "context_budget": {"tokens": run.budget.tokens, "bound_by": run.budget.bound_by},
            "tokens_read_per_second": round(pace, 1) if pace is not None else None,
            "usage": _usage(run.usage),
            "judged": run.judgement.value if run.judgement else None,
            "judged_missing": list(run.missing),
            "lowered": judged.step.value if judged.step else None,
            "statements": [
                {"text": each.statement.text, "type": each.quote_type.value, "confidence": each.confidence}
                for each in stream.checked
            ],
            "dropped": [{"text": each.text, "reason": each.reason.value} for each in stream.dropped],
            "failure": run.failure,
            "fallback": fallback,
            "milliseconds": round(milliseconds, 1),
        }


def _finished(composed: Composed, judged: Lowered, run: _Run) -> Composed:
    dropped = (*composed.dropped, *(f"{each.reason}: {each.text}" for each in run.stream.dropped))
    if judged.answer is None:
        return Composed(None, frozenset(), dropped)
    answer = noted(judged.answer, len(run.stream.dropped))
    if run.failure is not None and not run.stream.checked:
        answer = _without_model(answer)
    return Composed(answer, composed.cited, dropped)


def _usage(usage: TokenUsage) -> Mapping[str, float | int | None]:
    return {"prompt": usage.prompt, "completion": usage.completion, "cost": usage.cost}


def _cited_first(composed: Composed, passages: Sequence[Passage]) -> list[Passage]:
    """The passages that the answer rests on must be among those a model sees."""
    unique = {passage.chunk.chunk_id: passage for passage in passages}
    return sorted(unique.values(), key=lambda passage: passage.chunk.chunk_id not in composed.cited)


def _without_model(answer: Answer) -> Answer:
    return replace(answer, degraded=tuple(dict.fromkeys((*answer.degraded, "model"))))


def _telling(shown: Shown | None) -> _Tell:
    numbers = RunningNumbers()

    def tell(checked: Sequence[Checked]) -> None:
        for each in checked:
            statement = numbers.numbered(each)
            if shown is not None:
                shown(statement)

    return tell
