"""Counting word by word gives what the tokenizer gives for the whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer
from tokenizers.pre_tokenizers import Metaspace

from adapters.models import token_counts
from adapters.models.model_files import packaged_files
from adapters.models.token_counts import as_unicode, token_counter

_PIECES = st.one_of(
    st.sampled_from(
        ["ads", "Werbung", "don't", "18+", "[SEP]", "[UNK]x", "##ing", "naïve", "e\u0301", "\u0301", "ΟΔΟΣ", "酒精",
         "x" * 70, "y" * 300, "🍺", "\x85", "\x1c", "\u00a0", "\u3000", "\u200b", "\ud800", "\t", "\r", "", "|", "---"]
    ),
    st.text(max_size=12),
)  # fmt: skip
_TEXTS = st.lists(st.tuples(_PIECES, st.sampled_from([" ", "\n", "  ", "\n\n", ""])), max_size=12).map(
    lambda pairs: "".join(piece + gap for piece, gap in pairs)
)
_TOKENIZER = Tokenizer.from_file(str(packaged_files().tokenizer))
_TOKENIZER.no_truncation()
_TOKENIZER.no_padding()
_COUNT = token_counter(_TOKENIZER)


@settings(max_examples=500, deadline=None)
@given(_TEXTS)
def test_the_words_of_a_text_have_its_tokens(text: str) -> None:
    assert _COUNT(text) == len(_TOKENIZER.encode(as_unicode(text)).ids)


def test_a_word_is_counted_once_and_a_very_long_one_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(text: str) -> str:
        asked.append(text)
        return text

    monkeypatch.setattr(token_counts, "as_unicode", noted)
    count, long = token_counter(_TOKENIZER), "z" * 65
    assert count(f"no ads\nno {long}") == count(f"no no ads {long}")
    assert sorted(asked) == ["", "ads", "no", long, long]


@pytest.mark.parametrize("spoilt", ["spaces in a token", "other words"])
def test_a_tokenizer_whose_words_are_other_ones_counts_the_whole(spoilt: str) -> None:
    tokenizer = Tokenizer.from_str(_TOKENIZER.to_str())
    if spoilt == "other words":
        tokenizer.pre_tokenizer = Metaspace()
    else:
        tokenizer.add_tokens([AddedToken("ads for beer", normalized=False)])
    count = token_counter(tokenizer)
    for text in ("no ads for beer here", "unbelievable  ads"):
        assert count(text) == len(tokenizer.encode(text).ids)
    assert token_counter(_TOKENIZER)("no ads for beer here") == 7
