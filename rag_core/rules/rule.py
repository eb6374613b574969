"""A rule in its passage: verbatim quotes, the headings above them, and what was read in it at ingest."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby

from rag_core.answers import Quote
from rag_core.documents import Passage, PolicyChunk
from rag_core.layout import read_blocks
from rag_core.published_places.names import codes_of, named
from rag_core.regions import seen_from
from rag_core.rules.cues import opinion_of
from rag_core.rules.reader import KeptReading, RuleText
from rag_core.rules.structure import RuleKind, RuleSpans, Span, rules_of
from rag_core.text.injections import believed_of, speaks_to_machines
from rag_core.vocabulary import pattern

RULES_VERSION = "2"
"""Raised whenever the same text has other rules, other headings above them, or another opinion of its cues: what was
read before counts no more, and is read again."""


def rule_hash(rule: RuleText) -> str:
    """SHA-256 (hex) over the words of lead-in and body: the same wherever the sentence stands."""
    return _sha256("\n".join(" ".join(part.split()) for part in (rule.lead, rule.body)))


def text_hash(rule: RuleText) -> str:
    """SHA-256 (hex) of what a reader and an embedder get: equal hashes share a reading and a vector."""
    return _sha256(rule.text)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_EMPTY = frozenset({"-", "", "n/a"})
_ELSEWHERE = pattern("rules", "elsewhere")
"""The name of a column for all places that have none of their own."""


def row_as_words(header: str, row: str, place: str | None = None) -> str | None:
    """ "Category: Betting; Germany: No", without columns of other places than the asked one; None where header and row
    have not the same number of cells."""
    names, cells = (tuple(cell.strip() for cell in text.split(" | ")) for text in (header, row))
    if len(names) != len(cells) or len(cells) < 2:
        return None
    own = place is not None and any(places_of(name) & seen_from(place) for name in names)
    pairs = [
        (name, cell)
        for name, cell in zip(names, cells, strict=True)
        if cell.lower() not in _EMPTY
        and not (place and _is_of_another_place(name, place))
        and not (own and _ELSEWHERE.fullmatch(name))
    ]
    return "; ".join(f"{name}: {cell}" if name not in ("-", "") else cell for name, cell in pairs)


_CLAUSE_BREAK = re.compile(r"\s*;\s*|,?\s+(?:but|while|whereas)\s+", re.IGNORECASE)


def clauses_for(text: str, place: str) -> str:
    """`text` without its clauses about other places; all of it where none of them names the asked place, or what is
    left says nothing by itself ("allowed in France; not in Peru")."""
    clauses = _CLAUSE_BREAK.split(text)
    if len(clauses) < 2:
        return text
    seen = seen_from(place)
    named = [places_of(each) for each in clauses]
    if not any(each & seen for each in named) or all(each & seen or not each for each in named):
        return text
    own = "; ".join(clause for clause, each in zip(clauses, named, strict=True) if each & seen)
    if opinion_of(RuleText((), "", own)).effect is None:
        return text
    return "; ".join(clause for clause, each in zip(clauses, named, strict=True) if each & seen or not each)


def places_of(text: str) -> frozenset[str]:
    """The places that a published text names; a group of countries is its members."""
    return frozenset(codes_of(named(text)))


def _is_of_another_place(name: str, place: str) -> bool:
    places = places_of(name)
    return bool(places) and not places & seen_from(place)


@dataclass(frozen=True, slots=True)
class Rule:
    """`lead` gives `body` its meaning; both are verbatim. `path`: the headings above, outermost first. Of a list `body`
    has all items, else one quote. `kept`: None where it was not read yet."""

    passage: Passage
    kind: RuleKind
    lead: tuple[Quote, ...]
    body: tuple[Quote, ...]
    path: tuple[str, ...] = ()
    kept: KeptReading | None = field(default=None, compare=False)

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return self.lead + self.body

    @property
    def text(self) -> str:
        return " ".join(quote.text for quote in self.quotes)

    @property
    def headings(self) -> str:
        """The document's title and the headings above."""
        return " > ".join((self.passage.version.title, *self.path))

    def as_read(self, place: str | None = None) -> RuleText:
        """The rule as a reader gets it: of a table's row the cells behind the names of their columns, of a sentence its
        clauses; both without those of other places than the asked one."""
        words = None
        if self.kind is RuleKind.ROW and self.lead:
            words = row_as_words(self.lead[-1].text, self.body[0].text, place)
        lead = " ".join(quote.text for quote in (self.lead[:-1] if words else self.lead))
        body = words or " ".join(quote.text for quote in self.body)
        if place is not None and self.kind is not RuleKind.ROW:
            lead, body = clauses_for(lead, place), clauses_for(body, place)
        return RuleText((self.passage.version.title, *self.path), lead, body)


def rules_in(passage: Passage, kept: Mapping[int, KeptReading] | None = None) -> list[Rule]:
    """Every rule of a passage, in the order of the text; `kept` by their number, where it is of the same words."""
    rules = [Rule(passage, *part) for part in _parts_of(passage.chunk)]
    return [_with(rule, kept.get(number)) for number, rule in enumerate(rules)] if kept else rules


def with_lists(rules: Sequence[Rule]) -> list[Rule]:
    """`rules` and, of items below one lead-in, the whole list."""
    wholes = []
    for lead, items in groupby(rules, key=lambda each: each.lead if each.kind is RuleKind.ITEM else ()):
        together = list(items)
        if lead and len(together) > 1:
            body = tuple(quote for each in together for quote in each.body)
            wholes.append(Rule(together[0].passage, RuleKind.LIST, lead, body, together[0].path))
    return [*rules, *wholes]


def _with(rule: Rule, kept: KeptReading | None) -> Rule:
    if kept is None or kept.rule_hash not in (None, rule_hash(rule.as_read())):
        return rule
    return replace(rule, kept=kept)


def _parts_of(chunk: PolicyChunk) -> tuple[tuple[RuleKind, tuple[Quote, ...], tuple[Quote, ...], tuple[str, ...]], ...]:
    return _read(chunk.chunk_id, chunk.policy_path, chunk.policy_section, chunk.lead_in, chunk.chunk_text)


@lru_cache(maxsize=20_000)
def _read(
    chunk_id: str, policy_path: str, section: str, lead_in: str, chunk_text: str
) -> tuple[tuple[RuleKind, tuple[Quote, ...], tuple[Quote, ...], tuple[str, ...]], ...]:
    if speaks_to_machines(section):
        return ()
    before = f"{lead_in}\n" if lead_in else ""
    path = tuple(policy_path.split(" > "))[1:]
    text = before + chunk_text

    def quote(span: Span) -> Quote:
        if span.start < len(before):
            return Quote(chunk_id, text[span.start : span.end], span.start, span.end, lead_in=True)
        shift = len(before)
        return Quote(chunk_id, text[span.start : span.end], span.start - shift, span.end - shift)

    return tuple(
        (each.kind, tuple(map(quote, each.lead)), (quote(each.body),), (*path, *_below(each, section)))
        for each in rules_of(_believed(text))
        if each.body.start >= len(before)
    )


def _below(rule: RuleSpans, section: str) -> tuple[str, ...]:
    """The headings inside of the chunk that its path does not name."""
    return tuple(each for each in rule.path if each != section)


def _believed(text: str) -> str:
    """`text` with what speaks to machines blanked out, so that offsets stay."""
    for block in read_blocks(text):
        kept = believed_of(block)
        if kept != block.text:
            start = block.start + len(kept)
            text = text[:start] + " " * (block.end - start) + text[block.end :]
    return text
