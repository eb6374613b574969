"""Asks a model for an answer's wording, and shows of it what holds. It may take claims away, never add one.

Whatever goes wrong on the way, the extractive answer is still there.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from rag_core.answering.compose import Composed, Target
from rag_core.answering.generative import prompt
from rag_core.answering.generative.assemble import RunningNumbers, assemble
from rag_core.answering.generative.budget import Context, fit
from rag_core.answering.generative.check import CheckScope, DraftCheck
from rag_core.answering.generative.drafts import Checked, Judgement
from rag_core.answering.generative.extracting import QuoteExtractor
from rag_core.answering.generative.judging import Lowered, lowered, noted
from rag_core.answering.generative.parse import SentenceScanner
from rag_core.answering.generative.stream import VerifiedStream
from rag_core.answers import Answer, Statement
from rag_core.deadlines import remaining
from rag_core.documents import Passage
from rag_core.errors import Unavailable
from rag_core.ports import AnswerModel, TokenUsage
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
    may take a verdict away."""

    seconds: float = 15.0
    context_tokens: int = 4_000
    judges: bool = True


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
    usage: TokenUsage = field(default_factory=TokenUsage)
    failure: str | None = None
    judgement: Judgement | None = None
    missing: tuple[str, ...] = ()


class Writer:
    """One constrained call of `model`; or, with `extractor`, sentences of `model` for which the extractor, a faster
    one, finds the quotes while the next sentence is being written."""

    def __init__(
        self, model: AnswerModel, settings: WriterSettings | None = None, extractor: AnswerModel | None = None
    ) -> None:
        self._model = model
        self._settings = settings or WriterSettings()
        self._extractor = QuoteExtractor(extractor) if extractor is not None else None

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
        began = time.perf_counter()
        context = await asyncio.to_thread(self._context, question, _cited_first(composed, passages))
        verdicts = tuple(each.verdict for each in answer.verdicts)
        check = DraftCheck(context.passages, CheckScope(question.scope.regions, verdicts, question.terms))
        run = _Run(VerifiedStream(check))
        await self._run(question, context, run, _telling(shown))
        if run.stream.checked:
            composed = assemble(question, targets, composed, answer, run.stream.checked)
        judged = self._judged(question, composed.answer or answer, run)
        notes = self._notes(run, context, judged, (time.perf_counter() - began) * 1000)
        return Written(_finished(composed, judged, run), len(run.stream.dropped), {"model": notes})

    def _context(self, question: Question, passages: Sequence[Passage]) -> Context:
        model = self._model
        room = model.window - prompt.ANSWER_TOKENS - model.count_tokens(prompt.framing(question)) - 64
        return fit(passages, min(self._settings.context_tokens, room), model.count_tokens)

    async def _run(self, question: Question, context: Context, run: _Run, tell: _Tell) -> None:
        """Fills `run`; every failure of a model is noted there."""
        if not context.blocks:
            run.failure = NO_ROOM
            return
        seconds = remaining(self._settings.seconds + _RESERVE_SECONDS) - _RESERVE_SECONDS
        if seconds < _LEAST_SECONDS:
            run.failure = NO_TIME
            return
        try:
            async with asyncio.timeout(seconds):
                await (self._one_call if self._extractor is None else self._two_models)(question, context, run, tell)
        except Unavailable as exc:
            run.failure = exc.code
        except TimeoutError:
            run.failure = TOO_SLOW
        tell(run.stream.end())
        if run.failure is None and run.judgement is None:
            run.judgement, run.missing = run.stream.judgement, run.stream.missing

    async def _one_call(self, question: Question, context: Context, run: _Run, tell: _Tell) -> None:
        async with aclosing(self._model.stream(prompt.answer_request(question, context.blocks))) as pieces:
            async for piece in pieces:
                tell(run.stream.feed(piece.text))
                run.usage += piece.usage or TokenUsage()
                if run.stream.is_full:
                    return

    async def _two_models(self, question: Question, context: Context, run: _Run, tell: _Tell) -> None:
        extractor = self._extractor
        if extractor is None:
            return
        async with extractor.at_work(question, context, judges=self._settings.judges) as quotes:
            try:
                scanner = SentenceScanner()
                async with aclosing(self._model.stream(prompt.sentences_request(question, context.blocks))) as pieces:
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

    def _notes(self, run: _Run, context: Context, judged: Lowered, milliseconds: float) -> dict[str, Any]:
        stream = run.stream
        extractor = self._extractor
        fallback = None if stream.checked else run.failure or NOTHING_HELD
        return {
            "name": self._model.name,
            "extractor": extractor.name if extractor else None,
            "prompt_version": prompt.PROMPT_VERSION,
            "documents": len(context.blocks),
            "context_tokens": context.tokens,
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
