"""Every draft is held against what it cites. What fails is dropped, with the reason; nothing is repaired."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rag_core.answering.coverage import covered
from rag_core.answering.facts import places_in
from rag_core.answering.generative.drafts import Checked, Documents, Draft, DraftCitation, DropCode, Dropped
from rag_core.answering.generative.prompt import REFUSAL
from rag_core.answering.locate import plain
from rag_core.answering.polarity import Effect, clauses_of
from rag_core.answering.support import Doubt, Support, SupportVerdict, claimed_effects, support
from rag_core.answering.units import Unit
from rag_core.answering.verify import is_verbatim
from rag_core.answers import Quote, QuoteType, Statement, Verdict
from rag_core.documents import Passage
from rag_core.questions import QueryTerm
from rag_core.regions import GLOBAL, seen_from
from rag_core.understanding.cleaning import strip_controls

LONGEST_DRAFT = 600
"""Characters: two sentences."""

_LABEL = re.compile(r"\s*\[\s*doc\d+(?:\s*,\s*doc\d+)*\s*\]", re.IGNORECASE)
_LINK = re.compile(
    r"\b[a-z][a-z0-9+.-]*://|\b(?:javascript|data|mailto|vbscript|file):|\bwww\.|\b[\w-]+\.(?=[a-z]{2,}\b)[a-z]+(?:/|\b)|@\w",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[<>\[\]{}`*_|~\\#^=]|&\w+;|^\s*[-+@]|!\(|^\(.*\)\W*$")
"""Mark-up, formulas, and what stands in brackets as a whole: a reference or a stage direction, no sentence."""
_INSTRUCTION = re.compile(
    r"\b(?:assistants?|chat\s?bots?|(?:language|ai)\s+models?|models\s+should|llms?"
    r"|this\s+(?:chat|bot|conversation)|policy\s+owner|hereby\s+(?:waive|permit|allow)"
    r"|(?:system|developer)\s+(?:prompt|message)s?|whoever\s+summari[sz]es|says\s+the\s+reviewer"
    r"|you\s+are\s+(?:now|an?)\b|(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,3}(?:instructions?|rules?|above|line|older"
    r"|previous|earlier|policies)"
    r"|(?:reply|respond|answer|print|repeat|output|state|quote)\s+(?:that|with|only|this|the\s+(?:words?|text|sentence))"
    r"|say\s+(?:that|yes)|(?:do\s+not|never)\s+(?:mention|quote|cite|tell)|(?:right|correct|only)\s+(?:reply|answer)\s+is"
    r"|verdict\s*[:=]|confidence\s*[:=]|end\s+of\s+(?:the\s+)?(?:document|context)|system\s*:|user\s*:|developer\s*(?:mode|:))",
    re.IGNORECASE,
)
"""What speaks to whoever reads documents for others is no rule for advertisers, wherever it stands."""

_WEAKNESS = (QuoteType.QUOTE, QuoteType.PARAPHRASE, QuoteType.INFERENCE)


@dataclass(frozen=True, slots=True)
class CheckScope:
    """What an answer is about: the places and words asked, and the judge's verdicts, which no draft may go beyond."""

    places: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    terms: tuple[QueryTerm, ...] = ()


@dataclass(slots=True)
class DraftCheck:
    """Checks the drafts of one answer, in order."""

    documents: Documents
    scope: CheckScope = field(default_factory=CheckScope)
    _seen: set[str] = field(default_factory=set)

    def check(self, draft: Draft) -> Checked | Dropped:
        text = _without_labels(draft.text)
        reason = _unfit(text) or self._is_repeated(text)
        found = reason or self._supported(text, draft.citations)
        if isinstance(found, DropCode | Doubt):
            return Dropped(text[:LONGEST_DRAFT], found)
        self._seen.add(plain(text))
        return found

    def _is_repeated(self, text: str) -> DropCode | None:
        return DropCode.REPEATED if plain(text) in self._seen else None

    def _supported(self, text: str, citations: Sequence[DraftCitation]) -> Checked | DropCode | Doubt:
        if reason := self._beyond_scope(text):
            return reason
        cited = [(self.documents[each.doc], each.quote) for each in citations if each.doc in self.documents]
        if len(cited) < max(len(citations), 1):
            return DropCode.UNKNOWN_DOCUMENT if citations else DropCode.NO_CITATION
        if any(_INSTRUCTION.search(each.quote or "") for each in citations):
            return DropCode.INSTRUCTION
        sentences = _each_sentence(text, cited, self.scope.places)
        if isinstance(sentences, Doubt):
            return sentences
        if weak := [each for each in sentences if each.verdict is not SupportVerdict.SUPPORTED]:
            return _why_weak(weak)
        found = _checked(text, sentences)
        return found if isinstance(found, DropCode) or self._is_about_it(found) else DropCode.OFF_QUESTION

    def _is_about_it(self, found: Checked) -> bool:
        """Whether it speaks of anything asked; under a heading that does, whether it says what may or must be."""
        said = " ".join([found.statement.text, *(unit.text for unit in found.units)])
        if not self.scope.terms or covered(said, self.scope.terms):
            return True
        above = any(covered(unit.headings, self.scope.terms) for unit in found.units)
        return above and bool(clauses_of(found.statement.text))

    def _beyond_scope(self, text: str) -> DropCode | None:
        seen = frozenset(code for place in self.scope.places for code in seen_from(place)) - {GLOBAL}
        if seen and (named := places_in(text)) and not named & seen:
            return DropCode.OTHER_PLACE
        permits = Effect.ALLOWS in claimed_effects(text)
        if permits and self.scope.verdicts and Verdict.ALLOWED not in self.scope.verdicts:
            return DropCode.AGAINST_VERDICT
        return None


def _why_weak(weak: Sequence[Support]) -> DropCode | Doubt:
    if any(_INSTRUCTION.search(each.unit.text) for each in weak if each.unit is not None):
        return DropCode.INSTRUCTION
    return next(iter(weak[0].doubts), Doubt.WORDS_MISSING)


def _without_labels(text: str) -> str:
    """The text without labels of documents, which are not for readers, and without hidden characters."""
    return " ".join(strip_controls(_LABEL.sub("", text)).split())


def _unfit(text: str) -> DropCode | None:
    """Whether nothing like this is ever shown, whatever it rests on."""
    if not any(letter.isalpha() for letter in text):
        return DropCode.EMPTY
    if len(text) > LONGEST_DRAFT:
        return DropCode.TOO_LONG
    if plain(REFUSAL) in plain(text):
        return DropCode.REFUSAL
    if _LINK.search(text):
        return DropCode.LINK
    if _MARKUP.search(text):
        return DropCode.MARKUP
    return DropCode.INSTRUCTION if _INSTRUCTION.search(text) else None


def _each_sentence(
    text: str, cited: Sequence[tuple[Passage, str | None]], places: Sequence[str]
) -> tuple[Support, ...] | Doubt:
    """The best support of each sentence among what is cited; a quote that is nowhere is reason enough to drop all."""
    results: list[tuple[Support, ...]] = []
    for passage, quote in cited:
        found = support(text, passage, quote, places)
        if missing := _bad_quote(found):
            return missing
        results.append(found)
    return tuple(max(each, key=_strength) for each in zip(*results, strict=True))


def _bad_quote(found: Sequence[Support]) -> Doubt | None:
    if not found:
        return Doubt.SAYS_NOTHING
    bad = (Doubt.QUOTE_NOT_FOUND, Doubt.QUOTE_TOO_SHORT)
    return next((doubt for doubt in found[0].doubts if doubt in bad), None)


def _strength(result: Support) -> tuple[bool, float]:
    return result.verdict is SupportVerdict.SUPPORTED, result.confidence


def _checked(text: str, sentences: Sequence[Support]) -> Checked | DropCode:
    units = tuple({each.quotes: each.unit for each in sentences if each.unit is not None}.values())
    if any(_INSTRUCTION.search(quote.text) for unit in units for quote in unit.quotes):
        return DropCode.INSTRUCTION
    if not units or not all(is_verbatim(quote, unit.passage) for unit in units for quote in unit.quotes):
        return DropCode.NOT_VERBATIM
    kind = max((each.quote_type or QuoteType.INFERENCE for each in sentences), key=_WEAKNESS.index)
    statement = Statement(text, (), _quotes(units))
    return Checked(statement, units, kind, min(each.confidence for each in sentences))


def _quotes(units: Iterable[Unit]) -> tuple[Quote, ...]:
    return tuple(dict.fromkeys(quote for unit in units for quote in unit.quotes))


def by_label(passages: Mapping[str, Passage], labels: Iterable[str]) -> Documents:
    """Only the documents with these labels; all where none is known."""
    chosen = {each: passages[each] for each in labels if each in passages}
    return chosen or dict(passages)
