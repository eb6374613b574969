"""Places and platforms side by side: what was found for each pair that was asked about, and what was not."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rag_core.answering.evidence import Target
from rag_core.answers import Comparison, ComparisonRow, PlaceVerdict, Statement
from rag_core.questions import Question, Scope

MOST_ROWS = 6


def spread(targets: Sequence[Target], most: int = MOST_ROWS) -> list[Target]:
    """At most `most` of the targets, in their order: the first one of every place goes before the second of any, so
    that no place is lost to the platforms of another."""
    places = dict.fromkeys(target.place for target in targets)
    columns = [[target for target in targets if target.place == place] for place in places]
    rounds = [target for each in zip_longest(*columns) for target in each if target is not None]
    kept = rounds[:most]
    return [target for target in targets if any(target is each for each in kept)]


def row_of(target: Target, shown: Iterable[Statement], verdict: PlaceVerdict | None) -> ComparisonRow:
    """What is shown for one target: `shown` are its statements, `verdict` the one that is read from them."""
    numbers = tuple(dict.fromkeys(number for statement in shown for number in statement.citations))
    return ComparisonRow(
        region=target.place,
        policy_source=target.policy_source,
        verdict=verdict.verdict if verdict else None,
        conditions=verdict.conditions if verdict else (),
        not_stated=target.not_stated,
        citations=_first(verdict.citations, numbers) if verdict else numbers,
    )


def _first(first: tuple[int, ...], then: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*first, *then)))


def comparison_of(question: Question, rows: Sequence[ComparisonRow]) -> Comparison | None:
    """The table for what was asked, place by place; None where the question names only one place and one platform.

    A pair for which no rule is shown has a row without citations. Of more pairs than `MOST_ROWS`, those with rules are
    shown and the others counted: they may not have been looked at.
    """
    if len(question.scope.regions) < 2 and len(question.scope.policy_sources) < 2:
        return None
    found = {(row.region, row.policy_source): row for row in rows if row.citations}
    silent = tuple(term.text for term in question.terms)
    pairs = _pairs(question.scope, found)
    shown = pairs if len(pairs) <= MOST_ROWS else [pair for pair in pairs if pair in found][:MOST_ROWS]
    table = [found.get(pair) or ComparisonRow(*pair, None, not_stated=silent) for pair in shown]
    return Comparison(tuple(table), len(pairs) - len(table)) if len(pairs) > 1 else None


def _pairs(scope: Scope, found: Iterable[tuple[str | None, str | None]]) -> list[tuple[str | None, str | None]]:
    """Every pair asked about; where no platform was named, those that have a rule for the place, or None."""
    pairs: list[tuple[str | None, str | None]] = []
    known = list(found)
    for place in scope.regions or (None,):
        answering = [slug for region, slug in known if region == place] or [None]
        pairs += [(place, slug) for slug in scope.policy_sources or answering]
    return pairs


def stated_by_none(comparison: Comparison) -> tuple[str, ...]:
    """The words of the question that no row covers: what one side leaves open stands in its row alone."""
    quoted = [row for row in comparison.rows if row.citations]
    words = dict.fromkeys(word for row in quoted for word in row.not_stated)
    return tuple(word for word in words if all(word in row.not_stated for row in quoted))
