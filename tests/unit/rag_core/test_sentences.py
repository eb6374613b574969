"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.layout import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Kites fly. Darts hit!", ["Kites fly.", "Darts hit!"]),
        ("  Kites fly.  ", ["Kites fly."]),
        ("Use toys, e.g. kites, at 10.30 p.m. only.", ["Use toys, e.g. kites, at 10.30 p.m. only."]),
        ("Section 4.2 holds. See No. 3.", ["Section 4.2 holds.", "See No. 3."]),
        ("kites", ["kites"]),
        ("", []),
        (" \t ", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(" .!?()\"'aBé1-\n,;:…", max_size=80))
def test_they_are_in_order_do_not_overlap_and_leave_only_white_space(text: str) -> None:
    spans = sentence_spans(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    assert all(not text[end:start].strip() and end <= start for end, start in zip(ends, starts, strict=True))
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)
