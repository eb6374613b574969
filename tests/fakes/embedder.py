"""An embedder that needs no model: texts that share words have vectors that point the same way."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from rag_core.ports import Vector

_WORD = re.compile(r"\w+")


class FakeEmbedder:
    """`rag_core.ports.Embedder` over a hashed bag of words. The same text gives the same vector everywhere."""

    def __init__(self, dimensions: int = 64, model: str = "fake-bag-of-words", max_tokens: int = 256) -> None:
        self._dimensions = dimensions
        self._model = model
        self._max_tokens = max_tokens
        self.embedded: list[str] = []

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def count_tokens(self, text: str) -> int:
        """Words, and two for the special tokens that real models add."""
        return len(_WORD.findall(text)) + 2

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Remembers in `embedded` what it was asked for."""
        self.embedded.extend(texts)
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector:
        """The vector of one text; a text without words points along the first axis."""
        vector = np.zeros(self._dimensions, dtype=np.float32)
        for word in _WORD.findall(text.lower()):
            number = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
            vector[(number >> 1) % self._dimensions] += 1.0 if number & 1 else -1.0
        length = float(np.linalg.norm(vector))
        if length == 0:
            vector[0] = length = 1.0
        return (vector / length).astype(np.float32)
