"""Whether a question is about policies at all: by what a reader takes it for, and by what the policies name."""

import re
from collections.abc import Mapping, Sequence

from rag_core.answering.evidence import Target
from rag_core.questions import Intent, Question
from rag_core.regions import find_regions
from rag_core.rules.judging import thresholds
from rag_core.rules.reader import Topic, on_policy
from rag_core.understanding.terms import covered
from rag_core.understanding.words import stems_of, words_of

_JOINING = frozenset(("a", "an", "and", "for", "in", "of", "on", "or", "the"))
"""Words that may stand between names."""

_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
"""A word with a capital inside a sentence."""

_WHAT = re.compile(r"\W*what(?:\s+is|\s+are)\b", re.IGNORECASE)


def is_surely_elsewhere(question: Question, topic: Mapping[Topic, float]) -> bool:
    """Whether it is chat or an instruction to a machine, so surely that nothing need be looked for."""
    return _is_chat(question, topic) and on_policy(topic) < thresholds().off_topic and not question.rule_number


def is_elsewhere(question: Question, topic: Mapping[Topic, float], targets: Sequence[Target]) -> bool:
    """Whether something else is wanted, more likely than not, than the rules of `targets`.

    A name alone ("alcohol", a product that nobody has heard of) tells a reader nothing, nor does what a word means, or
    who said something of a rule: these are about the policies where one rule names all of it. So is a broad question,
    which names policies and no more, and one that a rule decides surely enough.
    """
    share, limits = on_policy(topic), thresholds()
    if share >= limits.doubtful or question.is_broad:
        return False
    if any(each.decides >= limits.on_topic for target in targets for each in target.rules):
        return False
    is_open = not any(target.decision.answers for target in targets)
    if question.rule_number and not is_open:
        return False
    is_named = _is_for_policies_to_tell(question, topic) and _is_named(question, targets)
    return (is_open or share < limits.off_topic) and not is_named


def is_change_elsewhere(question: Question, topic: Mapping[Topic, float], *, is_recorded: bool) -> bool:
    """The same of a question for changes. `is_recorded`: a change of all that it is about was found."""
    is_open = question.terms and not is_recorded and not names_platform(question)
    return bool(is_open) and on_policy(topic) < thresholds().off_topic


def names_platform(question: Question) -> bool:
    """Whether its own words name a platform that there are documents of."""
    return bool(question.scope.policy_sources) and "policy_sources" in question.scope.inferred


def _is_chat(question: Question, topic: Mapping[Topic, float]) -> bool:
    """Whether a message is small talk or an instruction; never a name alone, of which a reader knows nothing."""
    share = max(topic.get(Topic.SMALL_TALK, 0.0), topic.get(Topic.INSTRUCTION, 0.0))
    return share >= thresholds().chat and not _is_name(question)


def _is_name(question: Question) -> bool:
    """Whether it is nothing but names of things and places."""
    places = [range(each.start, each.end) for each in find_regions(question.text)]
    things = {stem for term in question.terms for stem in stems_of(term.text)}
    words = [each for each in words_of(question.text) if not any(each.start in place for place in places)]
    return bool(things) and all(each.stem in things or each.text.lower() in _JOINING for each in words)


def _is_for_policies_to_tell(question: Question, topic: Mapping[Topic, float]) -> bool:
    """Whether it is nothing but names of things and places, or of policies, has a name in it, asks what a word means or
    who said something of a rule, and is no chat."""
    if question.rule_number:
        return True
    if _is_chat(question, topic):
        return False
    if question.is_broad or not question.terms:
        return question.is_broad
    if question.intent is Intent.ATTRIBUTION:
        return question.speaks_of_rules
    places = [range(each.start, each.end) for each in find_regions(question.text)]
    names = [each for each in _NAME.finditer(question.text) if not any(each.start() in place for place in places)]
    asks_what = question.intent is Intent.DEFINITION or _WHAT.match(question.text)
    return bool(asks_what or names) or names_platform(question) or _is_name(question)


def _is_named(question: Question, targets: Sequence[Target]) -> bool:
    """Whether one rule has all that it is about."""
    said = [
        f"{each.rule.headings} {each.rule.text}" for target in targets for each in (*target.rules, *target.elsewhere)
    ]
    return any(len(covered(each, question.terms)) == len(question.terms) for each in said)
