"""Usage and cost of language models: figures only, never what was asked or answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

ANSWERED = "answered"
CUT = "cut"
STOPPED = "stopped"
"""Outcomes beside the codes of errors. `cut`: by the limit of tokens; `stopped`: by us, who had enough or gave up."""


class UsageKey(StrEnum):
    """By what usage is added up. Days are those of UTC."""

    DAY = "day"
    MODEL = "model"
    ROLE = "role"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call. `role`: what for ("answer", "rewrite", "probe"). `counted`: the model said how many
    tokens it was; else they are an estimate. `cost` in the currency of the prices that were set, None
    where none was."""

    call_id: str
    at: datetime
    model: str
    role: str
    outcome: str
    prompt_tokens: int
    completion_tokens: int
    counted: bool
    seconds: float
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """Calls with the same `key`, added up. `cost` is None where none of them has one.

    `unpriced`: how many have none though they had tokens. `estimated`: calls whose tokens nobody counted.
    """

    key: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float | None
    unpriced: int = 0
    estimated: int = 0


class ModelUsage(Protocol):
    """The record of calls of language models. Raises Unavailable. The builder closes it."""

    async def save(self, calls: Sequence[ModelCall]) -> None:
        """All of them; those whose `call_id` is there already change nothing."""
        ...

    async def totals(self, since: datetime, by: UsageKey) -> list[UsageTotal]:
        """Of the calls from `since` on, in the order of their keys."""
        ...

    async def remove_before(self, moment: datetime) -> int:
        """Forget the calls before; how many there were."""
        ...
