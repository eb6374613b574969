"""Whether a change makes a permission stricter or looser. Read from the wording; in doubt None."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_core.changes.words import key_of, words_of
from rag_core.policy_changes import Direction, Edit
from rag_core.rules.cues import opinion_of
from rag_core.rules.places import split_exception
from rag_core.rules.reader import Effect, RuleText
from rag_core.vocabulary import pattern

_PARTS = re.compile(r";\s+|(?<=[.!?])\s+(?=[A-Z])|(?<=\w),?\s+but\s+(?!not\b|[A-Z])")
_RULES_ON_ADS = pattern("changes", "rules_on_ads")
_RULES_ON_CONTENT = pattern("changes", "rules_on_content")
_UNCERTAIN = pattern("changes", "uncertain")

_CANNOT = re.compile(r"\bcan(?:no|['’])t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """`subject`: what stands before the words that rule. `about_content` marks rules on how an ad must be, `negative`
    those among them that forbid. `exception`: what follows "except", "unless" ..."""

    effect: Effect
    subject: str
    about_content: bool = False
    negative: bool = False
    exception: str = ""


@lru_cache(maxsize=20_000)
def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """The clauses of a sentence (or list item, or table cell) that say what may or must be."""
    return tuple(clause for part in _PARTS.split(sentence) if (clause := _clause(part.strip())) is not None)


def _clause(text: str) -> Clause | None:
    if not text or _UNCERTAIN.search(text):
        return None
    main, exception = split_exception(text)
    effect = _effect(text)
    if effect is None:
        return None
    if (ruling := _RULES_ON_ADS.search(main)) and effect is not Effect.REQUIRES:
        return Clause(effect, main[: ruling.start()] or main[ruling.end() :], exception=exception)
    if ruling := _RULES_ON_CONTENT.search(main):
        negative = _effect(main) is Effect.PROHIBITS
        return Clause(Effect.LIMITS, main[: ruling.start()], True, negative, exception)
    return None


def _effect(text: str) -> Effect | None:
    return opinion_of(RuleText((), "", _CANNOT.sub("can not", text))).effect


_RANK = {Effect.ALLOWS: 0, Effect.LIMITS: 1, Effect.PROHIBITS: 2}
_BANS = re.compile(r"\W*(?:prohibited|banned|forbidden|not\s+(?:allowed|permitted)|unacceptable)\b", re.IGNORECASE)
_PERMITS = re.compile(r"\W*(?:permitted|allowed|acceptable)\b", re.IGNORECASE)
_LIMITS = re.compile(r"\W*restricted\b", re.IGNORECASE)

_LEAST_AGE = pattern("changes", "least_age")
_UNDER_AGE = pattern("changes", "under_age")
_AT_LEAST = re.compile(r"\b(?:at\s+least|minimum\s+of|no\s+(?:less|fewer)\s+than)\s+(?P<a>\d[\d.,]*)", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:at\s+most|maximum\s+of|no\s+more\s+than|not\s+exceed)\s+(?P<a>\d[\d.,]*)", re.IGNORECASE)
_DEMANDS = re.compile(r"\b(?:must|only|shall|required?|requires|have\s+to|has\s+to|needs?\s+to)\b", re.IGNORECASE)
_DENIES = pattern("changes", "denies")
_EXCEPTS = pattern("changes", "excepts")
_RULING_WORDS = re.compile(
    r"(?:not|never|do|does|don't|doesn't|cannot|can't|can|may|must|mustn't|should|shall|will|be|is|are|we|the|following|with|some"
    r"|restrict\w*|conditions?|under|only|also"
    r"|(?:dis)?allow\w*|permit\w*|prohibit\w*|forbidden|banned|accept\w*|unacceptable)"
)
_SAYS_MORE = re.compile(r"\b(?:please|see|refer|note|info\w*|learn|read|may|can|must|should|allowed)\b", re.IGNORECASE)
_INVERTS = pattern("changes", "inverts")
_NOT_NEW = pattern("changes", "not_new")
"""Makes a sentence one that says again, or says of another time, or asks."""

_SUPPOSES = pattern("changes", "supposes")

_ILLUSTRATES = re.compile(r"\b(?:includ\w+|such\s+as|examples?|for\s+instance|among)\b|\be\.g\.", re.IGNORECASE)
_NO_MORE = re.compile(r"\b(?:no|not)\s+(?:more|less|fewer|exceed)\b(?:\s+than)?", re.IGNORECASE)
_LOOSENS = pattern("changes", "loosens")


def ruling(contexts: Sequence[str]) -> Effect | None:
    """What the nearest lead-in or heading above a rule that says anything does with what stands under it."""
    return _ruling(contexts)[0]


def _ruling(contexts: Sequence[str]) -> tuple[Effect | None, str]:
    for text in contexts:
        for effect, said in ((Effect.PROHIBITS, _BANS), (Effect.LIMITS, _LIMITS), (Effect.ALLOWS, _PERMITS)):
            if said.match(text):
                return effect, text
        effects = {clause.effect for clause in clauses_of(text) if not clause.about_content}
        if effects:
            return (effects.pop() if len(effects) == 1 else None), text
    return None, ""


def of_move(before: Sequence[str], after: Sequence[str]) -> Direction | None:
    """The same rule under another lead-in: an item of "we allow:" that is now one of "we do not allow:". The lead-ins
    must speak of the same things: `before` and `after` are what stands above the rule, the nearest first."""
    (old, old_lead), (new, new_lead) = _ruling(before), _ruling(after)
    if old is None or new is None or _scope(old_lead) != _scope(new_lead):
        return None
    return _compared(old, new)


def _scope(lead_in: str) -> frozenset[str]:
    return frozenset(word.norm for word in words_of(lead_in) if not _RULING_WORDS.fullmatch(word.norm))


def _compared(old: Effect, new: Effect) -> Direction | None:
    if old is new:
        return None
    return Direction.STRICTER if _RANK[new] > _RANK[old] else Direction.LOOSER


def of_change(before: str, after: str, edits: Sequence[Edit], lead_in: str) -> Direction | None:
    """Old and new wording of one rule under one lead-in."""
    old, new = clauses_of(before), clauses_of(after)
    if not edits or len(old) != len(new) or len(old) > 1 or _NOT_NEW.search(before) or _NOT_NEW.search(after):
        return None
    if (numbers := _numbers(before, after, edits)) is not None:
        return _of_number(before, after, numbers, lead_in)
    if _DENIES.search(lead_in) or _INVERTS.search(lead_in):
        return None  # "ads must not say:" turns what is said under it around
    return _of_clauses(before, after, old[0], new[0], edits) if old else None


def _numbers(before: str, after: str, edits: Sequence[Edit]) -> tuple[float, float] | None:
    """The one number that changed, if all else is the same."""
    if len(edits) != 1:
        return None
    edit = edits[0]
    try:
        return float(before[edit.before_start : edit.before_end]), float(after[edit.after_start : edit.after_end])
    except ValueError:
        return None


def _of_number(before: str, after: str, numbers: tuple[float, float], lead_in: str) -> Direction | None:
    if _EXCEPTS.search(after) or _INVERTS.search(lead_in):
        return None
    denied = bool(_DENIES.search(f"{lead_in} {_NO_MORE.sub(' ', after)}"))
    demanded = bool(_DEMANDS.search(after)) or _is_whole(_LEAST_AGE, after)
    raised = numbers[1] > numbers[0]
    for limit, fits, raising_is_stricter in (
        (_LEAST_AGE, demanded and not denied, True),
        (_UNDER_AGE, denied and not re.search(r"\bonly\b", after, re.IGNORECASE), True),
        (_AT_LEAST, demanded and not denied, True),
        (_AT_MOST, demanded and not denied, False),
    ):
        if fits and _says(limit, before, numbers[0]) and _says(limit, after, numbers[1]):
            return Direction.STRICTER if raised is raising_is_stricter else Direction.LOOSER
    return None


def _is_whole(pattern: re.Pattern[str], text: str) -> bool:
    match = pattern.search(text)
    return match is not None and len(words_of(text)) <= len(words_of(match[0])) + 1


def _says(limit: re.Pattern[str], text: str, number: float) -> bool:
    found = [next(value for value in match.groups() if value) for match in limit.finditer(text)]
    return len(found) == 1 and found[0].strip(".,") == f"{number:g}"


def _of_clauses(before: str, after: str, old: Clause, new: Clause, edits: Sequence[Edit]) -> Direction | None:
    if (loosened := _exception(before, after, old, new, edits)) is not None:
        return loosened
    if old.about_content or new.about_content or old.effect is new.effect:
        return None
    if key_of(old.subject) != key_of(new.subject) or not key_of(old.subject):
        return None
    return _compared(old.effect, new.effect)


def _exception(before: str, after: str, old: Clause, new: Clause, edits: Sequence[Edit]) -> Direction | None:
    """An exception that a ban got or lost, all else being the same."""
    if len(edits) != 1:
        return None
    edit = edits[0]
    added, removed = after[edit.after_start : edit.after_end], before[edit.before_start : edit.before_end]
    bans = all(each.effect is Effect.PROHIBITS or (each.about_content and each.negative) for each in (old, new))
    bans = bans or (Effect.PROHIBITS in (old.effect, new.effect) and Effect.ALLOWS not in (old.effect, new.effect))
    if not bans:
        return None
    if not removed and not old.exception and _LOOSENS.match(added):
        return Direction.LOOSER
    if not added and not new.exception and _LOOSENS.match(removed):
        return Direction.STRICTER
    return None


def of_addition(text: str, lead_in: str) -> Direction | None:
    """A ban or a demand that was not there. What is taken away leaves no wording that could say so: never looser."""
    clauses = clauses_of(text)
    if text.rstrip().endswith(":"):
        return None  # what follows it says what is banned
    if _NOT_NEW.search(text) or _SUPPOSES.match(text) or _ILLUSTRATES.search(lead_in):
        return None
    if clauses:
        if _DENIES.search(lead_in) or _INVERTS.search(lead_in):
            return None
        strict = all(each.effect is Effect.PROHIBITS or (each.about_content and each.negative) for each in clauses)
        return Direction.STRICTER if strict and not any(each.exception for each in clauses) else None
    plain = (
        ruling([lead_in]) is Effect.PROHIBITS
        and not _INVERTS.search(f"{lead_in} {text}")
        and not _SAYS_MORE.search(text)
    )
    return Direction.STRICTER if plain else None
