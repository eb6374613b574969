"""A language model as a reader of rules: one bounded call for one question; whatever the model does, no error."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from rag_core.deadlines import remaining, within
from rag_core.errors import PolicyBotError
from rag_core.generation.parsing import ModelReading, Unreadable, parse_begun, parse_reading
from rag_core.generation.prompt import ReadingRequest, reading_request
from rag_core.ports import AnswerModel, ModelPiece, TokenUsage
from rag_core.rules.reader import AskedText, RuleText


class Failure(StrEnum):
    """Why a model gave no reading. `no_room`: its window has no room for the question and one rule; `no_time`: the
    asker's patience is spent; `cut`: it wrote more than it may; `unreadable`: what it wrote is malformed;
    `circuit_open`: it is spared after failures."""

    BUSY = "busy"
    SLOW = "slow"
    FAILED = "failed"
    REFUSED = "refused"
    DECLINED = "declined"
    TOO_LONG = "too_long"
    CIRCUIT_OPEN = "circuit_open"
    NO_ROOM = "no_room"
    NO_TIME = "no_time"
    CUT = "cut"
    UNREADABLE = "unreadable"


_FAILURES = {f"model_{each}": each for each in Failure} | {"circuit_open": Failure.CIRCUIT_OPEN}
"""By the codes of `rag_core.ports.AnswerModel`."""

_RESERVE_SECONDS = 2.0
"""Left of the asker's patience for what comes behind the model: checking what it said, composing, the record."""

_LEAST_SECONDS = 0.5

_NOTHING = ModelReading({})
_UNCOUNTED = TokenUsage()


Hear = Callable[[ModelReading], Awaitable[None]]
"""Is told of a reading as it grows: all but the sentences is whole, and these are the first ones."""


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """What came of a call. Either `reading` or `failure` is None. `unreadable`: what was malformed. `shown`: how many
    rules the model saw. `prompt_hash`: of all it was told, "" where it was not asked."""

    reading: ModelReading | None
    failure: Failure | None = None
    unreadable: Unreadable | None = None
    usage: TokenUsage = _UNCOUNTED
    shown: int = 0
    prompt_hash: str = ""


class LanguageModelReader:
    """Asks `model`, which its builder closes, and waits for `seconds` at most; where a deadline is nearer, less: an
    answer without the model still has its time."""

    def __init__(self, model: AnswerModel, seconds: float) -> None:
        self._model = model
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The model's."""
        return self._model.name

    async def read(
        self,
        asked: AskedText,
        rules: Sequence[RuleText],
        places: Sequence[str],
        day: date,
        hear: Hear | None = None,
    ) -> ModelOutcome:
        """The rules by their place in the sequence, from 1, as the model reads them; without rules it is not asked.

        A failing model is told by the outcome, never raised; what it wrote before holds from its first whole sentence
        on. Whoever is cancelled, or out of time, stops the model.
        """
        if not rules:
            return ModelOutcome(_NOTHING)
        seconds = min(self._seconds, remaining(math.inf) - _RESERVE_SECONDS)
        if seconds < min(_LEAST_SECONDS, self._seconds):
            return ModelOutcome(None, Failure.NO_TIME)
        made: ReadingRequest | None = None
        writing = _Writing(hear)
        try:
            async with within(seconds):
                made = await asyncio.to_thread(self._request, asked, rules, places, day)
                if not made.shown:
                    return ModelOutcome(None, Failure.NO_ROOM)
                await writing.take(self._model, made)
        except TimeoutError:
            return writing.broken_off(Failure.SLOW, made)
        except PolicyBotError as exc:
            return writing.broken_off(_FAILURES.get(exc.code, Failure.FAILED), made)
        return writing.outcome(made)

    def _request(self, asked: AskedText, rules: Sequence[RuleText], places: Sequence[str], day: date) -> ReadingRequest:
        """In a thread: counting tokens may load the model."""
        model = self._model
        return reading_request(asked, rules, places, day, window=model.window, count_tokens=model.count_tokens)


class _Writing:
    """What a model writes, read while it comes."""

    def __init__(self, hear: Hear | None) -> None:
        self._hear = hear
        self._text = ""
        self._last = ModelPiece("")
        self._begun: ModelReading | None = None

    async def take(self, model: AnswerModel, made: ReadingRequest) -> None:
        async with aclosing(model.stream(made.request)) as pieces:
            async for piece in pieces:
                self._last = piece
                self._text += piece.text
                if "}" in piece.text:
                    await self._grow(made)

    async def _grow(self, made: ReadingRequest) -> None:
        known = len(self._begun.sentences) if self._begun else 0
        begun = parse_begun(self._text, made.shown)
        if begun is None or len(begun.sentences) <= known:
            return
        self._begun = begun
        if self._hear is not None:
            await self._hear(begun)

    def outcome(self, made: ReadingRequest) -> ModelOutcome:
        read = parse_reading(self._text, made.shown)
        if isinstance(read, Unreadable):
            failure = Failure.CUT if self._last.cut else Failure.UNREADABLE
            return replace(self.broken_off(failure, made), unreadable=None if self._begun else read)
        return ModelOutcome(read, None, None, self._usage, len(made.shown), made.hash)

    def broken_off(self, failure: Failure, made: ReadingRequest | None) -> ModelOutcome:
        if made is None:
            return ModelOutcome(None, failure)
        failed = failure if self._begun is None else None
        return ModelOutcome(self._begun, failed, None, self._usage, len(made.shown), made.hash)

    @property
    def _usage(self) -> TokenUsage:
        return self._last.usage or _UNCOUNTED
