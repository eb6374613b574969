"""What of all that changed is meant by a question: by its words, its places, newest first."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rag_core.answering.coverage import covered
from rag_core.answering.evidence import NEAR
from rag_core.documents import Passage
from rag_core.policy_changes import ChangeKind, PolicyChange, RuleChange, SectionChange
from rag_core.questions import QueryTerm, Question
from rag_core.regions import GLOBAL, country_of, find_regions, seen_from

_OF_CHANGING = re.compile(
    r"chang\w*|updat\w*|new(?:er|est|ly|s)?|whats|differ\w*|revis\w*|amend\w*|edit(?:s|ed)?|add(?:s|ed|ing|itions?)?"
    r"|remov\w*|delet\w*|dropp?(?:ed|s)?|introduc\w*|repeal\w*|replac\w*|modif\w*|happen\w*|recent\w*|latest|last(?:ly)?"
    r"|versions?|histor\w*|lately|since|between|until|stricter|looser|tighten\w*|relax\w*|loosen\w*|tables?|lists?"
    r"|examples?|weeks?|months?|years?|days?|past|previous\w*|before|after|compared?|became|become|\d{4}"
    r"|jan(?:uary)?|feb(?:ruary)?|march|april|june?|july?|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?",
    re.IGNORECASE,
)
"""Words of asking for changes: whatever changed, they tell nothing apart."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A rule of `change` (None: the document itself came or went) with the words of the question that it lacks.

    `is_local`: it names a place that was asked about, or stands under its name. `distance`: how many of the words
    neither it nor its headings have, but only the document's title.
    """

    change: PolicyChange
    section: SectionChange | None
    rule: RuleChange | None
    missing: tuple[QueryTerm, ...]
    is_local: bool
    distance: int = 0


def about_changes(question: Question) -> Question:
    """The question without the words that only ask for changes."""
    kept = tuple(term for term in question.terms if not _OF_CHANGING.fullmatch(term.text))
    return replace(question, terms=kept)


def changed_rules(change: PolicyChange, question: Question) -> Iterator[Changed]:
    """The rules of a change that hold in the places asked about; a document that came or went is one of them.

    Which of its words matter, `nearest_to` decides. A change of mere form has none.
    """
    if change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
        yield Changed(change, None, None, _missing(question.terms, change.title), False)
        return
    for section in change.sections:
        for rule in section.rules:
            said = f"{rule.lead_in} {rule.before} {rule.after}"
            standing = _standing(question.scope.regions, section.path, said)
            if standing is not None:
                own = "\n".join((*_below(section.path, change.title), *rule.moved_from, *rule.around, said))
                missing = _missing(question.terms, f"{change.title}\n{own}")
                yield Changed(change, section, rule, missing, standing, len(_missing(question.terms, own)))


def read_in(changed: Changed, passages: Iterable[Passage], question: Question) -> Changed | None:
    """A document that came or went, judged by its headings: of the sections for the places asked about the one that
    lacks least. None where it has none for them."""
    visible = [each for each in passages if holds_in(each, question.scope.regions)]
    missing = [_missing(question.terms, f"{each.version.title}\n{each.chunk.policy_path}") for each in visible]
    return replace(changed, missing=min([changed.missing, *missing], key=len)) if visible else None


def holds_in(passage: Passage, places: Sequence[str]) -> bool:
    """Whether a passage may be shown for one of `places` (none: for every place)."""
    chunk = passage.chunk
    return not places or any(
        seen_from(place) & set(chunk.regions) and place not in chunk.regions_excluded for place in places
    )


def nearest_to(question: Question, found: Sequence[Changed]) -> list[Changed]:
    """Those that cover most of the question, and at least half of it: newest first, and of one day rules before whole
    documents, rules of the places asked about before general ones, those that say it themselves before those of a
    document on it. Without a first day, the latest changes of each document; without a topic, the documents that
    changed on one day in turn."""
    total = len(question.terms)
    least = min((len(each.missing) for each in found), default=0)
    if total and least > total * (1 - NEAR):
        return []
    near = sorted((each for each in found if len(each.missing) == least), key=_order)
    near = near if question.scope.since is not None else _latest(near)
    return near if question.terms else _in_turn(near)


def _order(changed: Changed) -> tuple[int, bool, bool, int, bool]:
    day, rule = changed.change.changed_on.toordinal(), changed.rule
    return -day, rule is None, not changed.is_local, changed.distance, rule is None or rule.direction is None


def _latest(near: Sequence[Changed]) -> list[Changed]:
    newest: dict[str, int] = {}
    for each in near:
        newest.setdefault(each.change.document_id, each.change.change_id)
    return [each for each in near if each.change.change_id == newest[each.change.document_id]]


def _in_turn(near: Sequence[Changed]) -> list[Changed]:
    counts: Counter[int] = Counter()
    turns = []
    for each in near:
        turns.append((-each.change.changed_on.toordinal(), each.rule is None, counts[each.change.change_id]))
        counts[each.change.change_id] += 1
    return [each for _, each in sorted(zip(turns, near, strict=True), key=lambda pair: pair[0])]


def _below(path: Sequence[str], title: str) -> Sequence[str]:
    """The headings without the one that is the document's title."""
    return path[1:] if path[:1] and path[0].casefold() == title.casefold() else path


def _missing(terms: Sequence[QueryTerm], text: str) -> tuple[QueryTerm, ...]:
    there = covered(text, terms)
    return tuple(term for term in terms if term not in there)


def _standing(places: Sequence[str], path: Sequence[str], said: str) -> bool | None:
    """Whether a rule is one of the places' own (True) or a general one (False); None for another place's."""
    if not places:
        return False
    above, own = _named(" > ".join(path)), _named(said)
    if above and not _meant(above, places):
        return None
    if own and not _meant(own, places):
        return None
    return bool(own or above)


def _meant(codes: frozenset[str], places: Sequence[str]) -> bool:
    """Whether one of `codes` is a place that was asked about, contains one, or is a state of one."""
    return any(code in seen_from(place) or country_of(code) == place for place in places for code in codes)


def _named(text: str) -> frozenset[str]:
    return frozenset(mention.code for mention in find_regions(text)) - {GLOBAL}
