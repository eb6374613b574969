"""The measures of the SciFact benchmark, held against the field's own implementation."""

import json
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import R, nDCG

from ops.bench.scifact import ndcg, read_scifact, recall

IDS = [f"d{number}" for number in range(30)]
RANKED = st.permutations(IDS).flatmap(lambda ids: st.integers(1, 30).map(lambda count: list(ids[:count])))
RELEVANT = st.frozensets(st.sampled_from(IDS), min_size=1, max_size=15)


@given(RANKED, RELEVANT)
def test_measures_are_those_of_ir_measures(ranked: list[str], relevant: frozenset[str]) -> None:
    judged = [ir_measures.Qrel("q", each, 1) for each in relevant]
    run = [ir_measures.ScoredDoc("q", each, float(-rank)) for rank, each in enumerate(ranked)]
    theirs = ir_measures.calc_aggregate([nDCG @ 10, R @ 20], judged, run)
    assert ndcg(ranked, relevant, 10) == pytest.approx(theirs[nDCG @ 10])
    assert recall(ranked, relevant, 20) == pytest.approx(theirs[R @ 20])


def test_nothing_relevant_nothing_gained() -> None:
    assert ndcg(["a"], frozenset(), 10) == recall(["a"], frozenset(), 10) == 0.0


def test_claims_without_a_judgement_are_left_out(tmp_path: Path) -> None:
    def lines(*rows: dict[str, str]) -> str:
        return "".join(json.dumps(row) + "\n" for row in rows)

    (tmp_path / "corpus.jsonl").write_text(lines({"_id": "7", "title": "Title", "text": "An abstract."}))
    (tmp_path / "queries.test.jsonl").write_text(lines({"_id": "1", "text": "claim"}, {"_id": "2", "text": "other"}))
    (tmp_path / "qrels.test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n2\t7\t0\n")
    data = read_scifact(tmp_path)
    assert data.claims == {"1": "claim"}
    assert data.relevant == {"1": frozenset({"7"})}
    assert data.passages[0].chunk.search_text == "Title\nAn abstract."
