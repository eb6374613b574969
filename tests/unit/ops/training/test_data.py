"""The data that the reader learns from: complete, well formed, and apart by publisher."""

from collections import Counter

import pytest

from ops.training.documents import SHARED, document, fold_of, publisher, rule_key
from ops.training.examples import (
    Judgements,
    contrast_examples,
    load,
    pair_examples,
    place_of,
    rule_examples,
    topic_examples,
)
from rag_core.rules.reader import AskedText, Relation, Topic


@pytest.fixture(scope="module")
def data() -> Judgements:
    return load()


def test_the_documents_of_the_repository_are_read_into_rules(data: Judgements) -> None:
    own = [name for name in data.documents if not name.startswith("shared:")]
    assert len(own) == 48
    assert all(len(data.documents[name].rules) > 20 for name in own)


def test_every_judged_rule_of_an_own_document_is_found_again(data: Judgements) -> None:
    lost = Counter[bool]()
    for each in data.questions:
        if not each.document.startswith("shared:"):
            keys = {rule.key for rule in data.documents[each.document].rules}
            lost.update(key not in keys for key in each.judged)
    assert lost[True] < 0.03 * lost[False]


def test_a_verdict_rests_on_a_rule_that_decides_and_a_near_miss_on_none(data: Judgements) -> None:
    for each in data.questions:
        deciding = [code for code in each.judged.values() if code[0] == "D"]
        assert bool(deciding) or each.verdict is None, each.id
        assert not (each.kind == "nearmiss" and deciding), each.id


def test_examples_name_the_right_output_of_each_head(data: Judgements) -> None:
    pairs = [*pair_examples(data, data.questions[:40], seed=1), *contrast_examples(data, seed=1)]
    outputs = {index for each in pairs for index in each.targets.get("relation", ())}
    assert outputs == set(range(len(Relation)))
    assert all("effect" not in each.targets for each in pairs if 3 in each.targets.get("relation", ()))
    assert {tuple(each.targets) for each in rule_examples(data)} == {("rule",)}
    assert {each.targets["topic"] for each in topic_examples(data)} == {(0, 1), *((at,) for at in range(len(Topic)))}


def test_contrasts_ask_what_a_rule_does_on_both_sides_of_its_border(data: Judgements) -> None:
    judged = [{code for _, code in each.asked} for each in data.contrasts]
    assert len(judged) > 5_000
    assert all(len(codes) > 1 for codes in judged)
    assert sum(sum(code[0] == "D" for code in codes) > 1 for codes in judged) > 0.5 * len(judged)


def test_the_policies_of_one_publisher_are_never_on_both_sides(data: Judgements) -> None:
    assert publisher("google-drive") == publisher("gmail") == publisher("google")
    assert fold_of("instagram", 2) == fold_of("facebook", 2)
    assert {fold_of(data.platform(name), 2) for name in data.documents} == {0, 1}


def test_a_rule_is_known_by_its_words_and_its_heading() -> None:
    key = rule_key(("Toys",), "Ads for kites are allowed.")
    assert key == rule_key(("Any", "Toys"), "ads for  KITES are allowed")
    assert key != rule_key(("Games",), "Ads for kites are allowed.")


def test_the_place_of_a_question_is_the_one_it_names() -> None:
    assert place_of(AskedText("beer in Germany?")) == "de"
    assert place_of(AskedText("and wine?", ("beer in Germany?",))) == "de"
    assert place_of(AskedText("beer in Germany and France?")) is None


def test_a_document_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError):
        document("shared:nothing.md" if SHARED.is_dir() else "nothing.md")
