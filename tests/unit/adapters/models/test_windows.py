"""Cutting a text into windows that the model reads."""

import pytest
from tokenizers import Tokenizer

from adapters.models.model_files import packaged_files
from adapters.models.onnx import WordPieces


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(packaged_files().tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def test_a_text_that_fits_is_one_window(tokenizer: Tokenizer) -> None:
    pieces = WordPieces(tokenizer, 256)
    windows = pieces.windows("alcohol ads")
    assert len(windows) == 1
    assert len(windows[0]) == pieces.count("alcohol ads") == 4


def test_exactly_the_limit_is_one_window_and_one_more_is_two(tokenizer: Tokenizer) -> None:
    pieces = WordPieces(tokenizer, 10)
    assert [len(window) for window in pieces.windows("ad " * 8)] == [10]
    assert [len(window) for window in pieces.windows("ad " * 9)] == [6, 7]


def test_windows_hold_every_word_piece_once_between_special_tokens(tokenizer: Tokenizer) -> None:
    pieces = WordPieces(tokenizer, 16)
    text = " ".join(f"word{number}" for number in range(200))
    whole = tokenizer.encode(text).ids
    windows = pieces.windows(text)
    assert [token for window in windows for token in window[1:-1]] == whole[1:-1]
    assert all(window[0] == whole[0] and window[-1] == whole[-1] for window in windows)
    assert max(map(len, windows)) <= 16
    assert max(map(len, windows)) - min(map(len, windows)) <= 1


@pytest.mark.parametrize("text", ["", " \n", "\x00\x1b", "\ud800 alone", "酒精 广告", "🍺" * 300, "a" * 5000])
def test_any_text_can_be_counted_and_cut(tokenizer: Tokenizer, text: str) -> None:
    pieces = WordPieces(tokenizer, 32)
    assert pieces.count(text) >= 2
    assert all(len(window) <= 32 for window in pieces.windows(text))
