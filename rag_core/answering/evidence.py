"""What was found for one place on one platform: the rules that bear on the question, and what they leave open."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_core.questions import Intent, Question
from rag_core.regions import display_name
from rag_core.retrieval.found import Found
from rag_core.rules.decide import Decision, decide
from rag_core.rules.judging import JudgedRule, thresholds
from rag_core.rules.places import Standing
from rag_core.understanding.terms import covered, terms_of
from rag_core.understanding.words import stem

_WORD = re.compile(r"[^\W\d_]{2,}")


def gap_of(question: Question, place: str | None, nearest: Sequence[JudgedRule]) -> tuple[str, ...]:
    """The place, where the nearest rules are all for others; else the first thing asked about that none of them names,
    or, where there are none, the whole of what was asked. Empty where they name all of it."""
    if place is not None and nearest and all(each.place.standing is Standing.ELSEWHERE for each in nearest):
        return (display_name(place),)
    if not nearest:
        return (" ".join(term.text for term in question.terms[:4]),) if question.terms else ()
    said = {stem(word) for each in nearest for word in _WORD.findall(_text(each).lower())}
    unsaid = [
        term.text for term in question.terms if not {stem(word) for word in _WORD.findall(term.text.lower())} & said
    ]
    return tuple(unsaid[:1])


def is_gap(phrase: str, question: Question, nearest: Sequence[JudgedRule]) -> bool:
    """Whether `phrase`, which a language model says no rule states, is all of it asked about, and not said by the
    nearest rules after all."""
    terms = terms_of(phrase)
    asked = " ".join([question.search_text, *map(display_name, question.scope.regions)])
    if not terms or len(covered(asked, terms)) < len(terms):
        return False
    return len(covered(" ".join(map(_text, nearest)), terms)) < len(terms)


def _text(judged: JudgedRule) -> str:
    return f"{judged.rule.headings} {judged.rule.text}"


MOST_PLATFORMS = 3
"""Platforms answered for at once where the question names none."""

NEARLY = 0.5
"""Share of the likeliest rule's probability from which another one, where none decides, is shown beside it."""

_WHETHER = (Intent.PERMISSION, Intent.COMPARISON)


@dataclass(frozen=True, slots=True)
class Target:
    """One place (None: none asked) on one platform.

    `rules` hold there or except it, likeliest to decide first; `elsewhere` are those of single places where none was
    asked. `not_stated`: where nothing decides, the one thing that the nearest rules do not say. `place_speaks`: a
    document with rules on the question names the place.
    """

    place: str | None
    policy_source: str
    rules: tuple[JudgedRule, ...]
    elsewhere: tuple[JudgedRule, ...]
    decision: Decision
    not_stated: tuple[str, ...] = ()
    place_speaks: bool = False

    @property
    def has_rules(self) -> bool:
        return bool(self.rules or self.elsewhere)


def asks_whether(question: Question) -> bool:
    """Whether it asks for permission, and not for a detail of a rule."""
    return question.intent in _WHETHER


def target_of(
    question: Question,
    place: str | None,
    policy_source: str,
    rules: Sequence[JudgedRule],
    *,
    place_speaks: bool = False,
) -> Target:
    """What `rules` (likeliest first) say for `place`: the decision, or the nearest of them and what they leave open."""
    decision = decide(rules, place, asks_permission=asks_whether(question))
    shown = thresholds().shown
    likely = [each for each in rules if each.elsewhere >= shown or each in decision.deciding + decision.conditions]
    here = tuple(each for each in likely if each.place.standing is not Standing.ELSEWHERE)
    elsewhere = tuple(each for each in likely if each.place.standing is Standing.ELSEWHERE)
    if place is None and not decision.answers and _likeliest(here) < NEARLY * _likeliest(elsewhere):
        here = ()  # what single places say is nearer by far
    gap = () if decision.answers else gap_of(question, place, nearest_of(here or elsewhere))
    return Target(place, policy_source, here, elsewhere if place is None else (), decision, gap, place_speaks)


def nearest_of(rules: Sequence[JudgedRule]) -> list[JudgedRule]:
    """Those of `rules` that are shown where none decides."""
    best = _likeliest(rules)
    return [each for each in rules if each.elsewhere >= NEARLY * best]


def _likeliest(rules: Sequence[JudgedRule]) -> float:
    return max((each.elsewhere for each in rules), default=0.0)


def targets_of(
    question: Question,
    results: Mapping[str | None, Sequence[Found]],
    judged: Mapping[str | None, Sequence[JudgedRule]],
) -> list[Target]:
    """What was found for each place, on each platform asked; where none was asked, on the best ones that answer."""
    targets: list[Target] = []
    for place, rules in judged.items():
        own = by_platform(question, place, results[place], rules)
        answering = [] if question.scope.policy_sources else [each for each in own if each.decision.answers]
        targets += answering or own
    return targets


def by_platform(
    question: Question, place: str | None, results: Sequence[Found], rules: Sequence[JudgedRule]
) -> list[Target]:
    """The platforms among `results`, best first, each with its rules."""
    slugs = list(dict.fromkeys(each.rule.passage.chunk.policy_source for each in rules))
    speaking = {each.passage.version.document_id for each in results if _names(each, place)}
    targets = []
    for slug in slugs if question.scope.policy_sources else slugs[:MOST_PLATFORMS]:
        own = [each for each in rules if each.rule.passage.chunk.policy_source == slug]
        speaks = any(
            each.rule.passage.version.document_id in speaking
            or each.place.names_place
            or each.place.standing is Standing.EXCEPTED
            for each in own
        )
        targets.append(target_of(question, place, slug, own, place_speaks=speaks))
    return targets


def _names(found: Found, place: str | None) -> bool:
    """Whether a passage names the place, or is of its own."""
    chunk = found.passage.chunk
    return place is not None and place in {*chunk.regions, *chunk.regions_mentioned}
