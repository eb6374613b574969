"""What makes a rule a narrow one - a condition, a limit, "some", "only", a describing word - left away in a claim.

Each function holds a sentence against the text of a rule; all are about English.
"""

import re
from collections.abc import Iterable

from rag_core.answering import facts
from rag_core.answering.coverage import covers, names
from rag_core.answering.halves import (
    SPLIT,
    about_the_same,
    content_of,
    has_mixed_parts,
    side_by_side,
    stems_said,
    subject_of,
    terms_said,
    without_places,
)
from rag_core.answering.measures import is_unit, measures_in
from rag_core.answering.polarity import Clause, Effect, clauses_of, split_exception
from rag_core.answering.strength import MAY_DO, verbs
from rag_core.questions import QueryTerm
from rag_core.understanding.words import is_filler, stem

_SOME = re.compile(
    r"\b(?:some|certain|selected|several|few|many|most|a\s+number\s+of|limited\s+number)\s+(?!of\s+the\s+time)\w",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|any|every|everything|everybody|everyone|anyone|anybody|anything|each|always|entire\w*)\b", re.IGNORECASE
)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)


def widens_some(claim: str, source: str) -> bool:
    """Whether "some ads" become ads without the "some"."""
    return bool(_SOME.search(source)) and not _SOME.search(claim)


def shortens_a_closed_list(claim: str, source: str) -> bool:
    """Whether "only in A, B and C" becomes "only in A"."""
    if not (_ONLY.search(claim) and _ONLY.search(source)):
        return False
    return bool(facts.places_in(source) - facts.places_in(claim)) and bool(facts.places_in(claim))


_LIMIT = re.compile(
    r"\b(?:over|under|above|below|(?:more|less|fewer|longer|shorter|older|younger|larger|smaller|higher|lower)\s+than"
    r"|at\s+(?:least|most)|up\s+to)\s+[€$£]?\d[\d.,]*(?:\s?%|\s+per\s?cent)?",
    re.IGNORECASE,
)


_AT_MOST = re.compile(r"\b(?:no|not)\s+more\s+than|\bat\s+most\b|\bup\s+to\b", re.IGNORECASE)
_DESCRIBED = re.compile(
    r"\b(?!ads?\b|advert|promotion)(?P<thing>[a-z][\w-]+)\s+(?:for|of|with|about|containing|showing)\s+(?:(?:the|an?|any|their|its)\s+)?(?P<by>[a-z][\w-]+)",
    re.IGNORECASE,
)


def drops_what_narrows(claim: str, source: str) -> bool:
    """Whether a limit or a describing word is left away where that makes the rule a wider one: of the subject always,
    in a ban everywhere."""
    source = about_the_same(claim, source)
    banned = facts.negates(claim) or bool(_AT_MOST.search(claim))
    ours, theirs = (claim, source) if banned else (subject_of(claim), subject_of(source))
    if measures_in(_limits_of(theirs)).keys() - measures_in(claim).keys():
        return True
    said, kept = set(stems_said(claim)), set(content_of(ours))
    if banned and any(
        stem(match["thing"]) in said and not is_filler(match["by"]) and not _said_stem(stem(match["by"]), said)
        for match in _DESCRIBED.finditer(without_places(source))
    ):
        return True
    if _narrowed_subject(claim, subject_of(source), said):
        return True
    plain_too = {word for word in content_of(theirs) if _stands_alone(word, theirs)}
    return any(
        second in kept and first not in said and second not in plain_too for first, second in side_by_side(theirs)
    )


_ENUMERATES = re.compile(r",|;|/|\band/or\b|\band\b|\bor\b", re.IGNORECASE)


def _narrowed_subject(claim: str, subject: str, said: set[str]) -> bool:
    """Whether the claim leaves away words of the one thing, among those that the subject enumerates, that it is on."""
    subject = without_places(subject)
    things = [set(content_of(each)) for each in _ENUMERATES.split(subject)]
    near = [each for each in things if each & said]
    return bool(near) and all(
        any(not _said_stem(word, said) and not _says_nothing(word) for word in each) for each in near
    )


def _said_stem(word: str, said: set[str]) -> bool:
    return word in said or (len(word) >= _FAMILY and any(each.startswith(word[:_FAMILY]) for each in said))


def is_of_a_narrowed_kind(claim: str, source: str) -> bool:
    """Whether the claim speaks of dogs, and the source of endangered animals only."""
    said, neighbours = set(stems_said(claim)), side_by_side(source)
    for term in terms_said(claim):
        if term.broader and not names(source, term):
            wider = {stem(word) for each in term.broader for word in each.split()}
            if any(second in wider and first not in said for first, second in neighbours):
                return True
    return False


def _limits_of(text: str) -> str:
    return " ".join(match[0] for match in _LIMIT.finditer(text))


def _stands_alone(word: str, text: str) -> bool:
    """Whether the word stands somewhere without a content word before it."""
    described = [second for _, second in side_by_side(text)]
    return content_of(text).count(word) > described.count(word)


_HOLDS = frozenset(
    stem(word)
    for word in """
    hold holds held possess valid own owns order ensure following specific certain subject long old older age aged year
    years least most comply compliance provided first note therefore longer shorter smaller larger fewer higher lower
    limit limited level given place placed date time times
    """.split()
)
"""Words of conditions that can be left away without a loss."""

_FAMILY = 5
"""Letters that words of one family share."""

_MARKER = re.compile(
    r"\b(?:if|when|where|only|provided|providing|with|without|unless|except\w*|subject\s+to|between|until|till|during|within"
    r"|as\s+long\s+as|other\s+than|before|after|once|from|under|over|at\s+least|up\s+to)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(rf"{_MARKER.pattern}|\b(?:on|in|at|near|next\s+to|beside|to)\b", re.IGNORECASE)
"""Where and to whom something must not be is a condition, too."""


def leaves_out_a_condition(claim: str, source: str) -> bool:
    """Whether a claim that something may (or may not) be has less behind it than the rule: a condition, an exception,
    an hour, a day, a distance."""
    for clause in _rulings(claim):
        for theirs in _rulings(source):
            if (theirs.effect is Effect.PROHIBITS) == (clause.effect is Effect.PROHIBITS):
                tail = _tail(theirs, source)
                if _ONLY.search(source):
                    tail = without_places(source)
                if _lacks(claim, tail):
                    return True
                break
    if facts.negates(claim):
        return False
    tails = [*_tails_of_choices(claim, source)]
    if tails or verbs(MAY_DO, claim) & verbs(MAY_DO, source):
        tails.append(_limits_of(about_the_same(claim, source)))
    if tails and _ONLY.search(source):
        tails.append(without_places(source))
    return any(_lacks(claim, tail) for tail in tails)


def _tails_of_choices(claim: str, source: str) -> Iterable[str]:
    """What stands behind each "may do" of the source that the claim repeats, from where a condition begins."""
    ours = verbs(MAY_DO, claim)
    for match in MAY_DO.finditer(source):
        marker = _MARKER.search(source, match.end())
        if stem(match["verb"]) in ours and marker:
            yield without_places(SPLIT.split(source[marker.start() :])[0])


def _lacks(claim: str, tail: str) -> bool:
    return bool(_numbers(tail) - _numbers(claim)) or any(not _said(claim, term) for term in terms_said(tail))


def _said(claim: str, term: QueryTerm) -> bool:
    """Whether the claim has a word of a condition, or one of its family: "licensed" for "a licence"."""
    if _says_nothing(term.text) or names(claim, term):
        return True
    family = stem(term.text)[:_FAMILY]
    return len(family) == _FAMILY and any(each.startswith(family) for each in stems_said(claim))


_ALWAYS = re.compile(
    r"\b(?:if|when|whenever|unless|except\w*|without|other\s+than|provided\s+that|as\s+long\s+as"
    r"|(?:from|until|till|since)\s+(?=\d|(?-i:[A-Z])))\b\s*(?P<what>[^,;]*)",
    re.IGNORECASE,
)


def leaves_out_the_case(claim: str, source: str) -> bool:
    """Whether what holds in one case only, or not in one, is said of all: a duty without its "if", a ban without its
    "unless" or "without"."""
    same = about_the_same(claim, source)
    return any(_lacks(claim, without_places(match["what"])) for match in _ALWAYS.finditer(same))


def speaks_of_the_exception(claim: str, source: str) -> bool:
    """Whether the claim says of what a rule excepts just what the rule says of the rest."""
    main, excepted = split_exception(source)
    if not excepted or split_exception(claim)[1]:
        return False
    for clause in _rulings(claim):
        terms = terms_said(clause.subject)
        if terms and all(names(excepted, term) for term in terms) and not all(names(main, term) for term in terms):
            return any(each.effect is clause.effect for each in _rulings(main))
    return False


def _rulings(text: str) -> list[Clause]:
    return [clause for clause in clauses_of(text) if not clause.about_content]


def _tail(clause: Clause, source: str) -> str:
    """What the sentence says behind its subject, from where a condition begins; without its places."""
    at = source.find(clause.subject) if clause.subject.strip() else -1
    begun = source[at + len(clause.subject) :] if at == 0 or clause.subject.strip() == "" else source
    match = (_PLACED if clause.effect is Effect.PROHIBITS else _MARKER).search(begun)
    tail = begun[match.start() :] if match else ""
    tail = SPLIT.split(tail)[0] if has_mixed_parts(source) else tail
    return without_places(tail)


def _numbers(text: str) -> frozenset[str]:
    return facts.numbers_in(text) | facts.days_in(text)


def _says_nothing(word: str) -> bool:
    is_month = bool(facts.days_in(word.capitalize()))
    return stem(word) in _HOLDS or is_unit(word) or is_month or not word[0].isalpha()


def leaves_out_the_subject(claim: str, source: str) -> bool:
    """Whether a rule on ads for one thing, or on one kind of people, becomes a rule on all of them."""
    if _POINTS.search(claim):
        return False  # "they": a reader knows who that is
    same = about_the_same(claim, source)
    subjects = [clause.subject for clause in clauses_of(source)] if _ALL.search(claim) else []
    if not terms_said(subject_of(claim)):
        subjects.append(subject_of(same))
    terms = terms_said(claim)
    return any(bool(terms_said(subject)) and not any(covers(subject, term) for term in terms) for subject in subjects)


_POINTS = re.compile(r"\b(?:they|it|these|those|this|such)\b", re.IGNORECASE)
