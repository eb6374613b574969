"""Corrections of rules held against the acts on record."""

from typing import Any

import pytest

from bot.audit.verification import CORRECTED, WITHDRAWN, Finding, Problem, correction_findings

RULE = ("acme_alcohol", "0123456789")


def body(sequence: int, act: str, effect: str, chain: str = "installation") -> dict[str, Any]:
    facts = {"act": act, "rule_hash": RULE[1], "effect": effect}
    return {"chain": chain, "sequence": sequence, "subject": RULE[0], "facts": facts}


def found(sequence: int) -> list[Finding]:
    return [Finding("installation", sequence, sequence, Problem.CORRECTION, "acme_alcohol, rule 01234567")]


ACTS = [body(3, CORRECTED, "limits"), body(7, CORRECTED, "allows"), body(5, WITHDRAWN, "limits")]


@pytest.mark.parametrize(
    ("acts", "stored", "findings"),
    [
        ([], {}, []),
        (ACTS, {RULE: "allows"}, []),
        (ACTS, {RULE: "limits"}, found(7)),
        (ACTS, {}, found(7)),
        (ACTS[:1], {RULE: "limits"}, []),
        ([ACTS[0], ACTS[2]], {}, []),
        ([ACTS[0], ACTS[2]], {RULE: "limits"}, found(5)),
        ([], {RULE: "allows"}, found(0)),
        ([body(3, CORRECTED, "allows", chain="T1")], {RULE: "allows"}, found(0)),
        ([{"facts": {}}, {"facts": None}, {}, body(3, "remove", "allows")], {RULE: "allows"}, found(0)),
    ],
)
def test_corrections_in_force_are_those_that_the_last_acts_say(
    acts: list[dict[str, Any]], stored: dict[tuple[str, str], str], findings: list[Finding]
) -> None:
    assert list(correction_findings(acts, stored)) == findings
