"""A language model that says what it was told to, in pieces; or fails, or takes its time."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence

from rag_core.errors import Unavailable
from rag_core.model_output import whole
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage

Script = str | Callable[[ModelRequest], str]

FAILS = "<<fails>>"
"""In a script: here the model fails."""

WAITS = "<<waits>>"
"""In a script: here it waits for ever."""


class FakeModel:
    """`rag_core.ports.AnswerModel`. Each request takes the next of `scripts`; the last one is used again.

    A token is a word. `pieces`: characters of a piece.
    """

    def __init__(self, *scripts: Script, name: str = "fake-model", window: int = 8_192, pieces: int = 7) -> None:
        self._scripts = list(scripts)
        self._name = name
        self._window = window
        self._pieces = pieces
        self.requests: list[ModelRequest] = []
        self.stopped = 0
        self.begun, self.ended = asyncio.Event(), asyncio.Event()

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int:
        return self._window

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def generate(self, request: ModelRequest) -> ModelPiece:
        return await whole(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        self.requests.append(request)
        self.begun.set()
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        text = script(request) if callable(script) else script
        try:
            said, fails, _ = text.partition(FAILS)
            said, waits, _ = said.partition(WAITS)
            for start in range(0, len(said), self._pieces):
                await asyncio.sleep(0)
                yield ModelPiece(said[start : start + self._pieces])
            if waits:
                await asyncio.Event().wait()
            if fails:
                raise Unavailable("model_failed", reason="scripted")
            yield ModelPiece("", TokenUsage(self.count_tokens(request.user), self.count_tokens(said), 0.5))
        finally:
            self.stopped += 1
            self.ended.set()


def statement(text: str, *quotes: tuple[str, str]) -> dict[str, object]:
    """One statement as the schema has it; `quotes` are labels with quotes."""
    return {"text": text, "citations": [{"doc": doc, "quote": quote} for doc, quote in quotes]}


def answering(*statements: dict[str, object], answers: str = "yes", missing: Sequence[str] = ()) -> str:
    """A whole output."""
    return json.dumps({"answers": answers, "missing": list(missing), "statements": list(statements)})
