"""Rules -> the statements shown, and the citations they point to."""

import re
from collections.abc import Iterable, Sequence

from rag_core.answering.belonging import beside, nearest
from rag_core.answering.citing import cited
from rag_core.answering.coverage import covered
from rag_core.answering.evidence import Evidence, Rule
from rag_core.answering.places import is_closed_list
from rag_core.answering.units import Unit, UnitKind
from rag_core.answering.untrusted import believed_around, first_believed
from rag_core.answering.verdicts import Decision
from rag_core.answers import Citation, Condition, ConditionKind, Quote, Statement
from rag_core.documents import Passage
from rag_core.published_places.names import codes_of, named
from rag_core.questions import QueryTerm
from rag_core.regions import seen_from

MOST_STATEMENTS = 5
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


def choose_rules(evidence: Evidence, decision: Decision, most: int) -> list[Rule]:
    """The rules to show: those that decide, what contradicts them, what conditions them, then what stands beside them;
    where nothing decides, those nearest to the question.

    However few there is room for: one that decides, one that contradicts it, the one most relevant to the question
    and the place's own, and in the end the general one that it goes before.
    """
    if decision.verdict is None:
        elsewhere = evidence.elsewhere if evidence.is_complete or not evidence.rules else ()
        return _without_repeats(nearest((*evidence.rules, *elsewhere)), most)
    first = decision.deciding[0]
    foremost = [rule for rule in evidence.rules[:1] if rule.relevance >= first.relevance]
    foremost += [rule for rule in evidence.rules if _is_nearer(rule, first)][:1]
    general = [rule for rule in decision.conditions if not rule.narrowed]
    ranked = [*decision.deciding[:1], *decision.conflicts[:1], *foremost, *decision.deciding, *decision.conflicts]
    ranked += [*_most_telling(general), *beside(evidence.rules, decision.deciding)]
    differing = decision.overridden[:1] if most > 1 else ()
    return _without_repeats([*_without_repeats(ranked, most - len(differing)), *differing, *ranked], most)


def _is_nearer(rule: Rule, other: Rule) -> bool:
    """Whether it is a rule of the place asked about, or of a smaller part of it, than the other one."""
    return rule.reading.place.specificity > other.reading.place.specificity


def _without_repeats(ranked: Sequence[Rule], most: int) -> list[Rule]:
    """The first `most` rules, without those that say nothing beside another."""
    chosen: list[Rule] = []
    for rule in ranked:
        if any(_says_as_much(other.unit, rule.unit) for other in chosen):
            continue
        lesser = [position for position, other in enumerate(chosen) if _says_as_much(rule.unit, other.unit)]
        if lesser:
            chosen[lesser[0]] = rule
            chosen = [other for position, other in enumerate(chosen) if position not in lesser[1:]]
        elif len(chosen) < most:
            chosen.append(rule)
    return chosen


def _most_telling(rules: Sequence[Rule]) -> list[Rule]:
    """The place's own before general ones, demands before what must not be shown, then by relevance."""
    return sorted(rules, key=_telling)


def _telling(rule: Rule) -> tuple[int, bool, float, int]:
    reading = rule.reading
    return -reading.place.specificity, not reading.implies, -rule.relevance, rule.unit.passage.chunk.chunk_index


def _says_as_much(unit: Unit, other: Unit) -> bool:
    """Whether all that `other` says is in `unit`."""
    return _keys(other.quotes) <= _keys(unit.quotes)


def _keys(quotes: Iterable[Quote]) -> set[str]:
    return {" ".join(quote.text.lower().split()) for quote in quotes}


def shown_quotes(unit: Unit, terms: Sequence[QueryTerm], place: str | None) -> tuple[tuple[Quote, ...], bool]:
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


def statement_text(unit: Unit, quotes: Sequence[Quote], *, shortened: bool) -> str:
    """The quotes in reading order, a list's items and a table's cells told apart."""
    lead = [quote.text for quote in quotes if quote in unit.lead]
    body = [quote.text for quote in quotes if quote not in unit.lead]
    if unit.kind is UnitKind.ROW:
        text = _row_text(lead, body)
    elif unit.kind is UnitKind.SENTENCE:
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

    def cite(self, unit: Unit) -> int:
        """The number of the section that `unit` stands in."""
        chunk = unit.passage.chunk
        key = (chunk.doc_id, chunk.policy_path)
        if key not in self._numbers:
            self._numbers[key] = len(self._made) + 1
            self._made.append(_citation(self._numbers[key], unit))
        return self._numbers[key]

    def made(self) -> tuple[Citation, ...]:
        return tuple(self._made)


def _citation(number: int, unit: Unit) -> Citation:
    return cited(number, unit.passage, *quote_span(unit.passage, _telling_quote(unit)))


def _telling_quote(unit: Unit) -> Quote:
    """The quote to open a source at: an item or a row itself, of other rules what comes first in the chunk."""
    if unit.kind in (UnitKind.ITEM, UnitKind.ROW):
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


def conditions_of(rule: Rule, statement: Statement) -> list[Condition]:
    """What a rule demands: each item of a list of demands, or the sentence itself if it names one.

    What an ad must not show conditions it too, but is no demand that can be met beforehand: it stays a statement.
    """
    unit = rule.unit
    if rule.reading.forbids_content:
        return []
    if unit.kind is UnitKind.LIST and not is_closed_list(unit):
        texts = [
            quote.text.strip(" ;,") for quote in unit.body if quote in statement.quotes and not quote.text.endswith(":")
        ]
        return [Condition(condition_kind(text), text, statement.citations) for text in texts]
    kind = condition_kind(statement.text)
    return [] if kind is ConditionKind.OTHER else [Condition(kind, statement.text, statement.citations)]


def condition_kind(text: str) -> ConditionKind:
    """What kind of condition a text states, by its first telling word in order of weight."""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), ConditionKind.OTHER)
