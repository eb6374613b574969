"""A sentence as the clauses that it says, each with its content words, its effect and how often it says no."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rag_core.claims.facts import facts_of
from rag_core.rules.cues import opinion_of
from rag_core.rules.reader import Effect, RuleText
from rag_core.understanding.words import STOP_WORDS, stem, words_of

_VERB = r"(?:is|are|was|were|must|may|can|could|should|shall|will|do|does|has|have|needs?|cannot|can['’]t)"
_BREAK = re.compile(r";\s|,?\s+\b(?:but|while|whereas|yet|however)\b|,\s+(?:which|who)\b|(?<=[.!?])\s+", re.IGNORECASE)
_AND = re.compile(
    rf",\s+and\b|\s+and\s*,|\s+and\b(?=\s+(?:[\w-]+\s+){{0,3}}?{_VERB}\b)"
    r"|\s+and\b(?=\s+(?:[€$£]?\d|not\b|never\b|(?:prohibit|restrict|allow|permitt?|bann)ed\b))",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|when|where|unless|provided|as\s+long\s+as)\b", re.IGNORECASE)
"""Behind these, what "and" joins is one condition."""
_FIRST_VERB = re.compile(rf"\b{_VERB}\b", re.IGNORECASE)
_NAMES = re.compile(r"\b(?!(?:it|they|these|those|this|such|never|not|also)\b)\w", re.IGNORECASE)
"""A word that can be a subject by itself."""
_ELLIPSIS = re.compile(rf"\b{_VERB}\s+not\W*$", re.IGNORECASE)

_SAYS_NO = re.compile(
    r"\b(?:not(?!\s+only\b)|no|never|none|neither|nobody|nothing|cannot|without|unless|except\w*|exclu(?:ding|sive\s+of)"
    r"|other\s+than|apart\s+from|hardly|scarcely|rarely|seldom|exempt\w*|ban|bans|banned|unacceptable|ineligible|illegal"
    r"|off[- ]limits|rejects?|rejected|refus\w+|(?:prohibit|forbid|disallow)\w*)\b|n['’]t\b|[✗✘❌×✖]",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\bcan(?:no|['’])t\b", re.IGNORECASE)
ADVISES = re.compile(r"\b(?:should|ought|recommend\w*|advis(?:e|ed|able)|encourag\w+|suggest\w*)\b", re.IGNORECASE)

_FILLER_STEMS = frozenset(
    stem(word)
    for word in """
    ad ads adverts advertise advertisement advertisers advertising promote promotion run running show shown display
    placed appear published allow permitted accepted acceptable ban banned prohibited forbidden restricted limited
    policy rule require required requirement exception following include including least most minimum maximum year
    years old older age aged however additionally also well either given provided case subject long hold holds
    submit send begin start make ensure over under within than more less fewer
    """.split()
)
"""Words with which people say the same in other words; whether the effect is the same is looked at by itself."""

_STOP_WORDS = STOP_WORDS - {"off", "same", "some", "few", "other", "own", "once"}


@lru_cache(maxsize=8_000)
def clauses_of(sentence: str) -> tuple[str, ...]:
    """What a sentence says one thing after another, each with the subject that it shares; the sentence itself where it
    says one thing. "Wine is banned; beer is not" is left whole: what the second half says is in the first."""
    parts = [part for each in _BREAK.split(sentence) for part in ([each] if _IF.search(each) else _AND.split(each))]
    pieces = [part.strip(" ,;") for part in parts if part.strip(" ,;")]
    if len(pieces) < 2 or (says_no(pieces[0]) and any(map(_ELLIPSIS.search, pieces[1:]))):
        return (sentence,)
    found, subject, verb = [], "", ""
    for piece in pieces:
        match = _FIRST_VERB.search(piece)
        if match is not None and _NAMES.search(piece[: match.start()]):
            subject, verb = piece[: match.start()], match[0]
            found.append(piece)
        else:
            found.append(f"{subject} {'' if match else verb} {piece}")
    return tuple(" ".join(each.split()) for each in found)


def says_no(text: str) -> int:
    """How often a text says no; a limit ("no more than 20%") does not."""
    return len(_SAYS_NO.findall(facts_of(text).rest))


def effect_of(text: str, headings: tuple[str, ...] = (), lead: str = "") -> Effect | None:
    """What a text does, read without its limits: "no more than 20%" is no ban."""
    return opinion_of(RuleText(headings, lead, _CANNOT.sub("can not", facts_of(text).rest))).effect


@lru_cache(maxsize=20_000)
def content_of(text: str) -> tuple[str, ...]:
    """The stems of the words that say what a text is on, in order, without amounts, days and places."""
    return tuple(_stems(_SAYS_NO.sub(" ", facts_of(text).rest)))


def _stems(text: str) -> Iterator[str]:
    for word in words_of(text):
        if word.text.lower().replace("’", "'") not in _STOP_WORDS and (found := _plain(word.stem)) not in _FILLER_STEMS:
            yield found


def _plain(stem_: str) -> str:
    """The same for the British and the American spelling of "licence"."""
    return f"{stem_[:-1]}s" if stem_.endswith("nc") else stem_


def words_in_row(text: str) -> tuple[str, ...]:
    """The stems of all words in order, but for the function words."""
    return tuple(word.stem for word in words_of(text) if word.text.lower() not in STOP_WORDS)
