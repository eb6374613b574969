"""Which part of a change a subscription wants to hear of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rag_core.documents import Passage
from rag_core.policy_changes import ChangeKind, PolicyChange, RuleChange, SectionChange
from rag_core.questions import Filters, QueryTerm
from rag_core.regions import seen_from
from rag_core.text.injections import speaks_to_machines
from rag_core.understanding.terms import covered, terms_of
from rag_core.understanding.thesaurus import kinds_of


@dataclass(frozen=True, slots=True)
class Spot:
    """A passage of one of the versions that a change is about: under which headings, and for which places."""

    path: str
    regions: tuple[str, ...]
    excluded: tuple[str, ...] = ()


def spot_of(passage: Passage) -> Spot:
    chunk = passage.chunk
    return Spot(chunk.policy_path, chunk.regions, chunk.regions_excluded)


def needs_spots(filters: Filters) -> bool:
    """Whether `wanted_part` can tell only by the passages of the versions."""
    return bool(filters.regions or filters.sections)


def wanted_part(change: PolicyChange, filters: Filters, spots: Sequence[Spot]) -> PolicyChange | None:
    """The change with those sections alone that the filters are about; None if that is nothing. A change of mere form
    is none, and what speaks to machines is no rule. What no passage stands for counts for every place: nothing may be
    lost."""
    if change.kind is ChangeKind.FORMATTING:
        return None
    if filters.policy_sources and change.policy_source not in filters.policy_sources:
        return None
    if change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
        return change if _whole_is_wanted(change, filters, spots) else None
    sections = [narrowed for each in change.sections if (narrowed := _rules_of(each)) is not None]
    sections = [each for each in sections if _section_is_wanted(change, each, filters, spots)]
    return replace(change, sections=tuple(sections)) if sections else None


def together(parts: Sequence[PolicyChange]) -> PolicyChange:
    """Parts of one change for several subscriptions, as one: each section once, in their order."""
    sections = list(dict.fromkeys(section for part in parts for section in part.sections))
    return replace(parts[0], sections=tuple(sections))


def spots_under(path: Sequence[str], spots: Iterable[Spot]) -> list[Spot]:
    """Those under the last of these headings."""
    leaf = path[-1].strip().casefold() if path else ""
    return [each for each in spots if not leaf or leaf in (part.strip().casefold() for part in each.path.split(" > "))]


def topic(text: str) -> tuple[QueryTerm, ...]:
    """What a topic of a subscription may be called in a rule: itself, other words for it, and its kinds."""
    return tuple(
        replace(
            term, synonyms=(*term.synonyms, *(kind for word in (term.text, *term.synonyms) for kind in kinds_of(word)))
        )
        for term in terms_of(text)
    )


def _rules_of(section: SectionChange) -> SectionChange | None:
    rules = tuple(each for each in section.rules if not _speaks_to_machines(section, each))
    return replace(section, rules=rules) if rules else None


def _speaks_to_machines(section: SectionChange, rule: RuleChange) -> bool:
    return any(map(speaks_to_machines, (*section.path, *rule.around, rule.lead_in, rule.before, rule.after)))


def _whole_is_wanted(change: PolicyChange, filters: Filters, spots: Sequence[Spot]) -> bool:
    if speaks_to_machines(change.title) or not _holds(spots, filters):
        return False
    return _is_on(filters, "\n".join((change.title, *(each.path for each in spots))))


def _section_is_wanted(change: PolicyChange, section: SectionChange, filters: Filters, spots: Sequence[Spot]) -> bool:
    if not _holds(spots_under(section.path, spots), filters):
        return False
    said = [text for rule in section.rules for text in (rule.lead_in, *rule.around, rule.before, rule.after)]
    return _is_on(filters, "\n".join((change.title, *section.path, *said)))


def _holds(spots: Sequence[Spot], filters: Filters) -> bool:
    if not filters.regions or not spots:
        return True
    return any(
        seen_from(place) & set(spot.regions) and place not in spot.excluded
        for place in filters.regions
        for spot in spots
    )


def _is_on(filters: Filters, text: str) -> bool:
    return not filters.sections or any(covered(text, topic(each)) for each in filters.sections)
