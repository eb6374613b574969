"""What speaks against a claim that is held against one rule. Strict both ways: a claim may neither say what the rule
does not, nor leave out what narrows it."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_core.claims.facts import ADVISES, Facts, clauses_of, content_of, effect_of, facts_of, says_no, words_in_row
from rag_core.regions import GLOBAL
from rag_core.rules.reader import Effect, RuleText
from rag_core.rules.rule import Rule
from rag_core.rules.structure import RuleKind
from rag_core.understanding.words import stem
from rag_core.vocabulary import pattern


class Doubt(StrEnum):
    """Why a claim is not supported. The last two leave it partly supported at best."""

    QUOTE_NOT_FOUND = "quote_not_found"
    QUOTE_TOO_SHORT = "quote_too_short"
    SAYS_NOTHING = "says_nothing"
    NUMBER = "number_not_in_source"
    NUMBER_SWAPPED = "number_swapped"
    UNIT = "unit_differs"
    LIMIT_TURNED = "limit_turned"
    DAY = "day_not_in_source"
    PLACE = "place_not_in_source"
    NEGATION = "negation_differs"
    EFFECT = "permission_differs"
    DEMAND = "demand_not_in_source"
    WIDER = "wider_than_source"
    STRENGTH = "duty_or_choice_differs"
    JOINED = "and_or_differs"
    TIME = "time_turned"
    WHO = "who_differs"
    CONDITION_LEFT_OUT = "condition_left_out"
    PLACE_LEFT_OUT = "place_left_out"
    WORDS_MISSING = "words_missing"


SOFT = frozenset({Doubt.PLACE_LEFT_OUT, Doubt.WORDS_MISSING})

_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_CONDITION = pattern("claims", "condition")
_IF = pattern("claims", "if")
_OPEN = pattern("claims", "open")
_OF = re.compile(r"(\w+)\s+of\s+(?:(?:the|an?|their|your|its|each|any|all)\s+)*(\w+)")
_PASSIVE = re.compile(r"\b(?:is|are|be|been|being)\s+(?:\w+ly\s+)?\w+(?:ed|en|n)\b", re.IGNORECASE)
_OR, _AND = (re.compile(rf"\b{join}\b", re.IGNORECASE) for join in ("or", "and"))
_END = r"(\d+(?:[:.]\d+)*)\s*([ap]\.?m\b)?"
_RANGE = re.compile(rf"{_END}\.?\s*(?:to|and|until|till|-|–|—)\s*{_END}", re.IGNORECASE)
_CAUSE = re.compile(r"\b(?:because|if|when|unless|while)\b", re.IGNORECASE)
_SIDE = re.compile(r"[;()]|,(?!\d{3})|\b(?:and|or|but|while|whereas|if)\b", re.IGNORECASE)
_REFERS_BACK = re.compile(r"\b(?:it|its|they|them|their|these|those|this|such|there)\b", re.IGNORECASE)
_BEFORE_VERB = re.compile(r"^.*?(?=\b(?:is|are|must|may|can|could|should|shall|will|do|does|has|have|needs?)\b)")


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that a rule says. `text`: all in which words of a claim may stand; `said`: what a claim may not leave
    out; `effect`: what it does."""

    rule: Rule
    text: str
    said: str
    effect: Effect | None

    @property
    def around(self) -> str:
        return f"{self.rule.headings} . {self.text}"

    @property
    def places(self) -> frozenset[str]:
        return facts_of(self.text).places | (frozenset(self.rule.passage.chunk.regions) - {GLOBAL})


def sources_of(rule: Rule, claim: str) -> list[Source]:
    """What `rule` says that `claim` may be on: the whole of it, and each of its clauses; of a list the items that the
    claim names, of a row what holds in the place that it names."""
    if rule.text.rstrip().endswith("?"):
        return []
    places = facts_of(claim).places
    read = rule.as_read(next(iter(places)) if len(places) == 1 else None)
    match rule.kind:
        case RuleKind.ROW:
            cells = "; ".join(cell.partition(": ")[2] or cell for cell in read.body.split("; "))
            return [Source(rule, f"{read.lead} {read.body}", cells, _effect(read, read.body))]
        case RuleKind.LIST:
            named = [each.text for each in rule.body if set(content_of(each.text)) & set(content_of(claim))]
            text = f"{read.lead} {'; '.join(named)}"
            return [Source(rule, text, text, _effect(read, text))]
        case RuleKind.ITEM:
            return [Source(rule, *2 * (f"{read.lead} {each}",), _effect(read, each)) for each in _clauses(read.body)]
    refers_back = read.lead.rstrip().endswith("?") or _REFERS_BACK.search(read.body)
    subject = _subject_of(read) if refers_back else ""
    return [
        Source(rule, f"{read.lead} {each}", f"{subject} {each}", _effect(read, each)) for each in _clauses(read.body)
    ]


def _clauses(body: str) -> list[str]:
    """The clauses, and the whole where all of them say no or none does."""
    clauses = clauses_of(body)
    alike = len({says_no(each) % 2 for each in clauses}) == 1
    return list(dict.fromkeys((body, *clauses) if alike else clauses))


def _effect(read: RuleText, text: str) -> Effect | None:
    effect = effect_of(text, read.headings, read.lead)
    return Effect.PROHIBITS if effect is None and says_no(text) % 2 else effect


def _subject_of(read: RuleText) -> str:
    """What "they" are, or all that was asked before an answer."""
    match = _BEFORE_VERB.search(read.lead)
    return match[0] if match and not read.lead.rstrip().endswith("?") else read.lead


def doubts_about(claim: str, source: Source, seen: frozenset[str]) -> tuple[Doubt, ...]:
    """Every doubt, each once, what contradicts the rule first. `seen`: the places that a reader takes the claim to be
    about."""
    ours, theirs, around = facts_of(claim), facts_of(source.text), facts_of(source.around)
    found = [
        *_amounts(ours, theirs, around),
        *_days_and_times(ours, theirs, around),
        *_places(claim, source, around, seen),
        *_effects(claim, source),
        *_words(claim, source),
    ]
    if _swaps(claim, source.text) or _turned(claim, source.text):
        found.append(Doubt.NUMBER_SWAPPED)
    if _changes_a_join(claim, source.text):
        found.append(Doubt.JOINED)
    if _changes_who(claim, source.text):
        found.append(Doubt.WHO)
    if any(_moves(each, claim, source.text) for each in (_ONLY, _CAUSE)):
        found.append(Doubt.CONDITION_LEFT_OUT)
    return tuple(dict.fromkeys(found))


def _amounts(ours: Facts, theirs: Facts, around: Facts) -> Iterator[Doubt]:
    if ours.numbers - around.numbers:
        yield Doubt.NUMBER
    for number in ours.numbers & theirs.numbers:
        if not ours.units_of(number) <= theirs.units_of(number):
            yield Doubt.UNIT
        if ours.limits_of(number) != theirs.limits_of(number):
            yield Doubt.LIMIT_TURNED


def _days_and_times(ours: Facts, theirs: Facts, around: Facts) -> Iterator[Doubt]:
    if set(ours.days) - set(around.days):
        yield Doubt.DAY
    shared = [day for day in ours.days if day in theirs.days]
    if ours.times - theirs.times or shared != [day for day in theirs.days if day in shared]:
        yield Doubt.TIME


def _places(claim: str, source: Source, around: Facts, seen: frozenset[str]) -> Iterator[Doubt]:
    ours = facts_of(claim).places
    if ours - around.places - (source.places or facts_of(source.rule.text).places):
        yield Doubt.PLACE
    of_closed_list = facts_of(source.text).places if _ONLY.search(source.text) and _ONLY.search(claim) else frozenset()
    if (source.places and not ours and not source.places & seen) or (ours and of_closed_list - ours):
        yield Doubt.PLACE_LEFT_OUT


def _words(claim: str, source: Source) -> Iterator[Doubt]:
    """Words and amounts that only one of both has."""
    ours, said = set(content_of(claim)), facts_of(source.said)
    if ours - set(content_of(source.around)):
        yield Doubt.WORDS_MISSING
    if _OPEN.search(claim) and not _OPEN.search(source.text):
        yield Doubt.WIDER
    left_out = [each for each in content_of(_without_alternatives(source, ours)) if each not in ours]
    amounts = said.numbers - facts_of(claim).numbers or set(said.days) - set(facts_of(claim).days)
    if left_out or amounts:
        yield Doubt.CONDITION_LEFT_OUT if _stands_in_condition(left_out, source.said) else Doubt.WIDER


def _without_alternatives(source: Source, ours: Container[str]) -> str:
    """What may not be left out: who must not do A or B must not do A, and who must do A and B must do A."""
    join = {Effect.PROHIBITS: "or", Effect.REQUIRES: "and"}.get(source.effect) if source.effect else None
    if join is None or len(clauses_of(source.said)) > 1 or not re.search(rf"\b{join}\b", source.said):
        return source.said
    condition = _IF.search(source.said)
    end = condition.start() if condition else len(source.said)
    pieces = re.split(rf"(,|\b{join}\b)", source.said[:end])
    kept = []
    for at, piece in enumerate(pieces):
        words = piece.split()
        while at and words and not any(each in ours for each in content_of(words[0])):
            words = words[1:]
        while at + 1 < len(pieces) and words and not any(each in ours for each in content_of(words[-1])):
            words = words[:-1]
        kept.append(" ".join(words))
    return " ".join((*kept, source.said[end:]))


def _stands_in_condition(words: Sequence[str], said: str) -> bool:
    begun = _CONDITION.search(said, len(said) // 4)
    return begun is not None and set(words) <= set(content_of(said[begun.start() :]))


def _effects(claim: str, source: Source) -> Iterator[Doubt]:
    """A "not" too many or too few, another effect, a duty that is advice or a choice."""
    if (says_no(claim) - says_no(source.said)) % 2:
        yield Doubt.NEGATION
    ours, theirs = effect_of(claim), source.effect
    if (
        ours is None
        and theirs in (Effect.ALLOWS, Effect.REQUIRES, Effect.LIMITS)
        and source.rule.kind is not RuleKind.ROW
    ):
        yield Doubt.STRENGTH
    if ours is not None and ours is not theirs:
        duty = Effect.REQUIRES in (ours, theirs) and Effect.PROHIBITS not in (ours, theirs)
        yield Doubt.DEMAND if theirs is None and duty else Doubt.STRENGTH if duty else Doubt.EFFECT
    if bool(ADVISES.search(claim)) != bool(ADVISES.search(source.text)):
        yield Doubt.STRENGTH
    if _ONLY.search(claim) and not _ONLY.search(source.text) and theirs is not Effect.LIMITS:
        yield Doubt.DEMAND


def _swaps(claim: str, source: str) -> bool:
    """Whether a number of the claim stands beside what another number of the source stands beside.

    "Men 21, women 18" has the numbers of "men 18, women 21", and says something else.
    """
    theirs = [(facts_of(side).numbers, _things(side)) for side in _SIDE.split(source)]
    for side in _SIDE.split(claim):
        things = _things(side)
        for number in facts_of(side).numbers:
            beside = max((len(things & each) for numbers, each in theirs if number in numbers), default=0)
            others = (len(things & each) for numbers, each in theirs if numbers and number not in numbers)
            if max(others, default=0) > beside:
                return True
    return False


def _turned(claim: str, source: str) -> bool:
    """Whether a range of the source stands in the claim from its end to its beginning."""
    ours, theirs = ({((a, _half(b)), (c, _half(d))) for a, b, c, d in _RANGE.findall(text)} for text in (claim, source))
    return any((last, first) in theirs for first, last in ours if first != last)


def _half(of_day: str) -> str:
    return of_day.lower().replace(".", "")


def _moves(marker: re.Pattern[str], claim: str, source: str) -> bool:
    """Whether "only" or "because" stands before something else than in the source."""
    ours, theirs = (
        {words[0] for match in marker.finditer(text) if (words := content_of(text[match.end() :].split(",")[0]))}
        for text in (claim, source)
    )
    return bool(ours and theirs) and not ours & theirs


def _things(side: str) -> frozenset[str]:
    return frozenset(content_of(side)) | facts_of(side).places


def _changes_a_join(claim: str, source: str) -> bool:
    """Whether "and" is "or" in the source, or the other way round; under a "not" both say the same."""
    if says_no(claim) % 2 and says_no(source) % 2:
        return False
    ours, theirs = (
        (bool(_OR.search(facts_of(text).rest)), bool(_AND.search(facts_of(text).rest))) for text in (claim, source)
    )
    return (ours[0] and not theirs[0]) or (ours[1] and theirs[0] and not theirs[1])


def _changes_who(claim: str, source: str) -> bool:
    """Whether two things have changed places: "A pays B" is not "B pays A", nor "the A of B" "the A of C"."""
    pairs, known = ({tuple(map(stem, pair)) for pair in _OF.findall(text.lower())} for text in (claim, source))
    if {thing for thing, _ in pairs - known} & {thing for thing, _ in known}:
        return True
    if bool(_PASSIVE.search(claim)) != bool(_PASSIVE.search(source)):
        return False
    ours, theirs = words_in_row(claim), words_in_row(source)
    content = content_of(claim)
    turned = {tuple(reversed(ours[at : at + 3])) for at in range(len(ours) - 2) if ours[at + 1] in content}
    return any(theirs[at : at + 3] in turned for at in range(len(theirs) - 2))
