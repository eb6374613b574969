"""Table rows: what the cells of a row say about the thing asked."""

import re
from collections.abc import Sequence

from rag_core.answering.coverage import covered, covers
from rag_core.answering.polarity import Effect, clauses_of
from rag_core.answering.units import Unit
from rag_core.questions import QueryTerm
from rag_core.regions import find_regions, region_named, seen_from
from rag_core.understanding.terms import terms_of
from rag_core.understanding.thesaurus import stems_of_phrase

_YES = re.compile(
    r"^\W*(?:yes|y|allowed|permitted|accepted|approved|welcome|fine|unrestricted|may run|can run|eligible|✓|✔|✅|ok"
    r"|okay)\W*$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no|n|never|none allowed|not (?:allowed|permitted|accepted|available|ok|okay|possible|eligible|welcome)"
    r"|may not run|cannot run"
    r"|prohibited|banned|forbidden|disallowed|refused|rejected|declined|ineligible|off[- ]limits|no[- ]go|✗|✘|❌|×"
    r"|✖)\W*$",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"\b(?:restrict\w*|limited|with (?:prior )?(?:approval|permission|conditions|restrictions)|licen[cs]\w*"
    r"|approval|certif\w*|only|partly|partially|conditional\w*|subject to)\b|^\W*yes\W+\w",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"^\W*(?:only\s+(?:(?:for|in)\s+)?(?P<first>[^.;]{1,60}?)|(?P<last>[^.;]{1,60}?)\s+only)\W*$", re.IGNORECASE
)
_EVERYWHERE = re.compile(
    r"^\W*(?:(?:in\s+)?(?:all|any|every|the)?\s*(?:other|remaining)?\s*(?:countr(?:y|ies)|markets?|places?|regions?"
    r"|territor(?:y|ies))|all|any"
    r"|everywhere(?:\s+else)?|elsewhere|worldwide|global(?:ly)?|(?:the\s+)?rest\s+of\s+(?:the\s+)?world"
    r"|international)\W*$",
    re.IGNORECASE,
)
"""A cell that says where, but names no place."""

_EMPTY = re.compile(r"^\W*(?:none|n/?a|no conditions|no restrictions|nil)?\W*$", re.IGNORECASE)


def row_effect(unit: Unit, terms: Sequence[QueryTerm], place: str | None = None) -> Effect | None:
    """The effect of a table row: from its yes/no cells (of the asked column, where columns are things), or None.

    A "yes" beside a cell with conditions restricts; columns that differ restrict too. "Tyrol only" is a no for the rest
    of Austria, "Darts only" in a table on toys a no for kites.
    """
    header = [cell.strip() for quote in unit.lead for cell in quote.text.split(" | ")]
    cells = [cell.strip() for quote in unit.body for cell in quote.text.split(" | ")]
    effects = {position: effect for position, cell in enumerate(cells) if (effect := _cell_effect(cell)) is not None}
    if not effects:
        return None
    if any(_leaves_out(cells[position], unit, terms, place) for position in effects):
        return Effect.PROHIBITS
    asked = [position for position in effects if position < len(header) and covered(header[position], terms)]
    if len(effects) > 1 and asked:
        effects = {position: effects[position] for position in asked}
    found = set(effects.values())
    if found != {Effect.ALLOWS}:
        return found.pop() if len(found) == 1 else Effect.RESTRICTS
    others = [cell for position, cell in enumerate(cells) if position not in effects]
    conditions = [
        cell for cell in others[1:] if not (_EMPTY.match(cell) or _EVERYWHERE.match(cell) or region_named(cell))
    ]
    return Effect.RESTRICTS if conditions else Effect.ALLOWS


def _leaves_out(cell: str, unit: Unit, terms: Sequence[QueryTerm], place: str | None) -> bool:
    """Whether a cell allows only other places, or only other kinds of the thing, than those asked about."""
    match = _ONLY.match(cell)
    if match is None:
        return False
    named = match["first"] or match["last"]
    places = {mention.code for mention in find_regions(named)}
    if places:
        return place is not None and not any(code in seen_from(place) or place in seen_from(code) for code in places)
    kinds = terms_of(named)
    wide = {each for kind in kinds for each in kind.broader}
    asked = [term for term in terms if wide & set(term.broader) and covers(unit.headings, term)]
    return bool(asked) and not any(_is_kind_of(term, kind) for term in asked for kind in kinds)


def _is_kind_of(term: QueryTerm, kind: QueryTerm) -> bool:
    """Whether it is just that, or something narrower: scratch cards are of lotteries, a casino is no sports betting."""
    named = {stems_of_phrase(each) for each in (kind.text, *kind.synonyms)}
    return any(stems_of_phrase(each) in named for each in term.wordings)


def _cell_effect(cell: str) -> Effect | None:
    if _NO.match(cell):
        return Effect.PROHIBITS
    if _YES.match(cell):
        return Effect.ALLOWS
    for clause in clauses_of(cell):
        if not clause.about_content:
            return clause.effect
    return Effect.RESTRICTS if _SOME.search(cell) and len(cell) < 80 else None
