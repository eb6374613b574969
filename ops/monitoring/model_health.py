"""Whether the language models answer: learned from the calls that are made anyway, and from a small one where not."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.model_usage import ANSWERED, CUT, ModelCall
from ops.monitoring.model_calls import ModelListener
from rag_core.deadlines import within
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import AnswerModel, ModelPiece, ModelRequest

PROBE = "probe"
AGAIN_SECONDS = 60.0
NOT_SEEN = "not_seen"
_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
_REQUEST = ModelRequest(
    "You answer with one JSON object and nothing else.",
    'Are you ready? Answer {"ready": true} or {"ready": false}.',
    256,
    _SCHEMA,
)
"""256 tokens: models that think before they write need room for it. Others end after a handful."""

_WORKS = frozenset({ANSWERED, CUT})
_SAYS_NOTHING = frozenset({"stopped", "model_too_long", "model_declined"})


class ProbedModel(AnswerModel, Protocol):
    """A model that can be counted for something else."""

    def for_role(self, role: str) -> AnswerModel: ...


async def probe(model: ProbedModel, seconds: float) -> ModelPiece:
    """Ask for the least there is to ask, in the way that answers are asked for.

    Raises Unavailable as the model does; "model_slow" after `seconds`; "model_formless" where what comes back is not
    in the form that was asked for: then no sentence of such a model could be used.
    """
    try:
        async with within(seconds):
            piece = await model.for_role(PROBE).generate(_REQUEST)
    except TimeoutError as exc:
        raise Unavailable("model_slow", seconds=seconds) from exc
    if not _keeps_the_form(piece.text):
        raise Unavailable("model_formless", model=model.name)
    return piece


def _keeps_the_form(text: str) -> bool:
    try:
        said = json.loads(text)
    except ValueError:
        return False
    return isinstance(said, dict) and isinstance(said.get("ready"), bool)


class ModelHealth:
    """`ModelListener`: passes calls on, and remembers how the last one ended. `state` is "" while all is well."""

    def __init__(self, listener: ModelListener) -> None:
        self._listener = listener
        self.state = NOT_SEEN

    def called(self, call: ModelCall) -> None:
        if call.outcome in _WORKS:
            self.state = ""
        elif call.outcome not in _SAYS_NOTHING:
            self.state = call.outcome
        self._listener.called(call)

    async def reason(self) -> str:
        """`ops.monitoring.readiness.Probe`: costs nothing, since it is asked every few seconds."""
        return self.state

    async def keep_probing(
        self, model: ProbedModel, seconds: float, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        """Until cancelled: a probe at the start, and once a minute for as long as the model does not answer."""
        while True:
            if self.state:
                await self._probe(model, seconds)
            await sleep(AGAIN_SECONDS)

    async def _probe(self, model: ProbedModel, seconds: float) -> None:
        try:
            await probe(model, seconds)
        except PolicyBotError as exc:
            if exc.code != "circuit_open":  # what opened it is known already
                self.state = exc.code
