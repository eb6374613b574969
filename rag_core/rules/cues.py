"""What the words of a rule say that it does: the opinion beside the trained one (see `cues.yaml`)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import yaml

from rag_core.rules.reader import Effect, RuleText

_WORD = re.compile(r"[a-z]+(?:['’-][a-z]+)*|[✓✔✅☑✗✘❌×✖]")
_CELL = re.compile(r":\s+([^:;|]{1,40}?)\s*(?=[;|.]|$)")
"""What stands behind the name of a column, or of the thing itself."""

_CONDITIONS = re.compile(r"\b(?:conditions?|requirements?|restrictions?|notes?):", re.IGNORECASE)
"""A column with what a permission may hang on."""

_CELLS = {"closed": Effect.PROHIBITS, "open": Effect.ALLOWS, "limited": Effect.LIMITS}
_SHORT_CELL = 6
"""Words that a cell without a name may have, as the first of a row does."""

_SHORT = 12
"""Words of a rule that may be a fragment, to which its lead-in or heading gives the verb."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the words say; `effect` None where they are silent. `certainty` in [0, 4]: 1 where the rule itself says so,
    less where only what stands above it does, 4 where a cell of a table says nothing else."""

    effect: Effect | None
    certainty: float


@lru_cache(maxsize=8_192)
def opinion_of(rule: RuleText) -> Opinion:
    """The effect that the words of `rule` name: a cell that is nothing but a verdict, else its own words, else those of
    its lead-in, else those of its heading."""
    if (effect := _effect_of_cells(rule.body)) is not None:
        return Opinion(effect, 4.0)
    if (effect := _effect(rule.body, alone=True)) is not None:
        return Opinion(effect, 1.0)
    if (effect := _effect(rule.lead, alone=False)) is not None:
        limited = effect is Effect.ALLOWS and bool(_found(_tokens(rule.body), "condition"))
        return Opinion(Effect.LIMITS if limited else effect, 0.8)
    heading = rule.headings[-1] if rule.headings else ""
    if len(rule.body.split()) <= _SHORT and (effect := _effect(heading, alone=False)) is not None:
        return Opinion(effect, 0.6)
    return Opinion(None, 0.0)


def _effect(text: str, *, alone: bool) -> Effect | None:
    """The strongest effect that is named: a ban, then a duty, then a permission, limited where there is a condition."""
    words = _tokens(text)
    if not words:
        return None
    if alone and words[0] in ("no", "nope", "never", "none") and len(words) <= 2:
        return Effect.PROHIBITS
    conditioned = bool(_found(words, "condition"))
    bans = [not _negated(words, at) for at in _found(words, "ban")]
    permits = [not _negated(words, at) for at in _found(words, "permit")]
    possible = [not _followed_by_negation(words, at) for at in _found(words, "possible")]
    duties = [not _followed_by_negation(words, at) for at in _found(words, "duty")]
    forbidden = any(bans) or not all(permits) or not all(possible) or not all(duties) or words[0] in ("never", "don't")
    forbidden = (
        forbidden
        or bool(_found(words, "impossible"))
        or words[:2] == ["do", "not"]
        or (alone and bool(_found(words, "no")))
        or (alone and "no" in words and bool(_found(words, "yes")))
    )
    permitted = any(permits) or any(possible) or not all(bans) or (alone and bool(_found(words, "yes")))
    if forbidden and permitted:
        return Effect.LIMITS
    if forbidden:
        return Effect.LIMITS if "unless" in words else Effect.PROHIBITS
    if permitted:
        return Effect.LIMITS if conditioned else Effect.ALLOWS
    return Effect.REQUIRES if any(duties) else None


def _effect_of_cells(text: str) -> Effect | None:
    """What "Status: Closed" or "Horoscopes: Yes" says; None where no cell is a verdict, or two are different ones."""
    if any(":" not in each and len(each.split()) > _SHORT_CELL for each in text.split(";")):
        return None  # a sentence
    effects = {_CELLS[kind] for cell in _CELL.findall(text) for kind in _CELLS if _is_whole(_tokens(cell), kind)}
    if effects == {Effect.ALLOWS} and _CONDITIONS.search(text):
        return None
    return effects.pop() if len(effects) == 1 else None


def _is_whole(words: Sequence[str], kind: str) -> bool:
    whole, _, phrases = _lexicon()[kind]
    return tuple(words) in phrases or (len(words) == 1 and words[0] in whole)


def _negated(words: Sequence[str], at: int) -> bool:
    """Whether a negation stands within the three words before."""
    return any(_is(words, before, kind) for before in range(max(0, at - 3), at) for kind in ("negation", "impossible"))


def _followed_by_negation(words: Sequence[str], at: int) -> bool:
    return any(_is(words, after, "negation") for after in range(at + 1, min(len(words), at + 3)))


def _found(words: Sequence[str], kind: str) -> list[int]:
    return [at for at in range(len(words)) if _is(words, at, kind)]


def _is(words: Sequence[str], at: int, kind: str) -> bool:
    whole, stems, phrases = _lexicon()[kind]
    word = words[at]
    if word in whole or word.startswith(stems) or (kind == "negation" and word.endswith("n't")):
        return True
    return any(word == phrase[0] and tuple(words[at : at + len(phrase)]) == phrase for phrase in phrases)


@cache
def _lexicon() -> dict[str, tuple[frozenset[str], tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """For each kind: whole words, stems, phrases."""
    read = yaml.safe_load((Path(__file__).parent / "cues.yaml").read_text(encoding="utf-8"))
    found = {}
    for kind, words in read.items():
        entries = words.split()
        whole = frozenset(each[:-1] for each in entries if each.endswith("=") and "_" not in each)
        phrases = tuple(tuple(each.rstrip("=").split("_")) for each in entries if "_" in each)
        stems = tuple(each for each in entries if not each.endswith("=") and "_" not in each)
        found[kind] = (whole, stems, phrases)
    return found


def _tokens(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]
