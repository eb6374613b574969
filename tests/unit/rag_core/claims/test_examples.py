"""Many claims against many rules: none goes beyond its rule, and most honest paraphrases are let through."""

import pytest

from rag_core.claims.support import Support, SupportVerdict, support, together
from tests.fakes.rules import passage
from tests.unit.rag_core.claims.examples import HONEST, SECOND_HONEST, SECOND_UNSUPPORTED, UNSUPPORTED
from tests.unit.rag_core.claims.fresh_examples import FIFTH_HONEST, FIFTH_UNSUPPORTED, SIXTH_HONEST, SIXTH_UNSUPPORTED
from tests.unit.rag_core.claims.later_examples import (
    FOURTH_HONEST,
    FOURTH_UNSUPPORTED,
    THIRD_HONEST,
    THIRD_UNSUPPORTED,
)

EVERY_HONEST = (*HONEST, *SECOND_HONEST, *THIRD_HONEST, *FOURTH_HONEST, *FIFTH_HONEST, *SIXTH_HONEST)
EVERY_UNSUPPORTED = (
    *UNSUPPORTED,
    *SECOND_UNSUPPORTED,
    *THIRD_UNSUPPORTED,
    *FOURTH_UNSUPPORTED,
    *FIFTH_UNSUPPORTED,
    *SIXTH_UNSUPPORTED,
)
RULES = sorted({rule for rule, _ in (*EVERY_HONEST, *EVERY_UNSUPPORTED)})

LEAST_HONEST = 0.88
"""An honest sentence that is dropped costs wording; the rule itself is shown instead."""


def held(rule: str, claim: str) -> Support:
    return together(support(claim, passage(rule)))


@pytest.mark.parametrize(("rule", "claim"), EVERY_UNSUPPORTED)
def test_no_claim_goes_beyond_its_rule(rule: str, claim: str) -> None:
    found = held(rule, claim)
    assert found.verdict is not SupportVerdict.SUPPORTED, found
    assert found.doubts


def test_most_honest_paraphrases_are_let_through() -> None:
    kept = [claim for rule, claim in EVERY_HONEST if held(rule, claim).verdict is SupportVerdict.SUPPORTED]
    assert len(kept) >= LEAST_HONEST * len(EVERY_HONEST), f"{len(kept)} of {len(EVERY_HONEST)}"


@pytest.mark.parametrize("rule", [rule for rule in RULES if "\n" not in rule])
def test_every_rule_supports_itself(rule: str) -> None:
    assert held(rule, rule).confidence == 1.0
