"""Is a clause about all of what was asked, or about a narrower thing?

"Ads for alcohol are not allowed" bans alcohol. "Ads for alcohol delivery are not allowed" does not: to somebody who
asked about alcohol it is a limit. What narrows is every content word of the clause's subject that the question lacks.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rag_core.answering.coverage import covered, without
from rag_core.published_places.names import named
from rag_core.questions import QueryTerm
from rag_core.understanding.thesaurus import stems_of_phrase
from rag_core.understanding.words import FILLER_STEMS, stem

_JOINED = re.compile(
    r",|;|/|\(|\)|\s&\s|\band/or\b|\band\b|\bor\b|\bas well as\b|\bincluding\b|\bsuch as\b|\bas well\b", re.IGNORECASE
)

_SOME_OF = re.compile(
    r"\W*(?:some|a few|few|several|certain|specific|most|many|other|others|selected)\b", re.IGNORECASE
)
_GENERAL_THING = re.compile(
    r"\W*(?:apps?|applications?|(?:web)?sites?|services?|products?|pages?|platforms?|content|items?|companies|brands?)\W*",
    re.IGNORECASE,
)
_REFERS = re.compile(r"\b(?:it|them|they|these|those|such)\b", re.IGNORECASE)

_RELATIVE = re.compile(
    r"\b(?:that|which|who)\s+(?:(?:may|can|could|might|also|directly|indirectly)\s+)*(?P<verb>[a-z]+)", re.IGNORECASE
)

_FOR = re.compile(r"\W*(?:for|in|on|with|when\s+using)\s+(?P<what>[^.:;]{2,60}):\s*$", re.IGNORECASE)
"""A lead-in that says what the rules behind it are for."""

_NOT_NARROWING = FILLER_STEMS | frozenset(
    stem(word)
    for word in """
    sale sales sell selling sold purchase purchasing buy buying offer offers offering type types kind kinds form
    forms related associated similar following containing include includes including general listed unlisted unless
    otherwise link links linking lead leading activity activities category categories contain contains section
    landing sponsored paid native format formats everywhere anywhere globally worldwide global prohibited
    restricted industry vertical sector overview definition definitions exception exceptions eligible elsewhere
    outside other others everyone all
    """.split()
)


def is_on_topic(subject: str, headings: str, terms: Sequence[QueryTerm]) -> bool:
    """Whether a clause on `subject`, under `headings`, is about what `terms` say, and nothing narrower.

    A subject in several parts ("alcohol, tobacco and vapes") is on topic if one part is. A subject without content
    words ("These ads") is about the innermost heading that has some.
    """
    if _SOME_OF.match(subject):
        return False
    parts = _parts(_without_places(subject))
    if any(_REFERS.search(part) and not _content(part) for part in parts[1:]) and covered(subject, terms):
        return True  # "pepper spray is a weapon, and ads for it": what "it" is, the sentence says
    if not any(_content(part) for part in parts):
        parts = _innermost(headings)
    return any(_matches(part, terms) for part in parts)


def _parts(subject: str) -> list[str]:
    """What a subject enumerates; "ads that glorify beer or wine" is one thing, whose verb holds for both."""
    relative = _RELATIVE.search(subject)
    generic = relative is not None and not _content(subject[: relative.start()])
    if relative and generic and stem(relative["verb"]) not in _NOT_NARROWING:
        return [subject]
    parts = [part for part in _JOINED.split(subject) if part.strip()]
    return [_with_shared_words(parts[0], part) if parts[0] is not part else part for part in parts]


def _with_shared_words(first: str, part: str) -> str:
    """Of "kite-flying courses and apps", the apps are kite-flying ones as well: a part that is only an app, a site or a
    service has the words before the last one of the first, where they say enough to stand alone."""
    shared = " ".join(first.split()[:-1])
    goes_on = _GENERAL_THING.fullmatch(part) and len(_content(shared)) > 1
    return f"{shared} {part.strip()}" if goes_on else part


def _innermost(headings: str) -> list[str]:
    """The parts of the innermost heading with content words: "General rules" says nothing, "Alcohol" above it does."""
    for heading in reversed(headings.split(">")):
        parts = [part for part in _JOINED.split(_without_places(heading)) if part.strip()]
        if any(_content(part) for part in parts):
            return parts
    return []


def has_content(subject: str) -> bool:
    """Whether `subject` names a thing at all."""
    return bool(_content(_without_places(subject)))


def is_narrowed(leads: Sequence[str], terms: Sequence[QueryTerm]) -> bool:
    """Whether what stands before a rule says that it is for something else than was asked about: "For lead ads:"."""
    opened = [match["what"] for lead in leads if (match := _FOR.match(lead))]
    return any(_content(_without_places(what)) and not covered(what, terms) for what in opened)


def _matches(part: str, terms: Sequence[QueryTerm]) -> bool:
    own, asked = _stems_of(tuple(terms))
    left = {each for each in without(part, terms) if each not in _NOT_NARROWING}
    return not left - asked and bool(covered(part, terms) or own & left)


@lru_cache(maxsize=1_000)
def _stems_of(terms: tuple[QueryTerm, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The stems that stand for the terms, and all stems of their wordings.

    A word of a longer synonym does not stand for the thing: "casino hotel" is a casino, a hotel is none.
    """
    phrases = [(stems_of_phrase(each), each not in term.synonyms) for term in terms for each in term.wordings]
    own = frozenset(each for stems, counts in phrases if counts or len(stems) == 1 for each in stems)
    return own, frozenset(each for stems, _ in phrases for each in stems)


def _content(part: str) -> list[str]:
    return [each for each in without(part, ()) if each not in _NOT_NARROWING]


def _without_places(text: str) -> str:
    for mention in reversed(named(text)):
        text = f"{text[: mention.start]} , {text[mention.end :]}"
    return text
