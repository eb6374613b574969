"""What a text bans already, by section: an added ban that may be among it is none that is new."""

from collections import defaultdict
from collections.abc import Sequence

from rag_core.changes.effects import clauses_of
from rag_core.changes.standing import ruling_on
from rag_core.changes.units import Unit
from rag_core.layout import BlockKind
from rag_core.rules.reader import Effect

_RESTATED = 0.5
_MOST = 300
"""Bans of one section, above which an added one is taken to be among them."""


def telling_words(unit: Unit) -> set[str]:
    """Its longer words: those that name things."""
    words = set(unit.key.split())
    return {word for word in words if len(word) > 3} or words


class Bans:
    """The bans of a text, read when first asked for."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._by_section: dict[str, list[set[str]]] | None = None

    def may_have(self, unit: Unit) -> bool:
        """Whether something that shares its words is banned in its section, or in one of those around it."""
        if self._by_section is None:
            self._by_section = _bans(self._units)
        known = self._by_section
        words = telling_words(unit)
        for title in ("", *unit.path):
            bans = known.get(title.casefold(), ())
            if len(bans) > _MOST:
                return True
            if any(len(words & ban) >= _RESTATED * min(len(words), len(ban)) for ban in bans):
                return True
        return False


def _bans(units: Sequence[Unit]) -> dict[str, list[set[str]]]:
    found: dict[str, list[set[str]]] = defaultdict(list)
    for at, unit in enumerate(units):
        if unit.kind is not BlockKind.HEADING and unit.key and _is_ban(units, at):
            found[unit.path[-1].casefold() if unit.path else ""].append(telling_words(unit))
    return found


def _is_ban(units: Sequence[Unit], at: int) -> bool:
    own = [clause for clause in clauses_of(units[at].text) if not clause.about_content or clause.negative]
    if own:
        return any(clause.negative or clause.effect is Effect.PROHIBITS for clause in own)
    return ruling_on(units, at) is Effect.PROHIBITS
