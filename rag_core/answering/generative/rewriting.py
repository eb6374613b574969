"""A model completes a follow-up: "and in France?" -> the question it stands for. What it makes up is not taken."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rag_core.answering.generative import prompt
from rag_core.deadlines import remaining
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import AnswerModel, ModelPiece, TokenUsage
from rag_core.questions import AskRequest, DeclaredLabel
from rag_core.understanding.completing import distrust, last_messages

BROKEN = "broken_output"
TOO_SLOW = "model_slow"

_SHARE = 0.25
"""Of what is left of the asker's patience: the answer is still to come."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """`text` None: the rules complete the question. `notes` for the trace say what the model wrote, and why not."""

    text: str | None
    notes: dict[str, Any]


class FollowUpWriter:
    """Asks `model` what a follow-up means, for `seconds` at most. Whatever goes wrong, there are still the rules."""

    def __init__(self, model: AnswerModel, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._model = model
        self._seconds = seconds
        self._clock = clock

    async def complete(
        self, request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]
    ) -> Rewriting:
        """The follow-up of `request` as a question of its own, from the last messages."""
        began = self._clock()
        written, failure, usage = "", None, TokenUsage()
        try:
            async with asyncio.timeout(min(self._seconds, _SHARE * remaining(self._seconds / _SHARE))):
                piece = await self._model.generate(prompt.rewrite_request(request.text, last_messages(request)))
            usage = piece.usage or usage
            written = _question_in(piece)
        except Unavailable as exc:
            failure = exc.code
        except TimeoutError:
            failure = TOO_SLOW
        reason = failure or (distrust(written, request, sources, labels) if written else BROKEN)
        notes = {
            "by": "rules" if reason else "model",
            "name": self._model.name,
            "prompt_version": prompt.PROMPT_VERSION,
            "text": written,
            "reason": str(reason) if reason else None,
            "usage": {"prompt": usage.prompt, "completion": usage.completion, "cost": usage.cost},
            "milliseconds": round((self._clock() - began) * 1000, 1),
        }
        return Rewriting(None if reason else written, notes)


def _question_in(piece: ModelPiece) -> str:
    """The question of the output; "" if it is none, or was cut."""
    start = piece.text.find("{")
    try:
        found = json.JSONDecoder().raw_decode(piece.text[start:])[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return ""
    text = found.get("question") if isinstance(found, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""
