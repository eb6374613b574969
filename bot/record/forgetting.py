"""How what was forgotten is told from what somebody deleted.

Forgetting empties the personal fields of a record; their row stays. The act that did it says, of each chain, how many
records are empty by then and the hash of which: not which ones it emptied itself, or the record would go on telling
that they were all of one person. So a row that is gone was deleted, and one that is empty without an act was emptied by
somebody else.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.record.verifying import Finding, Problem

FORGOTTEN = "forgotten"
"""The member of an act's facts."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Of a chain that had `length` records: `count` of them empty, `hash` tells which."""

    count: int
    hash: str
    length: int


NOTHING = Forgotten(0, hashlib.sha256(b"").hexdigest(), 0)


def forgotten(sequences: Iterable[int], length: int) -> Forgotten:
    """SHA-256 over the sequences in their order, in decimal, each with a line break behind it."""
    found = sorted(sequences)
    return Forgotten(len(found), hashlib.sha256(b"".join(b"%d\n" % each for each in found)).hexdigest(), length)


def forgotten_facts(by_chain: Mapping[str, Forgotten]) -> dict[str, Any]:
    """For the facts of the act."""
    told = {name: {"count": each.count, "hash": each.hash, "length": each.length} for name, each in by_chain.items()}
    return {FORGOTTEN: told} if told else {}


def told_forgotten(bodies: Iterable[Mapping[str, Any]]) -> dict[str, Forgotten]:
    """What the last act of each chain says, from the bodies of acts in any order: nothing is ever remembered again, so
    the last one is that with the most."""
    last: dict[str, Forgotten] = {}
    for body in bodies:
        for chain, told in _told(body).items():
            if told.count > last.get(chain, NOTHING).count:
                last[chain] = told
    return last


def _told(body: Mapping[str, Any]) -> dict[str, Forgotten]:
    """What is no such statement says nothing."""
    facts = body.get("facts")
    told = facts.get(FORGOTTEN) if isinstance(facts, Mapping) else None
    found = {}
    for chain, each in told.items() if isinstance(told, Mapping) else ():
        try:
            found[str(chain)] = Forgotten(int(each["count"]), str(each["hash"]), int(each["length"]))
        except (KeyError, TypeError, ValueError):
            continue
    return found


def forgotten_findings(chain: str, empty: Sequence[int], told: Forgotten = NOTHING) -> Iterator[Finding]:
    """`empty`: the sequences of the records without personal fields, as the store has them, in order.

    A record that came after the last act is named. Among those before it, one too many is found, and lies somewhere
    between the first and the last that is empty.
    """
    later = [each for each in empty if each > told.length]
    for each in later:
        yield Finding(chain, each, each, Problem.EMPTIED)
    by_then = empty[: len(empty) - len(later)]
    if forgotten(by_then, told.length) != told:
        more = f"{len(by_then)} are empty, {told.count} were forgotten"
        yield Finding(chain, *((by_then[0], by_then[-1]) if by_then else (1, told.length)), Problem.FORGOTTEN, more)
