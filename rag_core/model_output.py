"""A model's output as a whole."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from rag_core.ports import ModelPiece


async def whole(stream: AsyncGenerator[ModelPiece, None]) -> ModelPiece:
    """All pieces of `stream` as one, with the usage and the cut of the last; `stream` is closed however it ends."""
    text, last = "", ModelPiece("")
    async with aclosing(stream) as pieces:
        async for last in pieces:
            text += last.text
    return ModelPiece(text, last.usage, last.cut)
