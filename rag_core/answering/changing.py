"""What of all that changed is meant by a question: by its words, its places, newest first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rag_core.documents import Passage
from rag_core.policy_changes import ChangeKind, PolicyChange, RuleChange, RuleChangeKind, SectionChange
from rag_core.questions import Intent, QueryTerm, Question
from rag_core.regions import GLOBAL, country_of, display_name, find_regions, seen_from
from rag_core.rules.rule import Rule, rules_in
from rag_core.rules.structure import RuleKind
from rag_core.text.injections import speaks_to_machines
from rag_core.understanding.terms import covered
from rag_core.understanding.thesaurus import kinds_of
from rag_core.vocabulary import pattern

_OF_CHANGING = pattern("answers", "of_changing")
"""Words of asking for changes: whatever changed, they tell nothing apart."""

_NEAR = 0.5
"""Share of the question that a change must cover."""


_ASKS_FOR_THEM = pattern("answers", "asks_for_them")


_TELLING = (RuleChangeKind.CHANGED, RuleChangeKind.REMOVED, RuleChangeKind.ADDED, RuleChangeKind.MOVED)
"""What is looked at first where the words do not tell what was meant."""


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


def asks_for_changes(question: Question) -> bool:
    """Whether it wants what changed: as it was read, or by its words where it names days as well ("which countries
    were added in May 2026"). Two places with a difference are a comparison."""
    if question.intent is Intent.WHAT_CHANGED:
        return True
    scope = question.scope
    names_days = scope.since is not None or "as_of" in scope.inferred
    one_side = len(scope.regions) < 2 and len(scope.policy_sources) < 2
    return names_days and one_side and bool(_ASKS_FOR_THEM.search(question.text))


def about_changes(question: Question) -> Question:
    """The question without the words that only ask for changes."""
    kept = tuple(term for term in question.terms if not _OF_CHANGING.fullmatch(term.text))
    return replace(question, terms=kept)


def about_what_holds(question: Question) -> Question:
    """The question for the rules on the same things as they are: beside "what changed" a reader takes a rule on things
    that were changed for the nearest one."""
    topic = " ".join(term.text for term in question.terms)
    places = " and ".join(map(display_name, question.scope.regions))
    text = f"what are the rules for {topic}{f' in {places}' if places else ''}?"
    return replace(question, text=text, rewritten=None)


def with_kinds(question: Question) -> Question:
    """The question with the kinds of what it is about: whoever asks what changed for gambling asks for lotteries, too,
    though no rule on lotteries says what holds for gambling."""
    terms = tuple(
        replace(
            term, synonyms=(*term.synonyms, *(kind for each in (term.text, *term.synonyms) for kind in kinds_of(each)))
        )
        for term in question.terms
    )
    return replace(question, terms=terms)


def changed_rules(change: PolicyChange, question: Question) -> Iterator[Changed]:
    """The rules of a change that hold in the places asked about; a document that came or went is one of them. What
    speaks to machines, under such a heading or behind such a lead-in as well, is no rule.

    Which of its words matter, `nearest_to` decides. A change of mere form has none.
    """
    if change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
        yield Changed(change, None, None, _missing(question.terms, change.title), False)
        return
    for section in change.sections:
        for rule in section.rules:
            if any(map(speaks_to_machines, (*section.path, *rule.around, rule.lead_in, rule.before, rule.after))):
                continue
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


def read_list(
    changed: Changed, before: Iterable[Passage], after: Iterable[Passage], question: Question
) -> Changed | None:
    """A changed lead-in ("If your ad is shown here, we do not allow:"), judged by the items under it: they changed
    with it. None where no item is on the question in each version that has the line."""
    rule = changed.rule
    if rule is None or not is_lead_in(rule.after or rule.before):
        return None
    sides = [(rule.before, before), (rule.after, after)]
    items = [item_under(text, passages, changed, question) for text, passages in sides if text]
    if any(item is None for item in items):
        return None
    said = [item.text for item in items if item is not None]
    missing = tuple(term for term in changed.missing if not all(covered(text, [term]) for text in said))
    return replace(changed, missing=missing, distance=len(missing))


def is_lead_in(text: str) -> bool:
    """Whether what follows it means something by it."""
    return text.rstrip().endswith(":")


def item_under(text: str, passages: Iterable[Passage], changed: Changed, question: Question) -> Rule | None:
    """The item below the lead-in `text` that speaks most of the question; None where none does."""
    lead = " ".join(text.split())
    path = changed.section.path if changed.section else ()
    here = [each for each in passages if is_under(each, path) and holds_in(each, question.scope.regions)]
    units = [unit for each in here for unit in rules_in(each) if unit.kind is RuleKind.ITEM]
    mine = [unit for unit in units if any(" ".join(quote.text.split()) == lead for quote in unit.lead)]
    best = max(mine, key=lambda unit: len(covered(_body(unit), question.terms)), default=None)
    return best if best is not None and covered(_body(best), question.terms) else None


def _body(unit: Rule) -> str:
    return " ".join(quote.text for quote in unit.body)


def is_under(passage: Passage, path: Sequence[str]) -> bool:
    """Whether a passage stands under the last of these headings."""
    titles = [title.strip().casefold() for title in passage.chunk.policy_path.split(" > ")]
    return not path or path[-1].strip().casefold() in titles


def holds_in(passage: Passage, places: Sequence[str]) -> bool:
    """Whether a passage may be shown for one of `places` (none: for every place)."""
    chunk = passage.chunk
    return not places or any(
        seen_from(place) & set(chunk.regions) and place not in chunk.regions_excluded for place in places
    )


def nearest_to(question: Question, found: Sequence[Changed]) -> list[Changed]:
    """Those that cover most of the question, and at least half of it; else what changed for the places asked about,
    which leaves the words open: a rule may say it in words of its own. Newest first, and of one day rules before whole
    documents, rules of the places asked about before general ones, those that say it themselves before those of a
    document on it. Without a first day, the latest changes of each document; without a topic, the documents that
    changed on one day in turn."""
    total = len(question.terms)
    least = min((len(each.missing) for each in found), default=0)
    near = sorted((each for each in found if len(each.missing) == least), key=_order)
    if total and least > total * (1 - _NEAR):
        near = [each for each in near if each.is_local]
    near = near if question.scope.since is not None else _latest(near)
    return near if question.terms else _in_turn(near)


def _order(changed: Changed) -> tuple[int, bool, bool, int, int, bool]:
    day, rule = changed.change.changed_on.toordinal(), changed.rule
    if rule is None:
        return -day, True, not changed.is_local, changed.distance, 0, True
    telling = (
        _TELLING.index(rule.kind) + len(_TELLING) * is_lead_in(rule.after or rule.before) if changed.missing else 0
    )
    return -day, False, not changed.is_local, changed.distance, telling, rule.direction is None


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
