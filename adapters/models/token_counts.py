"""How many tokens a text has, without making them anew for every text: chunking counts the same words all the time."""

from collections.abc import Callable
from functools import lru_cache

from tokenizers import Tokenizer
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

_REMEMBERED = 50_000
_LONGEST_REMEMBERED = 64
"""Words and characters: some megabytes at most, whatever a document holds."""


def token_counter(tokenizer: Tokenizer) -> Callable[[str], int]:
    """Counts the tokens of a text, those that frame it included. `tokenizer` must neither cut nor pad.

    Tokenizers of the BERT family take words at spaces apart before anything else, so that a text has the tokens of
    its words: each word is counted once, and remembered. Others count every text as a whole.
    """

    def whole(text: str) -> int:
        return len(tokenizer.encode(as_unicode(text)).ids)

    if not _is_made_of_words(tokenizer):
        return whole
    framing = whole("")

    @lru_cache(_REMEMBERED)
    def remembered(word: str) -> int:
        return whole(word) - framing

    def of_words(text: str) -> int:
        words = text.replace("\n", " ").split(" ")
        if max(map(len, words)) <= _LONGEST_REMEMBERED:
            return framing + sum(map(remembered, words))
        return framing + sum(
            remembered(word) if len(word) <= _LONGEST_REMEMBERED else whole(word) - framing for word in words
        )

    return of_words


def as_unicode(text: str) -> str:
    """`text` without lone surrogates, which are no text: tokenizers refuse them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_made_of_words(tokenizer: Tokenizer) -> bool:
    is_bert = isinstance(tokenizer.normalizer, BertNormalizer) and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
    return is_bert and not any(
        any(letter.isspace() for letter in token.content) for token in tokenizer.get_added_tokens_decoder().values()
    )
