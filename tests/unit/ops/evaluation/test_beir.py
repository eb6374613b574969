"""Reading collections in BEIR's layout; the measures of a ranking held against the field's own implementation."""

import json
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from ops.evaluation.beir import read_collection
from ops.evaluation.measures import hit, ndcg, recall, reciprocal_rank
from rag_core.errors import Misconfigured, Rejected

IDS = [f"d{number}" for number in range(30)]
RANKED = st.permutations(IDS).flatmap(lambda ids: st.integers(1, 30).map(lambda count: list(ids[:count])))
RELEVANT = st.frozensets(st.sampled_from(IDS), min_size=1, max_size=15)


@given(RANKED, RELEVANT)
def test_measures_are_those_of_ir_measures(ranked: list[str], relevant: frozenset[str]) -> None:
    judged = [ir_measures.Qrel("q", each, 1) for each in relevant]
    run = [ir_measures.ScoredDoc("q", each, float(-rank)) for rank, each in enumerate(ranked)]
    theirs = ir_measures.calc_aggregate([nDCG @ 10, R @ 20, RR, Success @ 5], judged, run)
    assert ndcg(ranked, relevant, 10) == pytest.approx(theirs[nDCG @ 10])
    assert recall(ranked, relevant, 20) == pytest.approx(theirs[R @ 20])
    assert reciprocal_rank(ranked, relevant) == pytest.approx(theirs[RR])
    assert hit(ranked, relevant, 5) == theirs[Success @ 5]


def test_nothing_relevant_nothing_gained() -> None:
    assert ndcg(["a"], frozenset(), 10) == recall(["a"], frozenset(), 10) == 0.0


def lines(*rows: dict[str, str]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(params=[("queries.jsonl", "qrels/test.tsv"), ("queries.test.jsonl", "qrels.test.tsv")])
def collection(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """In BEIR's layout, and with the names that SciFact comes under."""
    queries, qrels = request.param
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(lines({"_id": "7", "title": "Title", "text": "An abstract."}))
    (tmp_path / queries).write_text(lines({"_id": "1", "text": "claim"}, {"_id": "2", "text": "other"}))
    (tmp_path / qrels).write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n2\t7\t0\n")
    return tmp_path


def test_queries_without_a_judgement_are_left_out(collection: Path) -> None:
    data = read_collection(collection)
    assert data.queries == {"1": "claim"}
    assert data.relevant == {"1": frozenset({"7"})}
    assert data.passages[0].chunk.search_text == "Title\nAn abstract."


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"dataset_unreadable.*qrels/test\.tsv"):
        read_collection(tmp_path)
    (tmp_path / "qrels.test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\tmuch\n")
    with pytest.raises(Rejected, match=r"dataset_malformed.*line=2"):
        read_collection(tmp_path)
    (tmp_path / "qrels.test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n")
    (tmp_path / "queries.jsonl").write_text('{"_id": "1"}\n')
    with pytest.raises(Rejected, match=r"dataset_malformed.*line=1.*text"):
        read_collection(tmp_path)
