"""Calls of language models: behind a circuit breaker, and each of them counted, however it ends."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.model_usage import ANSWERED, CUT, STOPPED, ModelCall
from ops.monitoring.breakers import CallEnd, CircuitBreaker
from rag_core.deadlines import remaining
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import AnswerModel, ModelPiece, ModelRequest, TokenUsage, whole

SLOW = "model_slow"
UNEXPECTED = "unexpected_error"
_ASKERS_FAULT = frozenset({"model_too_long", "model_declined"})
"""The model works: this one request does not suit it."""

_FREE = frozenset({"model_failed", "model_busy", "model_refused", "model_declined", "model_too_long"})
"""Nobody read the prompt, as far as can be known."""


class ModelListener(Protocol):
    """Hears of every call that was made, once it is over. Quick; raises nothing."""

    def called(self, call: ModelCall) -> None: ...


@dataclass(frozen=True, slots=True)
class CallTools:
    """What a call is watched with. `now` is UTC; `new_id` makes ids that nobody else makes."""

    listener: ModelListener
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    clock: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class _Progress:
    """How far a call has come."""

    at: datetime
    begun: float
    granted: float
    written: str = ""
    pieces: int = 0
    usage: TokenUsage | None = None
    outcome: str = STOPPED
    end: CallEnd = CallEnd.ABANDONED
    code: str = ""


def _unpriced(read: int, written: int) -> TokenUsage:
    return TokenUsage(read, written, estimated=True)


class WatchedModel:
    """`rag_core.ports.AnswerModel`: `model` behind `breaker`, its calls told to a listener.

    `seconds`: how long the model has for one call. A caller who goes away after half of that without having seen a
    piece found it hanging: that is a failure; one who goes away earlier, or has had enough, says nothing about it.
    `estimate`: the usage for so many tokens read and written, where the model did not get to say.
    Raises Unavailable("circuit_open") while the circuit is open, and what the model raises.
    """

    def __init__(
        self,
        model: AnswerModel,
        breaker: CircuitBreaker,
        tools: CallTools,
        *,
        role: str,
        seconds: float,
        estimate: Callable[[int, int], TokenUsage] = _unpriced,
    ) -> None:
        self._model = model
        self._breaker = breaker
        self._tools = tools
        self._role = role
        self._seconds = seconds
        self._estimate = estimate

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def for_role(self, role: str) -> "WatchedModel":
        """The same model and the same breaker, counted for something else."""
        return WatchedModel(
            self._model, self._breaker, self._tools, role=role, seconds=self._seconds, estimate=self._estimate
        )

    async def generate(self, request: ModelRequest) -> ModelPiece:
        return await whole(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        call = self._breaker.admit()
        progress = _Progress(self._tools.now(), self._tools.clock(), remaining(self._seconds))
        try:
            async with aclosing(self._model.stream(request)) as pieces:
                async for piece in pieces:
                    _follow(progress, piece)
                    yield piece
            _ended(progress, CallEnd.ANSWERED)
        except PolicyBotError as exc:
            self._failed(progress, exc)
            raise
        except Exception:
            progress.outcome = UNEXPECTED
            raise
        except BaseException:  # the caller closes the stream, or is cancelled
            self._left(progress)
            raise
        finally:
            self._breaker.settle(call, progress.end, progress.code)
            self._tools.listener.called(self._told(progress, request))

    def _failed(self, progress: _Progress, exc: PolicyBotError) -> None:
        progress.outcome = progress.code = exc.code
        hurried = exc.code == SLOW and progress.granted < self._seconds / 2
        if not isinstance(exc, Unavailable) or exc.code in _ASKERS_FAULT or (exc.code == SLOW and progress.pieces):
            progress.end = CallEnd.ANSWERED
        elif not hurried:
            progress.end = CallEnd.FAILED

    def _left(self, progress: _Progress) -> None:
        if progress.pieces:
            progress.end = CallEnd.ANSWERED
        elif self._tools.clock() - progress.begun >= self._seconds / 2:
            progress.outcome = progress.code = SLOW
            progress.end = CallEnd.FAILED

    def _told(self, progress: _Progress, request: ModelRequest) -> ModelCall:
        usage = progress.usage or self._estimated(progress, request)
        return ModelCall(
            call_id=self._tools.new_id(),
            at=progress.at,
            model=self.name,
            role=self._role,
            outcome=progress.outcome,
            prompt_tokens=usage.prompt,
            completion_tokens=usage.completion,
            counted=not usage.estimated,
            seconds=round(max(0.0, self._tools.clock() - progress.begun), 3),
            cost=usage.cost,
        )

    def _estimated(self, progress: _Progress, request: ModelRequest) -> TokenUsage:
        """For calls that ended before the model said how many tokens it was."""
        if not progress.pieces and progress.outcome in _FREE:
            return TokenUsage()
        read = self.count_tokens(request.system) + self.count_tokens(request.user)
        return self._estimate(read, self.count_tokens(progress.written))


def _follow(progress: _Progress, piece: ModelPiece) -> None:
    progress.pieces += 1
    progress.written += piece.text
    progress.usage = piece.usage or progress.usage
    if piece.usage is not None:  # the last piece: whoever stops reading here has it all
        progress.outcome = CUT if piece.cut else ANSWERED


def _ended(progress: _Progress, end: CallEnd) -> None:
    progress.end = end
    if progress.outcome == STOPPED:
        progress.outcome = ANSWERED
