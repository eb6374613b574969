"""How strongly something is said, and of whom: a duty made a choice, a "must not" a "may", another party's work."""

import re

from rag_core.answering import facts
from rag_core.answering.halves import about_the_same, pieces_of, stems_said
from rag_core.understanding.words import stem, words_of

_MUST = re.compile(
    r"\b(?:must|shall|requir\w+|mandatory|obliged|obligatory|compulsory|needs?|ha(?:s|ve)\s+to|necessary)\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(r"\b(?:should|ought|recommend\w*|advis(?:e|ed|able)|encourag\w+|suggest\w*)\b", re.IGNORECASE)
_MAY = re.compile(r"\b(?:may|can|could|might|optional\w*|free\s+to|able\s+to)\b", re.IGNORECASE)


CONDITION = re.compile(
    r"\b(?:only|if|unless|provided|providing|subject\s+to|as\s+long\s+as|except|when|where|without)\b", re.IGNORECASE
)
_PERMITS = re.compile(
    r"\b(?:may|can|could|might|allow\w*|permit\w*|permissible|eligible|accept\w*|approved|possible|optional\w*|welcome)\b",
    re.IGNORECASE,
)
_MODAL = r"(?:may|can|could|might|must|shall|should|will)"
_DENIED = re.compile(
    rf"\b(?:{_MODAL}\s+(?:not|never|no)|cannot|can['’]t|(?:is|are|be)\s+not|do(?:es)?\s+not|prohibit\w*|bann\w*|forbid\w*"
    r"|never|no\s+longer|need\s+not)\b",
    re.IGNORECASE,
)
_NOT_DO = re.compile(
    rf"\b(?:{_MODAL}\s+(?:not|never)|cannot|can['’]t|do(?:es)?\s+not)\s+(?:(?:also|ever|be)\s+)*(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_DO = re.compile(rf"\b{_MODAL}\s+(?!not\b|never\b)(?:(?:only|also|be)\s+)*(?P<verb>[a-z]+)", re.IGNORECASE)


MAY_DO = re.compile(r"\b(?:may|can|could|might)\s+(?:(?:only|also|be)\s+)*(?P<verb>[a-z]+)", re.IGNORECASE)
_MUST_DO = re.compile(
    r"\b(?:must|shall|needs?\s+to|ha(?:s|ve)\s+to)\s+(?:(?:only|also|be)\s+)*(?P<verb>[a-z]+)", re.IGNORECASE
)


def shifts_modality(claim: str, source: str) -> bool:
    """Whether a duty becomes advice or a choice, or the other way round."""
    if _DENIED.search(claim):
        return False  # what a "not" does to may and must is looked at as a negation
    source = about_the_same(claim, source)
    if verbs(_MUST_DO, claim) & verbs(MAY_DO, source) - verbs(_MUST_DO, source):
        return True
    duty, advice, choice = (bool(each.search(claim)) for each in (_MUST, _SHOULD, _MAY))
    conditional = bool(CONDITION.search(source))
    if duty and not _MUST.search(source) and (_SHOULD.search(source) or (_MAY.search(source) and not conditional)):
        return True
    if advice and not duty and not _SHOULD.search(source) and bool(_MUST.search(source) or _MAY.search(source)):
        return True
    return choice and not _PERMITS.search(source) and not CONDITION.search(claim)


def turns_a_verb(claim: str, source: str) -> bool:
    """Whether what "must not" be done may be done in the claim, or the other way round."""
    lost = verbs(_DO, claim) & verbs(_NOT_DO, source) - verbs(_DO, source)
    return bool(lost or verbs(_NOT_DO, claim) & verbs(_DO, source) - verbs(_NOT_DO, source))


def verbs(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(stem(match["verb"]) for match in pattern.finditer(text))


_AGENT = re.compile(
    r"\b(?:from|by|(?:register|licen[cs]|approv|certifi|authori[sz]|verifi|grant|issu|sign)\w*\s+(?:with|by|from|to))\s+(?:(?:the|an?|our|your|its|their|any|each)\s+)?(?P<who>[a-z][a-z-]+(?:\s+[a-z][a-z-]+)?)",
    re.IGNORECASE,
)


def changes_who(claim: str, source: str) -> bool:
    """Whether something comes from, or is done by, somebody whom the source does not name."""
    theirs = stems_said(source)
    for match in _AGENT.finditer(claim):
        who = words_of(match["who"])[0]
        if who.stem not in theirs and not who.text.lower().endswith("ing") and not facts.places_in(match["who"]):
            return True
    return False


_PARTIES = frozenset(
    stem(word)
    for word in """
    platform advertiser publisher user customer client agency company seller buyer shop bank regulator authority
    government retailer partner creator moderator reviewer host owner viewer visitor
    """.split()
)


def swaps_parties(claim: str, source: str) -> bool:
    """Whether one of two parties does what only the other half of the source says of the other party."""
    parts = pieces_of(source)
    relevant = about_the_same(claim, source)
    if len(parts) < 2 or relevant == source:
        return False
    ours, here, anywhere = (stems_said(text) for text in (claim, relevant, source))
    return bool(ours & _PARTIES & anywhere - here)
