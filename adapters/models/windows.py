"""A text longer than the model reads, as windows that it does read."""

from itertools import pairwise
from math import ceil

from tokenizers import Encoding, Tokenizer

from adapters.models.token_counts import as_unicode, token_counter


class WordPieces:
    """Counts and cuts texts in the model's own word pieces. `max_tokens` includes the special tokens."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        self._tokenizer = tokenizer
        self.max_tokens = max_tokens
        self._count = token_counter(tokenizer)

    def count(self, text: str) -> int:
        """Word pieces of `text`, special tokens included."""
        return self._count(text)

    def windows(self, text: str) -> list[list[int]]:
        """Token ids in windows of nearly equal size, each complete with its special tokens.

        Equal sizes, so that a plain average of the windows gives every word the same weight.
        """
        encoding = self._tokenizer.encode(as_unicode(text))
        ids = list(encoding.ids)
        if len(ids) <= self.max_tokens:
            return [ids]
        first, last = _content(encoding)
        return [
            [*ids[:first], *ids[start:end], *ids[last:]]
            for start, end in _even_spans(first, last, self.max_tokens - (len(ids) - (last - first)))
        ]


def _content(encoding: Encoding) -> tuple[int, int]:
    """Where the text's own tokens begin and end between the special ones."""
    own = [position for position, special in enumerate(encoding.special_tokens_mask) if not special]
    return own[0], own[-1] + 1


def _even_spans(first: int, last: int, size: int) -> list[tuple[int, int]]:
    count = ceil((last - first) / size)
    edges = [first + round(part * (last - first) / count) for part in range(count + 1)]
    return list(pairwise(edges))
