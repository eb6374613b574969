"""A rule that is asked for by its number: it alone, where it was found."""

from collections.abc import Sequence

from rag_core.retrieval.found import Found
from rag_core.retrieval.wordings import rule_key


def of_rule(results: Sequence[Found], number: str | None) -> list[Found]:
    """The results of the rule `number` and of the rules under it; all of them where no rule has that number."""
    return of_no_other_rule(results, number) or list(results)


def of_no_other_rule(results: Sequence[Found], number: str | None) -> list[Found]:
    """The same, but none of them where no rule has that number."""
    if number is None:
        return list(results)
    asked = rule_key(number)
    return [each for each in results if _is_within(each.passage.chunk.rule_number, asked)]


def _is_within(number: str | None, asked: str) -> bool:
    if number is None:
        return False
    key = rule_key(number)
    return key == asked or key.startswith((f"{asked}.", f"{asked}("))
