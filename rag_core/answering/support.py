"""Does a passage support a claim? Read from words, numbers and places; no model is asked.

A sentence is held against the rules (`units`) of the passage, each with what gives it meaning. What type it is:

- quote: it stands there letter for letter. Confidence 1.
- paraphrase: the rule itself has all its content words, or the trade's words for them.
  Confidence 0.70 + 0.29 * (words in the same order / words of the claim).
- inference: it needs the headings, or a wider thing ("alcohol" for "beer").
  Confidence 0.50 + 0.30 * (content words in the rule itself / content words).

Below that it is supported partly, with confidence 0.5 * covered share, or not. Whatever contradicts the rule, or goes
beyond it, leaves it unsupported, however alike the words are: see `Doubt`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_core.answering import facts, halves, narrowing, opposites, strength
from rag_core.answering.coverage import covers, names
from rag_core.answering.locate import find_quote, is_too_short, plain
from rag_core.answering.measures import changes_a_unit, is_unit
from rag_core.answering.polarity import Effect, clauses_of
from rag_core.answering.readings import Reading, read_unit
from rag_core.answering.units import Unit, UnitKind, units_of
from rag_core.answers import Quote, QuoteType
from rag_core.documents import Passage
from rag_core.questions import QueryTerm
from rag_core.regions import GLOBAL, seen_from
from rag_core.sentences import sentence_spans
from rag_core.understanding.words import stem, words_of

LONGEST_CLAIM = 1_000
"""Characters."""

_MOST_PASSAGES = 12
_PARTLY = 0.5
_NAMES_NOTHING = frozenset(
    stem(word)
    for word in """
    least most year years old older age aged order ensure following include includes including included specific certain
    according section note therefore however additionally addition well either otherwise set forth given provide
    provided overall generally case cases comply compliance subject long longer shorter smaller larger fewer higher
    less percent cent lower begin begins begun start starts submit submits submitted send sends sent prior directly
    """.split()
)
"""Words with which people say the same in other words."""


class SupportVerdict(StrEnum):
    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"


class Doubt(StrEnum):
    """Why a claim is not supported. The last three leave it partly supported at best."""

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
    WORD = "word_not_in_source"
    PLACE_LEFT_OUT = "place_left_out"
    WORDS_MISSING = "words_missing"


_SOFT = frozenset({Doubt.WORD, Doubt.PLACE_LEFT_OUT, Doubt.WORDS_MISSING})


@dataclass(frozen=True, slots=True)
class Support:
    """How far a claim is supported. `confidence` in [0, 1] as computed above; `quotes`: the rule that was nearest,
    all of it verbatim; `best`: the part of it to open the source at; `doubts`: what speaks against the claim."""

    verdict: SupportVerdict
    quote_type: QuoteType | None
    confidence: float
    doubts: tuple[Doubt, ...] = ()
    unit: Unit | None = None

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return self.unit.quotes if self.unit else ()

    @property
    def best(self) -> Quote | None:
        """A verbatim span of the chunk itself."""
        own = [quote for quote in (*(self.unit.body if self.unit else ()), *self.quotes) if not quote.lead_in]
        return own[0] if own else None


_NOTHING = Support(SupportVerdict.UNSUPPORTED, None, 0.0, (Doubt.WORDS_MISSING,))


def support(
    claim: str, passage: Passage, quote: str | None = None, asked_places: Sequence[str] = ()
) -> tuple[Support, ...]:
    """One result for each sentence of `claim`. With `quote`, only the rules that it stands in count, and a quote that
    is not in the passage supports nothing. `asked_places`: the places a reader takes the claim to be about."""
    units = units_of(passage)
    if quote is not None:
        found = _units_at(passage, units, quote)
        if isinstance(found, Doubt):
            return (Support(SupportVerdict.UNSUPPORTED, None, 0.0, (found,)),)
        units = found
    seen = frozenset(code for place in asked_places for code in seen_from(place))
    return tuple(_best(_judged(sentence, unit, seen) for unit in units) for sentence in _sentences(claim))


def support_in(claim: str, passages: Iterable[Passage], quote: str | None = None) -> Support:
    """The weakest sentence of `claim`, each held against the passages that are nearest to it."""
    near = _nearest(claim, list(passages), quote)
    each = [support(claim, passage, quote) for passage in near]
    if not each:
        return _NOTHING
    if quote is not None and all(result[0].doubts[:1] == (Doubt.QUOTE_NOT_FOUND,) for result in each):
        return each[0][0]
    held = [result for result in each if len(result) == len(_sentences(claim))]
    best = [_best(result[position] for result in held) for position in range(len(held[0]))] if held else []
    return together(best or [each[0][0]])


def together(parts: Sequence[Support]) -> Support:
    """All sentences of a claim as one: supported if all are, partly if some are."""
    if not parts:
        return Support(SupportVerdict.UNSUPPORTED, None, 0.0, (Doubt.SAYS_NOTHING,))
    weakest = min(parts, key=_rank)
    verdicts = {part.verdict for part in parts}
    if len(verdicts) == 1 or SupportVerdict.UNSUPPORTED not in verdicts:
        return weakest
    return Support(
        SupportVerdict.PARTLY,
        None,
        min(0.5, sum(p.confidence for p in parts) / len(parts)),
        weakest.doubts,
        weakest.unit,
    )


def _nearest(claim: str, passages: list[Passage], quote: str | None) -> list[Passage]:
    """Few enough to look at closely: those with the quote, or with the most words of the claim."""
    if quote is not None:
        return [each for each in passages if _units_at(each, units_of(each), quote) != Doubt.QUOTE_NOT_FOUND][
            :_MOST_PASSAGES
        ] or passages[:1]
    wanted = frozenset(stem(word.text) for word in words_of(claim))

    def shared(passage: Passage) -> int:
        return len(wanted & {stem(word.text) for word in words_of(passage.chunk.search_text)})

    return sorted(passages, key=lambda each: (-shared(each), each.chunk.chunk_index))[:_MOST_PASSAGES]


def _units_at(passage: Passage, units: Sequence[Unit], quote: str) -> list[Unit] | Doubt:
    """The rules in which `quote` stands."""
    chunk = passage.chunk
    for text, carried in ((chunk.chunk_text, False), (chunk.lead_in, True)):
        if (span := find_quote(text, quote)) is not None:
            if is_too_short(text, quote):
                return Doubt.QUOTE_TOO_SHORT
            touched = [unit for unit in units if any(_touches(each, span, carried) for each in unit.quotes)]
            return touched or Doubt.QUOTE_NOT_FOUND
    return Doubt.QUOTE_NOT_FOUND


def _touches(quote: Quote, span: tuple[int, int], carried: bool) -> bool:
    return quote.lead_in == carried and quote.start < span[1] and span[0] < quote.end


def _sentences(claim: str) -> list[str]:
    text = claim[:LONGEST_CLAIM]
    return [text[start:end] for start, end in sentence_spans(text)]


def _best(candidates: Iterable[Support]) -> Support:
    return max(candidates, key=_rank, default=_NOTHING)


def _rank(result: Support) -> tuple[int, float, int]:
    order = (SupportVerdict.UNSUPPORTED, SupportVerdict.PARTLY, SupportVerdict.SUPPORTED)
    return order.index(result.verdict), result.confidence, -len(result.quotes)


@dataclass(frozen=True, slots=True)
class _Coverage:
    """Content words of a claim: said in the rule itself, in it by something wider or in its headings, or nowhere."""

    own: tuple[QueryTerm, ...]
    around: tuple[QueryTerm, ...]
    missing: tuple[QueryTerm, ...]

    @property
    def total(self) -> int:
        return len(self.own) + len(self.around) + len(self.missing)

    @property
    def share(self) -> float:
        return (len(self.own) + len(self.around)) / self.total if self.total else 0.0


def _judged(sentence: str, unit: Unit, seen: frozenset[str]) -> Support:
    """One sentence held against one rule."""
    if _is_whole_rule(sentence, unit):
        return Support(SupportVerdict.SUPPORTED, QuoteType.QUOTE, 1.0, (), unit)
    coverage = _coverage(sentence, unit)
    found = [*_contradictions(sentence, unit), *_gaps(sentence, unit, seen, coverage)]
    if coverage.share >= _PARTLY:  # of a rule on something else nothing more need be known
        found += _turns(sentence, unit)
    doubts = tuple(dict.fromkeys(found))
    if not coverage.total:
        return Support(SupportVerdict.UNSUPPORTED, None, 0.0, (*doubts, Doubt.SAYS_NOTHING), unit)
    if any(doubt not in _SOFT for doubt in doubts):
        return Support(SupportVerdict.UNSUPPORTED, None, 0.0, doubts, unit)
    if doubts:
        partly = coverage.share >= _PARTLY
        verdict = SupportVerdict.PARTLY if partly else SupportVerdict.UNSUPPORTED
        return Support(verdict, None, round(0.5 * coverage.share * (1.0 if partly else 0.5), 3), doubts, unit)
    kind, confidence = _type(sentence, unit, coverage)
    return Support(SupportVerdict.SUPPORTED, kind, round(confidence, 3), (), unit)


def _is_whole_rule(sentence: str, unit: Unit) -> bool:
    """Whether it is the rule letter for letter, or all of it but what leads to it where that adds nothing."""
    said = plain(sentence)
    own = plain(" ".join(quote.text for quote in unit.body))
    return bool(said) and (said == plain(unit.text) or (unit.kind is UnitKind.SENTENCE and said == own))


def _type(sentence: str, unit: Unit, coverage: _Coverage) -> tuple[QuoteType, float]:
    if find_quote(unit.text, sentence) is not None:
        return QuoteType.QUOTE, 1.0
    if not coverage.around and not coverage.missing:
        return QuoteType.PARAPHRASE, 0.70 + 0.29 * _in_order(sentence, unit.text)
    return QuoteType.INFERENCE, 0.50 + 0.30 * len(coverage.own) / coverage.total


def _in_order(claim: str, source: str) -> float:
    """Share of the claim's words that stand in the source in the same order (longest common subsequence)."""
    ours, theirs = ([word.stem for word in words_of(text)] for text in (claim, source))
    row = [0] * (len(theirs) + 1)
    for word in ours:
        before = 0
        for position, other in enumerate(theirs, 1):
            before, row[position] = (
                row[position],
                (before + 1 if word == other else max(row[position], row[position - 1])),
            )
    return row[-1] / len(ours) if ours else 0.0


def _coverage(sentence: str, unit: Unit) -> _Coverage:
    terms = [term for term in halves.terms_said(sentence) if not _names_nothing(term)]
    own = tuple(term for term in terms if names(unit.text, term))
    around = tuple(term for term in terms if term not in own and covers(f"{unit.headings} {unit.text}", term))
    return _Coverage(own, around, tuple(term for term in terms if term not in own and term not in around))


def _names_nothing(term: QueryTerm) -> bool:
    """Numbers and dates are looked at on their own."""
    word = term.text
    return (
        stem(word) in _NAMES_NOTHING
        or is_unit(word)
        or word[0].isdigit()
        or bool(facts.numbers_in(word) or facts.days_in(word))
    )


def _contradictions(sentence: str, unit: Unit) -> Iterable[Doubt]:
    """What the sentence has that the rule lacks, or has turned round."""
    text = f"{unit.headings} {unit.text}"
    if facts.numbers_in(sentence) - facts.numbers_in(text):
        yield Doubt.NUMBER
    elif facts.swaps_numbers(sentence, unit.text) or halves.crosses_parts(sentence, unit.text):
        yield Doubt.NUMBER_SWAPPED
    if changes_a_unit(sentence, text):
        yield Doubt.UNIT
    if facts.turns_a_limit(sentence, unit.text):
        yield Doubt.LIMIT_TURNED
    if facts.days_in(sentence) - facts.days_in(text):
        yield Doubt.DAY
    if facts.places_in(sentence) - facts.places_in(text) - set(unit.passage.chunk.regions):
        yield Doubt.PLACE
    reading = _reading(sentence, unit)
    yield from _polarity(sentence, unit, reading)
    if facts.adds_a_demand(sentence, unit.text) and reading.effect is not Effect.RESTRICTS:
        yield Doubt.DEMAND
    if facts.adds_only(sentence, unit.text):
        yield Doubt.DEMAND
    if facts.widens(sentence, unit.text) or narrowing.leaves_out_the_subject(sentence, unit.text):
        yield Doubt.WIDER


def _turns(sentence: str, unit: Unit) -> Iterable[Doubt]:
    """What the sentence does to the rule with the rule's own words. A table row has no sentence to be turned."""
    if unit.kind in (UnitKind.ROW, UnitKind.LIST):
        return
    own = " ".join(quote.text for quote in unit.body)
    yield from (doubt for doubt, turns in _TURNED if any(each(sentence, unit.text) for each in turns))
    yield from (doubt for doubt, narrows in _NARROWED if any(each(sentence, own) for each in narrows))
    if strength.changes_who(sentence, f"{unit.headings} {unit.text}"):
        yield Doubt.WHO


_TURNED = (
    (Doubt.STRENGTH, (strength.shifts_modality,)),
    (Doubt.NEGATION, (strength.turns_a_verb, opposites.says_the_opposite, opposites.compares_anew)),
    (Doubt.JOINED, (opposites.changes_a_join, halves.mixes_parts)),
    (Doubt.TIME, (opposites.turns_time, opposites.turns_hours)),
    (Doubt.WHO, (strength.swaps_parties,)),
    (Doubt.NUMBER_SWAPPED, (halves.moves_a_number,)),
    (Doubt.WIDER, (narrowing.widens_some, narrowing.shortens_a_closed_list)),
    (Doubt.EFFECT, (narrowing.speaks_of_the_exception, opposites.takes_in_what_is_left_out)),
)
_NARROWED = (
    (Doubt.WIDER, (narrowing.drops_what_narrows, narrowing.is_of_a_narrowed_kind)),
    (Doubt.CONDITION_LEFT_OUT, (narrowing.leaves_out_a_condition, narrowing.leaves_out_the_case)),
)


def _reading(sentence: str, unit: Unit) -> Reading:
    """What the rule says about what the sentence is on, in the place that the sentence names."""
    codes = set(facts.places_in(sentence))
    return read_unit(unit, halves.terms_said(sentence), codes.pop() if len(codes) == 1 else None)


def _polarity(sentence: str, unit: Unit, reading: Reading) -> Iterable[Doubt]:
    bans = reading.effect is Effect.PROHIBITS
    claimed = claimed_effects(sentence)
    says_no = facts.negates(sentence) or Effect.PROHIBITS in claimed
    lifted = facts.lifts_a_ban(sentence) != facts.lifts_a_ban(unit.text)
    if halves.has_mixed_parts(unit.text):
        turned = halves.moves_a_negation(sentence, unit.text)
    else:
        turned = says_no != (facts.negates(unit.text) or bans)
    if lifted or turned:
        yield Doubt.NEGATION
    if claimed and claimed != {reading.effect}:
        yield Doubt.EFFECT


def claimed_effects(sentence: str) -> frozenset[Effect]:
    """Whether a sentence says that something is allowed, restricted or prohibited; what ads must show is none of it."""
    return frozenset(clause.effect for clause in clauses_of(sentence) if not clause.about_content)


def _gaps(sentence: str, unit: Unit, seen: frozenset[str], coverage: _Coverage) -> Iterable[Doubt]:
    """What of the sentence nothing in the rule speaks of, and the place that it leaves out."""
    if coverage.missing:
        missing = [term.text for term in coverage.missing]
        telling = opposites.substitutes(sentence, unit.text, missing) or any(
            term.synonyms or term.broader or term.text[0].isupper() for term in coverage.missing
        )
        yield Doubt.WORD if telling else Doubt.WORDS_MISSING
    own_places = facts.places_in(unit.text) | (set(unit.passage.chunk.regions) - {GLOBAL})
    if own_places and not facts.places_in(sentence) and not own_places & seen:
        yield Doubt.PLACE_LEFT_OUT
