"""Which passages go to a model: the best ones that fit, counted with its own tokenizer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag_core.answering.generative.prompt import believed_text, context_block, label
from rag_core.documents import Passage

MOST_DOCUMENTS = 15


@dataclass(frozen=True, slots=True)
class Context:
    """The documents of a prompt: as text, and as passages to check against, by label. `tokens` of all texts."""

    blocks: dict[str, str]
    passages: dict[str, Passage]
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of documents, and what bounds them: "setting", "window" or "pace"."""

    tokens: int
    bound_by: str


def budget_of(setting: int, window: int, pace: int | None) -> Budget:
    """The least of what is set, what the model's window leaves, and what it can read in time (None: not known)."""
    bounds = {"setting": setting, "window": window} | ({"pace": pace} if pace is not None else {})
    bound_by = min(bounds, key=lambda name: bounds[name])
    return Budget(bounds[bound_by], bound_by)


def fit(passages: Sequence[Passage], budget: int, count_tokens: Callable[[str], int]) -> Context:
    """The first of `passages` (best first) whose texts together have at most `budget` tokens.

    One that does not fit is left out whole, never cut: half a rule is another rule. Smaller ones behind it may fit.
    One of which nothing is believed is left out, too.
    """
    blocks: dict[str, str] = {}
    chosen: dict[str, Passage] = {}
    used = 0
    for passage in passages:
        if len(blocks) == MOST_DOCUMENTS:
            break
        if not believed_text(passage):
            continue
        name = label(len(blocks) + 1)
        block = context_block(name, passage)
        tokens = count_tokens(block) + 1  # the line break behind it
        if used + tokens > budget:
            continue
        blocks[name], chosen[name] = block, passage
        used += tokens
    return Context(blocks, chosen, used)
