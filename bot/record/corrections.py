"""Corrections of rules as their table keeps them, held against the acts on record: answers rest on them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from bot.record.entries import INSTALLATION
from bot.record.verifying import Finding, Problem

CORRECTED, WITHDRAWN = "correct_rule", "withdraw_rule_correction"
"""Acts in the chain of the installation."""

Rule = tuple[str, str]
"""A document's id and the hash of one of its rules."""


def correction_findings(bodies: Iterable[Mapping[str, Any]], stored: Mapping[Rule, str]) -> Iterator[Finding]:
    """`bodies`: of all acts, in any order; `stored`: the effects of corrections in force. Each that is not what the
    last act on its rule says is a finding, with the sequence of that act; 0: there is none."""
    told = _told(bodies)
    for rule in sorted({*told, *stored}):
        sequence, effect = told.get(rule, (0, None))
        if stored.get(rule) != effect:
            detail = f"{rule[0]}, rule {rule[1][:8]}"
            yield Finding(INSTALLATION, sequence, sequence, Problem.CORRECTION, detail)


def _told(bodies: Iterable[Mapping[str, Any]]) -> dict[Rule, tuple[int, str | None]]:
    """Of each rule the last act, with the effect that holds since; None: it was withdrawn. What cannot be read says
    nothing."""
    last: dict[Rule, tuple[int, str | None]] = {}
    for body in bodies:
        with suppress(KeyError, TypeError):
            act, sequence, facts = body["facts"]["act"], body["sequence"], body["facts"]
            if body["chain"] == INSTALLATION and act in (CORRECTED, WITHDRAWN):
                rule = (body["subject"], facts["rule_hash"])
                if sequence > last.get(rule, (0, None))[0]:
                    last[rule] = (sequence, facts["effect"] if act == CORRECTED else None)
    return last
