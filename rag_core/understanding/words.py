"""Words and their stems; which words say what a question is about and which are only its manner."""

import re
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer
from rapidfuzz.distance import Levenshtein

from rag_core.understanding.talk_words import TALK_WORDS

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_STEMMER = snowballstemmer.stemmer("english")

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each else
    ever few for from further get gets got had hadn't has hasn't have haven't having he her here hers him his how i i'd
    i'll i'm i've if in into is isn't it it's its itself just let like ll make many may maybe me might more most much
    must my myself need needs no nor not now of off on once one only or other our ours out over own per please re s
    same shall she should shouldn't so some still such t than that that's the their them then there these they they're
    this those through to too under until up upon us use used using very via want wants was wasn't way we we're well
    were what what's whats when where which while who whom whose why will with within without won't would yes yet you
    anything something nothing everything anyone someone everyone nobody your yours etc e.g i.e eg ie vs versus hey hi
    hello thanks thank pls cheers ok okay u r im dont doesnt cant isnt
    """.split()
)
"""English function words and the small talk around a question."""

ASKING_WORDS = frozenset(
    """
    ad ads adds advert adverts advertise advertised advertisement advertisements advertiser advertisers advertising
    promote promoted promotes promoting promotion promotions promotional market marketing campaign campaigns run runs
    running show shown showing display displayed placement post posted publish serve served place placed creative
    creatives client clients customer customers brand brands company business agency
    allow allowed allows allowing permit permitted permits permissible accept accepted acceptable approve possible
    legal doable fine good forbid forbidden prohibit prohibited ban banned restrict restricted legit eligible
    policy policies rule rules guideline guidelines guidance regulation regulations requirement requirements require
    required restriction restrictions condition conditions regarding concerning say says said state states stated tell
    know find question answer explain mean means cover covered apply applies applicable
    product products service services thing things stuff item items content material website site page online
    user users people person audience country countries region place market markets platform
    sell selling sells sold buy buying purchase purchasing offer offers offering max min maximum minimum compare
    versus help helps play take takes two three kind kinds type types sort sorts company's rep reps host hosting
    app apps application applications anywhere everywhere elsewhere somewhere
    currently today current based new work works working go going happen happens launch start still able
    whether confirm confirms confirmed clarify clarification advise kindly inform position stance located resident
    residents residing promo promos category categories intend intends wish wishes wondering greenlight promoter
    """.split()
)
"""Words of asking about advertising rules: they are in every question and in every rule, and tell none apart."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place in the text. `stem` is lower-case."""

    text: str
    stem: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of `text`, hyphenated ones whole."""
    return [Word(m[0], stem(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]


def stems_of(text: str) -> tuple[str, ...]:
    """The stems of `text` in order; a hyphenated word gives itself, then its parts."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        found.append(stem(match[0]))
        if "-" in match[0]:
            found.extend(stem(part) for part in match[0].split("-"))
    return tuple(found)


_WHOLE = frozenset(
    {"dating", "united", "spirits", "targeting", "adults", "capital", "accountant", "accountants", "accounting"}
)
"""Words whose stem is that of another word: dating sites are not about dates, adults are no adult content."""

_OWN = {"influencer": "influencer", "influencers": "influencer"}
"""As `_WHOLE`, for words that keep their plural: influencers are no "influence of alcohol"."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The Snowball English (Porter2) stem, lower-case, without a possessive."""
    lowered = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if lowered in _OWN:
        return _OWN[lowered]
    return lowered if lowered in _WHOLE else str(_STEMMER.stemWord(lowered))


_LONG_ENOUGH_TO_MISSPELL = 6
"""Letters: among shorter words one letter makes another word."""

_FILLERS = STOP_WORDS | ASKING_WORDS | TALK_WORDS
FILLER_STEMS = frozenset(stem(word) for word in _FILLERS)


def is_filler(word: str) -> bool:
    """Whether the word says nothing of what a question is about."""
    lowered = word.lower().replace("’", "'")
    if lowered in _FILLERS or stem(word) in FILLER_STEMS or len(lowered) == 1:
        return True
    return len(lowered) >= _LONG_ENOUGH_TO_MISSPELL and _is_misspelt_filler(lowered)


@lru_cache(maxsize=10_000)
def _is_misspelt_filler(word: str) -> bool:
    """Whether the word lacks or doubles a letter of a word of asking ("allowd"), or has a z for its s ("advertize").

    One letter for another mostly makes another word: brandy is not brands, consent not content.
    """
    return word.replace("z", "s") in ASKING_WORDS or any(
        word[0] == known[0] and len(word) != len(known) and Levenshtein.distance(word, known, score_cutoff=1) <= 1
        for known in ASKING_WORDS
        if len(known) >= _LONG_ENOUGH_TO_MISSPELL
    )
