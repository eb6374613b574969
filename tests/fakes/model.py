"""A language model that says what it was told to, in pieces; or fails, or takes its time."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from rag_core.errors import Unavailable
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage, whole

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


_RULE = re.compile(r"^\[(\d+)\][^\n]*\n(.*?)(?=^\[\d+\]|^</rules>)", re.MULTILINE | re.DOTALL)


def rules_of(prompt: str) -> dict[int, str]:
    """The rules of a prompt by their numbers."""
    return {int(number): " ".join(text.split()) for number, text in _RULE.findall(prompt)}


def number_of(prompt: str, part: str) -> int:
    """The number of the rule with `part` in it; 99, which no rule has, where there is none."""
    return next((number for number, text in rules_of(prompt).items() if part in text), 99)


def reading(
    deciding: Mapping[str, str] | None = None,
    *sentences: tuple[str, str],
    conditions: Sequence[str] = (),
    exceptions: Sequence[str] = (),
    not_stated: str | None = None,
) -> Callable[[ModelRequest], str]:
    """A script that answers with a whole reading. Rules are named by a part of their text: `deciding` with their
    effect, `sentences` each with its text and one rule."""

    def say(request: ModelRequest) -> str:
        return reading_of(request.user, deciding or {}, sentences, conditions, exceptions, not_stated)

    return say


def reading_of(
    prompt: str,
    deciding: Mapping[str, str],
    sentences: Sequence[tuple[str, str]] = (),
    conditions: Sequence[str] = (),
    exceptions: Sequence[str] = (),
    not_stated: str | None = None,
) -> str:
    """The same for a prompt."""
    return json.dumps(
        {
            "deciding": [{"rule": number_of(prompt, part), "effect": effect} for part, effect in deciding.items()],
            "conditions": [number_of(prompt, part) for part in conditions],
            "exceptions": [number_of(prompt, part) for part in exceptions],
            "not_stated": not_stated,
            "sentences": [{"text": text, "rules": [number_of(prompt, part)]} for text, part in sentences],
        }
    )
