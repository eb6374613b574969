"""Whether a passage supports a claim, read from its words; no model is asked.

A sentence is held against the rules of the passage, each with what gives it meaning. What type it is:

- quote: it stands there letter for letter. Confidence 1.
- paraphrase: the rule itself has all its content words.
  Confidence 0.70 + 0.29 * (words in the same order / words of the claim).
- inference: it needs the headings.
  Confidence 0.50 + 0.30 * (content words in the rule itself / content words).

Below that it is supported partly, with confidence 0.5 * covered share, or not. Whatever contradicts the rule, or goes
beyond it, leaves it unsupported, however alike the words are: see `Doubt`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from rag_core.answers import Quote, QuoteType
from rag_core.claims.doubts import SOFT, Doubt, Source, doubts_about, sources_of
from rag_core.claims.facts import clauses_of, content_of
from rag_core.documents import Passage
from rag_core.layout import sentence_spans
from rag_core.regions import seen_from
from rag_core.rules.reader import without_remark
from rag_core.rules.rule import Rule, rules_in, with_lists
from rag_core.rules.structure import RuleKind
from rag_core.understanding.words import stem, words_of

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚′`´", "'"),
        **dict.fromkeys("“”„″«»", '"'),
        **dict.fromkeys("–—−‐‑", "-"),
        **dict.fromkeys("[<‹{", "("),
        **dict.fromkeys("]>›}", ")"),
    }
)
_BULLET = re.compile(r"(?:(?<=\s)|^)[-–—|•·*]+(?=\s|$)")
_OUTER = " \t\n.,;:…\"'!?"

SHORTEST_QUOTE = 3
"""Words: two words stand in nearly every document."""


def plain(text: str) -> str:
    """`text` as it is compared."""
    return _folded(text)[0].strip(_OUTER)


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Offsets in `text` of `quote`, whole words only; None if it does not stand there."""
    wanted = plain(quote)
    if not wanted:
        return None
    folded, places = _folded(text)
    match = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded)
    if match is None:
        return None
    return places[match.start()], places[match.end() - 1] + 1


def is_too_short(text: str, quote: str) -> bool:
    """Whether `quote` says too little to point anywhere: fewer than three words, unless it is all there is."""
    return len(plain(quote).split()) < SHORTEST_QUOTE and plain(quote) not in {plain(line) for line in _parts(text)}


def _parts(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in (line, *line.split(" | "))]


@lru_cache(maxsize=2_000)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is compared, and for each of its characters where it came from."""
    letters: list[str] = []
    places: list[int] = []
    skipped = {position for match in _BULLET.finditer(text) for position in range(*match.span())}
    for position, letter in enumerate(text):
        if position in skipped or unicodedata.category(letter) == "Cf":
            continue
        if letter.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
                places.append(position)
            continue
        for each in unicodedata.normalize("NFKC", letter).translate(_SAME).casefold():
            letters.append(each)
            places.append(position)
    return "".join(letters), tuple(places)


LONGEST_CLAIM = 1_000
"""Characters."""

_MOST_PASSAGES = 12
_PARTLY = 0.5
_EXACT_PARAPHRASE = 0.99
_SAME_ORDER = 0.9
"""Share of words from which on halves of a sentence have surely not changed places."""


class SupportVerdict(StrEnum):
    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Support:
    """How far a claim is supported. `confidence` in [0, 1] as computed above; `quotes`: the rule that was nearest,
    all of it verbatim; `best`: the part of it to open the source at; `doubts`: what speaks against the claim."""

    verdict: SupportVerdict
    quote_type: QuoteType | None
    confidence: float
    doubts: tuple[Doubt, ...] = ()
    unit: Rule | None = None

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
    units = with_lists(rules_in(passage))
    if quote is not None:
        found = _units_at(passage, units, quote)
        if isinstance(found, Doubt):
            return (Support(SupportVerdict.UNSUPPORTED, None, 0.0, (found,)),)
        units = found
    seen = frozenset(code for place in asked_places for code in seen_from(place))
    return tuple(_of_sentence(sentence, units, seen) for sentence in _sentences(claim))


def support_in(claim: str, passages: Iterable[Passage], quote: str | None = None) -> Support:
    """The weakest sentence of `claim`, each held against the passages that are nearest to it."""
    sentences = _sentences(claim)
    if not sentences:
        return together(())
    near = _nearest(claim, list(passages), quote)
    each = [support(claim, passage, quote) for passage in near]
    if not each:
        return _NOTHING
    if quote is not None and all(result[0].doubts[:1] == (Doubt.QUOTE_NOT_FOUND,) for result in each):
        return each[0][0]
    held = [result for result in each if len(result) == len(sentences)]
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
        return [each for each in passages if _units_at(each, rules_in(each), quote) != Doubt.QUOTE_NOT_FOUND][
            :_MOST_PASSAGES
        ] or passages[:1]
    wanted = frozenset(stem(word.text) for word in words_of(claim))

    def shared(passage: Passage) -> int:
        return len(wanted & {stem(word.text) for word in words_of(passage.chunk.search_text)})

    return sorted(passages, key=lambda each: (-shared(each), each.chunk.chunk_index))[:_MOST_PASSAGES]


def _units_at(passage: Passage, units: Sequence[Rule], quote: str) -> list[Rule] | Doubt:
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


def _of_sentence(sentence: str, units: Sequence[Rule], seen: frozenset[str]) -> Support:
    """The best of all rules. "Note that" adds nothing to a rule, but with it the sentence is no quote."""
    said = without_remark(sentence)
    best = _best(_judged(said, unit, seen) for unit in units)
    if said != sentence and best.quote_type is QuoteType.QUOTE:
        return replace(best, quote_type=QuoteType.PARAPHRASE, confidence=_EXACT_PARAPHRASE)
    return best


def _best(candidates: Iterable[Support]) -> Support:
    return max(candidates, key=_rank, default=_NOTHING)


def _rank(result: Support) -> tuple[int, float, int, int]:
    """Of several that do not support it, what fewest doubts speak against is nearest."""
    order = (SupportVerdict.UNSUPPORTED, SupportVerdict.PARTLY, SupportVerdict.SUPPORTED)
    return order.index(result.verdict), result.confidence, -len(result.doubts), -len(result.quotes)


def _judged(sentence: str, unit: Rule, seen: frozenset[str]) -> Support:
    """One sentence held against one rule: each of its clauses against each thing that the rule says."""
    if _is_whole_rule(sentence, unit):
        return Support(SupportVerdict.SUPPORTED, QuoteType.QUOTE, 1.0, (), unit)
    sources = sources_of(unit, sentence)
    whole = _best(_of_clause(sentence, each, seen) for each in sources)
    clauses = clauses_of(sentence)
    if len(clauses) < 2:
        return whole
    parts = together([_best(_of_clause(clause, each, seen) for each in sources) for clause in clauses])
    in_parts = whole.verdict is SupportVerdict.SUPPORTED and _in_order(sentence, unit.text) < _SAME_ORDER
    return parts if in_parts else _best((whole, parts))


def _of_clause(clause: str, source: Source, seen: frozenset[str]) -> Support:
    words = content_of(clause)
    if not words:
        return Support(SupportVerdict.UNSUPPORTED, None, 0.0, (Doubt.SAYS_NOTHING,), source.rule)
    doubts = doubts_about(clause, source, seen)
    if doubts:
        around = frozenset(content_of(source.around))
        share = sum(word in around for word in words) / len(words)
        partly = SOFT.issuperset(doubts) and share >= _PARTLY
        verdict = SupportVerdict.PARTLY if partly else SupportVerdict.UNSUPPORTED
        return Support(verdict, None, round(0.5 * share, 3) if partly else 0.0, doubts, source.rule)
    kind, confidence = _type(clause, words, source)
    return Support(SupportVerdict.SUPPORTED, kind, round(confidence, 3), (), source.rule)


def _is_whole_rule(sentence: str, unit: Rule) -> bool:
    """Whether it is the rule letter for letter, or all of it but what leads to it where that adds nothing."""
    said = plain(sentence)
    own = plain(" ".join(quote.text for quote in unit.body))
    return bool(said) and (said == plain(unit.text) or (unit.kind is RuleKind.SENTENCE and said == own))


def _type(clause: str, words: Sequence[str], source: Source) -> tuple[QuoteType, float]:
    if find_quote(source.rule.text, clause) is not None:
        return QuoteType.QUOTE, 1.0
    own = frozenset(content_of(source.text))
    if own.issuperset(words):
        return QuoteType.PARAPHRASE, 0.70 + 0.29 * _in_order(clause, source.text)
    return QuoteType.INFERENCE, 0.50 + 0.30 * sum(word in own for word in words) / len(words)


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
