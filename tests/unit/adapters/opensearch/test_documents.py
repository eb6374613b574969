"""Copies of passages in an index: what was stored comes back, and what was changed is found out."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from adapters.opensearch.documents import copied, document
from adapters.opensearch.mapping import COPY
from ingest.ports import IndexEntry
from rag_core.documents import chunk_checksum
from tests.fakes.documents import make_write, passages_of

PASSAGE = passages_of(make_write(effective_to=None))[2]
STORED = replace(PASSAGE, checksum=chunk_checksum(PASSAGE.chunk))
VECTOR = np.ones(4, dtype=np.float32)


def test_a_copy_is_the_passage_with_the_checksum_of_the_store() -> None:
    kept = copied(document(IndexEntry(STORED, VECTOR)))
    assert kept == STORED
    assert (kept.checksum, kept.is_intact) == (STORED.checksum, True)


def test_a_copy_of_what_was_changed_in_the_store_is_found_out() -> None:
    changed = replace(STORED, chunk=replace(STORED.chunk, chunk_text="now allowed"))
    kept = copied(document(IndexEntry(changed, VECTOR)))
    assert kept is not None
    assert not kept.is_intact


@pytest.mark.parametrize("change", [{"chunk_text": "now allowed"}, {"regions": ["global"]}, {"lead_in": "Allowed:"}])
def test_a_copy_that_was_changed_in_the_index_is_found_out(change: dict[str, Any]) -> None:
    source = document(IndexEntry(STORED, VECTOR))
    source[COPY]["chunk"].update(change)
    kept = copied(source)
    assert kept is not None
    assert not kept.is_intact


def test_a_copy_without_a_checksum_is_of_another_version_of_this_code() -> None:
    source = document(IndexEntry(STORED, VECTOR))
    del source[COPY]["checksum"]
    with pytest.raises(ValueError, match="checksum"):
        copied(source)
