"""What a comparison costs: about its length, whatever changed."""

import random
import time

import pytest

from rag_core.changes import diff

RANDOM = random.Random(7)  # noqa: S311
WORDS = [f"word{at}" for at in range(900)] + ["ads", "must", "not", "may", "allowed", "prohibited", "Spain"] * 60


def sentence() -> str:
    return f"{' '.join(RANDOM.choice(WORDS) for _ in range(RANDOM.randint(6, 18))).capitalize()}."


def document(size: int) -> list[str]:
    """Blocks of about `size` characters together."""
    blocks: list[str] = []
    while sum(map(len, blocks)) < size:
        blocks.append(f"## {sentence()[:30]}")
        blocks += [f"{sentence()} {sentence()}" for _ in range(40)]
        blocks.append("The following are not allowed:")
        blocks += [f"- {sentence()}" for _ in range(40)]
    return blocks


def seconds(before: list[str], after: list[str]) -> float:
    texts = ("\n\n".join(before) + "\n", "\n\n".join(after) + "\n")
    started = time.process_time()
    assert diff(*texts)
    return time.process_time() - started


def test_a_document_of_100_kilobytes_takes_seconds_at_most() -> None:
    """Some tenths of a second on an idle machine; a square would take minutes."""
    before = document(100_000)
    few = [f"{each} And more." if RANDOM.random() < 0.05 else each for each in before]
    half = [f"{each} And more." if RANDOM.random() < 0.5 else each for each in before]
    shuffled = RANDOM.sample(before, len(before))
    for after in (few, half, shuffled):
        assert seconds(before, after) < 15


RULES = [f"- Rule {at} about {RANDOM.choice(WORDS)} must be kept." for at in range(2_000)]


@pytest.mark.parametrize(
    "after",
    [
        [each.replace("must", "must not") for each in RULES],
        [f"- {sentence()}" for _ in RULES],
        [*RULES, *(f"- Ads for {sentence()[:20]} are not allowed." for _ in RULES)],
        [*reversed(RULES)],
        [line for each in RULES for line in (f"We do not allow {each[2:9]}:", each)],
        [line for at, each in enumerate(RULES) for line in (f"## Place {at}", each)],
    ],
    ids=["changed", "others", "added", "reversed", "lists", "headings"],
)
def test_two_thousand_changed_rules_take_no_square(after: list[str]) -> None:
    """Some tenths of a second alone; a square over them would take minutes."""
    assert seconds(["## Kites", *RULES], ["## Kites", *after]) < 30
    assert seconds(["## Kites", *after], ["## Kites", *RULES]) < 30
