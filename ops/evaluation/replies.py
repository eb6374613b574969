"""Recorded replies in a language model's place: the same answers in every run, and without a model at hand."""

import asyncio
import json
import math
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue

from ops.evaluation.questions import numbered_rows
from rag_core.errors import Misconfigured, Unavailable
from rag_core.generation.prompt import request_hash
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage, whole

_WINDOW = 32_768
_BYTES_A_TOKEN = 3

_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class RecordedReply(BaseModel):
    """A line of a file of replies. `reply`: what the model writes, as text or as the JSON itself."""

    hash: _Hash
    reply: str | dict[str, JsonValue]

    @property
    def text(self) -> str:
        return self.reply if isinstance(self.reply, str) else json.dumps(self.reply, ensure_ascii=False)


class RecordedPrompt(BaseModel):
    """A line of a file of prompts: a request that has no reply yet."""

    hash: _Hash
    system: str
    user: str
    schema_: Mapping[str, JsonValue] | None = Field(alias="schema")


class RecordedModel:
    """`rag_core.ports.AnswerModel` that writes the reply recorded for a request, found by `request_hash`.

    A request without one is added to the file of prompts, if there is one, and once only; it raises
    Unavailable("model_declined"): another request may have a reply, so that no breaker opens over it.
    """

    name = "recorded"
    window = _WINDOW

    def __init__(self, replies: Mapping[str, str], prompts: Path | None = None, known: frozenset[str] = frozenset()):
        self._replies = replies
        self._prompts = prompts
        self._known = set(known)

    def count_tokens(self, text: str) -> int:
        """The same for every text in every run: else other rules would be shown, and no reply found."""
        return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_A_TOKEN)

    async def generate(self, request: ModelRequest) -> ModelPiece:
        return await whole(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        key = request_hash(request)
        reply = self._replies.get(key)
        if reply is None:
            await self._missed(key, request)
            raise Unavailable("model_declined", reason="no recorded reply")
        read = self.count_tokens(request.system) + self.count_tokens(request.user)
        yield ModelPiece(reply, TokenUsage(read, self.count_tokens(reply), estimated=True))

    async def _missed(self, key: str, request: ModelRequest) -> None:
        if self._prompts is None or key in self._known:
            return
        self._known.add(key)
        line = {"hash": key, "system": request.system, "user": request.user, "schema": request.schema}
        await asyncio.to_thread(_append, self._prompts, json.dumps(line, ensure_ascii=False))


def recorded_model(replies: Path | None, prompts: Path | None) -> RecordedModel | None:
    """The model that the files make; None where neither is named. Of two replies to one request the later holds.

    Raises Misconfigured("replies_unreadable", path) and Rejected("dataset_malformed", path, line, problem).
    """
    if replies is None and prompts is None:
        return None
    recorded = [RecordedReply.model_validate(row) for row in _rows(replies, RecordedReply)] if replies else []
    known = _rows(prompts, RecordedPrompt) if prompts is not None and prompts.exists() else []
    return RecordedModel(
        {each.hash: each.text for each in recorded}, prompts, frozenset(str(row["hash"]) for row in known)
    )


def _rows(path: Path, model: type[BaseModel]) -> list[dict[str, object]]:
    try:
        return [row for _, row in numbered_rows(path, model)]
    except Misconfigured as exc:
        raise Misconfigured("replies_unreadable", path=str(path)) from exc


def _append(path: Path, line: str) -> None:
    """Raises Misconfigured("prompts_unwritable", path)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as exc:
        raise Misconfigured("prompts_unwritable", path=str(path)) from exc
