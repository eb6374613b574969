"""More specific sections before general ones, where their scores say about the same."""

from dataclasses import replace

from rag_core.retrieval.found import CLOSE, Found, specific_first
from tests.fakes.rules import passage


def found(name: str, score: float, *regions: str, level: int = 2) -> Found:
    each = passage(f"Rule {name}.", name, regions or ("global",))
    return Found(replace(each, chunk=replace(each.chunk, policy_section_level=level)), score)


def order(*results: Found) -> list[str]:
    return [each.passage.chunk.policy_section for each in specific_first(results)]


def test_close_scores_give_way_to_the_special_place_and_the_deeper_section() -> None:
    assert order(found("general", 0.90), found("eu", 0.89, "eu"), found("uk", 0.88, "uk")) == ["uk", "eu", "general"]
    assert order(found("wide", 0.90), found("deep", 0.88, level=4)) == ["deep", "wide"]


def test_a_clear_lead_stays() -> None:
    assert order(found("general", 0.90), found("uk", 0.90 - CLOSE - 0.01, "uk")) == ["general", "uk"]


def test_a_run_is_measured_from_its_first() -> None:
    results = [found("a", 0.90), found("b", 0.86), found("uk", 0.82, "uk"), found("us", 0.80, "us")]
    assert order(*results) == ["a", "b", "uk", "us"]


def test_alike_stays_in_the_order_of_scores_and_nothing_gives_nothing() -> None:
    assert order(found("a", 0.90), found("b", 0.88)) == ["a", "b"]
    assert specific_first([]) == []
