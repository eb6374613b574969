"""The one thing that the nearest rules do not say, in the question's own words."""

import re
from collections.abc import Sequence

from rag_core.answering.coverage import covered
from rag_core.questions import Question
from rag_core.regions import display_name
from rag_core.rules.judging import JudgedRule
from rag_core.rules.places import Standing
from rag_core.understanding.terms import terms_of
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
