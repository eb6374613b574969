"""Rules -> the statements shown, and the citations they point to."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rag_core.answering.evidence import Target, nearest_of
from rag_core.answers import Citation, Condition, ConditionKind, Quote, Statement
from rag_core.documents import Passage
from rag_core.published_places.names import codes_of, named
from rag_core.questions import QueryTerm
from rag_core.regions import seen_from
from rag_core.rules.judging import JudgedRule
from rag_core.rules.reader import Effect
from rag_core.rules.rule import Rule
from rag_core.rules.structure import RuleKind
from rag_core.text.injections import believed_around, first_believed
from rag_core.understanding.terms import covered


def is_verbatim(quote: Quote, passage: Passage) -> bool:
    """Whether `quote` stands in its chunk (or the chunk's lead-in) at the offsets it claims."""
    source = passage.chunk.lead_in if quote.lead_in else passage.chunk.chunk_text
    return bool(quote.text.strip()) and quote.start >= 0 and source[quote.start : quote.end] == quote.text


def is_supported(statement: Statement, passages: Mapping[str, Passage]) -> bool:
    """Whether every quote of `statement` is verbatim in a passage that was retrieved."""
    return bool(statement.quotes) and all(
        quote.chunk_id in passages and is_verbatim(quote, passages[quote.chunk_id]) for quote in statement.quotes
    )


def is_sound(citation: Citation, passages: Mapping[str, Passage]) -> bool:
    """Whether a citation's quote is what the chunk has at its offsets."""
    if (passage := passages.get(citation.chunk_id)) is None:
        return False
    chunk = passage.chunk
    start, end = citation.char_start - chunk.char_start, citation.char_end - chunk.char_start
    return 0 <= start < end and chunk.chunk_text[start:end] == citation.quote


def cited(number: int, passage: Passage, start: int, end: int) -> Citation:
    """Quotes `start` to `end`, offsets in the chunk's text, to the letter."""
    chunk, version = passage.chunk, passage.version
    return Citation(
        number=number,
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        document_id=version.document_id,
        policy_source=chunk.policy_source,
        title=version.title,
        url=chunk.doc_url or version.url,
        anchor=chunk.anchor,
        section_path=chunk.policy_path,
        rule_number=chunk.rule_number,
        page=chunk.page,
        regions=chunk.regions,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        checked_at=version.checked_at,
        char_start=chunk.char_start + start,
        char_end=chunk.char_start + end,
        quote=chunk.chunk_text[start:end],
        author=version.author,
        posted_at=version.posted_at,
        post_number=version.post_number,
        date_stated=version.date_stated,
    )


MOST_STATEMENTS = 5
MOST_RULES = 12
"""Rules in all of these, items of one list counted one by one."""

MOST_NEAREST = 3
"""Rules that are shown where none decides."""

LONGEST_STATEMENT = 900
"""Characters of a list that are shown; what is left out is marked."""

LEFT_OUT = " [...]"

_SHORTEST_QUOTE, _LONGEST_QUOTE = 50, 200
_ROW, _ROW_END = "| ", " |"

_KINDS: tuple[tuple[ConditionKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            ConditionKind.AGE,
            r"\b(?:1[3-9]|2[0-5])\b(?!\s*%).{0,40}|\baged?\b|\byears?\b|\bminors?\b|\bchildren\b|legal drinking",
        ),
        (ConditionKind.LICENCE, r"\blicen[cs]\w*|\bregistered\b|\bregulator\b"),
        (ConditionKind.CERTIFICATION, r"\bcertif\w+|\baccredit\w+|\bverif\w+"),
        (ConditionKind.APPROVAL, r"\bapprov\w+|\bpermission\b|\bauthori[sz]\w+|\bconsent\b|\breview\b"),
        (
            ConditionKind.LABELLING,
            r"\blabel\w*|\bdisclaim\w+|\bwarning\w*|\bdisclos\w+|\bstate[sd]?\b|\bmessage\b|\bcarry\b|\bwords\b",
        ),
        (ConditionKind.TARGETING, r"\btarget\w*|\baudience\w*|\bshown?\s+to\b|\bdirected\b|\bserved?\s+to\b"),
    )
)


def choose_rules(target: Target, most: int) -> list[JudgedRule]:
    """The rules to show: those that decide, what contradicts them, what conditions them; where nothing decides, those
    nearest to the question. However few there is room for: one that decides, one that contradicts it, and in the end
    the general one that it goes before."""
    decision = target.decision
    if not decision.deciding:
        return _without_repeats(nearest_of(target.rules or target.elsewhere), min(most, MOST_NEAREST))
    ranked = [*decision.deciding[:1], *decision.conflicts[:1], *decision.deciding, *decision.conflicts]
    ranked += sorted(decision.conditions, key=lambda each: (-each.place.specificity, -each.conditions))
    differing = decision.overridden[:1] if most > 1 else ()
    return _without_repeats([*_without_repeats(ranked, most - len(differing)), *differing], most)


def _without_repeats(ranked: Sequence[JudgedRule], most: int) -> list[JudgedRule]:
    """The first `most` rules, without those that say nothing beside another."""
    chosen: list[JudgedRule] = []
    for each in ranked:
        if any(_says_as_much(other.rule, each.rule) for other in chosen):
            continue
        lesser = [position for position, other in enumerate(chosen) if _says_as_much(each.rule, other.rule)]
        if lesser:
            chosen[lesser[0]] = each
            chosen = [other for position, other in enumerate(chosen) if position not in lesser[1:]]
        elif len(chosen) < MOST_RULES and len({_list_of(other) for other in [*chosen, each]}) <= most:
            chosen.append(each)
    return chosen


def _list_of(judged: JudgedRule) -> tuple[Quote, ...]:
    """What items of one list share, and no other rule does."""
    rule = judged.rule
    return rule.lead if rule.kind is RuleKind.ITEM and rule.lead else rule.quotes


def joined(chosen: Sequence[JudgedRule]) -> list[tuple[JudgedRule, ...]]:
    """The rules that make one statement each: items of one list stand together, where the first of them stood."""
    lists: dict[tuple[Quote, ...], list[JudgedRule]] = {}
    for each in chosen:
        lists.setdefault(_list_of(each), []).append(each)
    return [tuple(each) for each in lists.values()]


def as_one(parts: Sequence[JudgedRule]) -> Rule:
    """The items of one list as one rule, in the order of the text."""
    rule = parts[0].rule
    if len(parts) == 1:
        return rule
    body = sorted((quote for each in parts for quote in each.rule.body), key=lambda quote: quote.start)
    return replace(rule, kind=RuleKind.LIST, body=tuple(body))


def _says_as_much(rule: Rule, other: Rule) -> bool:
    """Whether all that `other` says is in `rule`."""
    return _keys(other.quotes) <= _keys(rule.quotes)


def _keys(quotes: Iterable[Quote]) -> set[str]:
    return {" ".join(quote.text.lower().split()) for quote in quotes}


def shown_quotes(unit: Rule, terms: Sequence[QueryTerm], place: str | None) -> tuple[tuple[Quote, ...], bool]:
    """The quotes of a unit that are shown, in its order, and whether some are left out.

    A long list keeps the items that name the place or the things asked about before the others: what a verdict is
    read from must be there to be seen.
    """
    length = sum(len(quote.text) for quote in unit.lead)
    kept: set[Quote] = set()
    for quote in sorted(unit.body, key=lambda quote: not _is_asked(quote.text, terms, place)):
        length += len(quote.text) + 1
        if length <= LONGEST_STATEMENT or not kept:
            kept.add(quote)
    body = tuple(quote for quote in unit.body if quote in kept)
    return unit.lead + body, len(body) < len(unit.body)


def _is_asked(text: str, terms: Sequence[QueryTerm], place: str | None) -> bool:
    """Whether an item speaks of what was asked about."""
    seen = seen_from(place) if place else frozenset[str]()
    return bool(covered(text, terms)) or bool(seen & set(codes_of(named(text))))


def statement_text(unit: Rule, quotes: Sequence[Quote], *, shortened: bool) -> str:
    """The quotes in reading order, a list's items and a table's cells told apart."""
    lead = [quote.text for quote in quotes if quote in unit.lead]
    body = [quote.text for quote in quotes if quote not in unit.lead]
    if unit.kind is RuleKind.ROW:
        text = _row_text(lead, body)
    elif unit.kind is RuleKind.SENTENCE:
        text = " ".join([*lead, *body])
    else:
        text = " ".join([*lead, _listed(body)])
    return text + LEFT_OUT if shortened else text


def _listed(items: Sequence[str]) -> str:
    """The items as one line; one that leads on to the next keeps its colon."""
    parts = [item if item.endswith(":") else f"{item.rstrip(' ;,.')};" for item in items[:-1]]
    return " ".join([*parts, *items[-1:]])


def _row_text(lead: Sequence[str], body: Sequence[str]) -> str:
    header = lead[0].split(" | ") if lead else []
    cells = body[0].split(" | ")
    if len(header) != len(cells):
        return " | ".join(cells)
    return "; ".join(f"{name}: {cell}" for name, cell in zip(header, cells, strict=True))


class Citations:
    """Numbers sections as they are cited: a section cited twice is one citation."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._made: list[Citation] = []

    def cite(self, unit: Rule) -> int:
        """The number of the section that `unit` stands in."""
        chunk = unit.passage.chunk
        key = (chunk.doc_id, chunk.policy_path)
        if key not in self._numbers:
            self._numbers[key] = len(self._made) + 1
            self._made.append(_citation(self._numbers[key], unit))
        return self._numbers[key]

    def made(self) -> tuple[Citation, ...]:
        return tuple(self._made)


def _citation(number: int, unit: Rule) -> Citation:
    return cited(number, unit.passage, *quote_span(unit.passage, _telling_quote(unit)))


def _telling_quote(unit: Rule) -> Quote:
    """The quote to open a source at: an item or a row itself, of other rules what comes first in the chunk."""
    if unit.kind in (RuleKind.ITEM, RuleKind.ROW):
        return unit.body[0]
    return next((quote for quote in unit.quotes if not quote.lead_in), unit.body[0])


def quote_span(passage: Passage, quote: Quote) -> tuple[int, int]:
    """Offsets in the chunk of a quote of 50 to 200 characters that holds `quote` or its beginning.

    A short one grows by whole words to its right, then to its left; a chunk shorter than that is quoted whole. One in a
    table's row stays in it, however short.
    """
    whole = passage.chunk.chunk_text
    start, end = (first_believed(whole),) * 2 if quote.lead_in else (quote.start, quote.end)
    first, last = _within_row(whole, start, end, *believed_around(whole, start, end))
    text = whole[:last]
    if quote.lead_in:
        return start, _word_end(text, min(len(text), start + _LONGEST_QUOTE))
    if end - start > _LONGEST_QUOTE:
        return start, _word_end(text, start + _LONGEST_QUOTE)
    if end - start < _SHORTEST_QUOTE:
        end = _word_end(text, min(len(text), start + _SHORTEST_QUOTE + 40)) if end < len(text.rstrip()) else end
    if end - start < _SHORTEST_QUOTE:
        earliest = max(first, end - _SHORTEST_QUOTE - 40)
        start = min(start, first if earliest == first else _word_start(text, earliest))
    return start, end


def _within_row(text: str, start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """Between `first` and `last`, without the other rows of a table: they may be rules of other countries."""
    begins = text.rfind("\n", 0, start) + 1
    if start == end or not text.startswith(_ROW, begins):
        return first, last
    ends = text.find("\n", end)
    ends = len(text) if ends < 0 else ends
    ends -= len(_ROW_END) if text.endswith(_ROW_END, end, ends) else 0
    return max(first, begins + len(_ROW)), min(last, ends)


def _word_end(text: str, position: int) -> int:
    if position >= len(text):
        return len(text.rstrip())
    cut = max(text.rfind(" ", 0, position + 1), text.rfind("\n", 0, position + 1))
    return len(text[: cut if cut > 0 else position].rstrip())


def _word_start(text: str, position: int) -> int:
    if position == 0:
        return 0
    following = re.compile(r"\s").search(text, position)
    return following.end() if following else position


def conditions_of(judged: JudgedRule, statement: Statement) -> list[Condition]:
    """What a rule demands, where it limits or requires: the kind and the words of it; of a list's item its own."""
    if judged.effect not in (Effect.LIMITS, Effect.REQUIRES):
        return []
    own = judged.rule.body[0].text.strip(" ;,") if judged.rule.kind is RuleKind.ITEM else statement.text
    kind = condition_kind(own)
    return [] if kind is ConditionKind.OTHER else [Condition(kind, own, statement.citations)]


def condition_kind(text: str) -> ConditionKind:
    """What kind of condition a text states, by its first telling word in order of weight."""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), ConditionKind.OTHER)
