"""A text longer than the model reads, as windows that it does read."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from tokenizers import Encoding, Tokenizer


@dataclass(frozen=True, slots=True)
class WordPieces:
    """Counts and cuts texts in the model's own word pieces. `max_tokens` includes the special tokens."""

    tokenizer: Tokenizer
    max_tokens: int

    def count(self, text: str) -> int:
        """Word pieces of `text`, special tokens included."""
        return len(self._encode(text).ids)

    def windows(self, text: str) -> list[list[int]]:
        """Token ids in windows of nearly equal size, each complete with its special tokens.

        Equal sizes, so that a plain average of the windows gives every word the same weight.
        """
        encoding = self._encode(text)
        ids = list(encoding.ids)
        if len(ids) <= self.max_tokens:
            return [ids]
        first, last = _content(encoding)
        return [
            [*ids[:first], *ids[start:end], *ids[last:]]
            for start, end in _even_spans(first, last, self.max_tokens - (len(ids) - (last - first)))
        ]

    def _encode(self, text: str) -> Encoding:
        # A lone surrogate is no text: the tokenizer refuses it
        return self.tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))


def _content(encoding: Encoding) -> tuple[int, int]:
    """Where the text's own tokens begin and end between the special ones."""
    own = [position for position, special in enumerate(encoding.special_tokens_mask) if not special]
    return own[0], own[-1] + 1


def _even_spans(first: int, last: int, size: int) -> list[tuple[int, int]]:
    count = ceil((last - first) / size)
    edges = [first + round(part * (last - first) / count) for part in range(count + 1)]
    return list(pairwise(edges))
