"""Follow-ups completed by somebody else than the rules: which questions need it, and what of it can be believed.

Whoever completes a question may choose and order words of the conversation; nothing may come from elsewhere. A place,
platform or day is taken from what people asked, never from what was answered.
"""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, DeclaredLabel, Intent, Turn
from rag_core.understanding.cleaning import MAX_QUESTION, clean_question
from rag_core.understanding.leaning import leaning_of
from rag_core.understanding.reading import Reading, read
from rag_core.understanding.words import is_filler, words_of

MOST_MESSAGES = 4
"""Messages of the thread, of people and of the bot, from which a follow-up is completed."""

_NUMBER = re.compile(r"\d[\d.,]*")
_NOT = re.compile(r"\b(?:not|no|never|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_LINK = re.compile(r"://|\bwww\.|[<>\[\]{}`*_|\\#@]")
_BOTH = re.compile(r"\b(?:both|compare\w*|differ\w*|versus|vs|than|same)\b", re.IGNORECASE)


class Distrust(StrEnum):
    """Why a completed question is not taken."""

    UNREADABLE = "unreadable"
    UNCHANGED = "unchanged"
    STILL_LEANS = "still_leans"
    PLACE = "place_invented"
    PLATFORM = "platform_invented"
    DAY = "day_invented"
    NUMBER = "number_invented"
    WORD = "word_invented"
    LABEL = "label_invented"
    LEFT_OUT = "left_out"
    NEGATION = "negation_differs"


def last_messages(request: AskRequest) -> tuple[Turn, ...]:
    """Those from which a follow-up may be completed."""
    return tuple(turn for turn in request.history[-MOST_MESSAGES:] if turn.content.strip())


def is_follow_up(request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel] = ()) -> bool:
    """Whether the question leans on messages that are there."""
    asked = any(turn.role == "user" for turn in last_messages(request))
    return asked and leaning_of(read(clean_question(request.text), request, sources, labels)) is not None


def distrust(
    written: str, request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel] = ()
) -> Distrust | None:
    """Why `written` cannot be what the follow-up of `request` means; None if it can."""
    follow = read(clean_question(request.text), request, sources, labels)
    try:
        meant = read(clean_question(written), request, sources, labels)
    except Rejected:
        return Distrust.UNREADABLE
    if len(written) > MAX_QUESTION or _LINK.search(written):
        return Distrust.UNREADABLE
    if meant.text.casefold().strip(" ?.!") == follow.text.casefold().strip(" ?.!"):
        return Distrust.UNCHANGED
    if leaning_of(meant) is not None or not (meant.terms or meant.rule):
        return Distrust.STILL_LEANS
    messages = last_messages(request)
    people = [_read(turn.content, request, sources, labels) for turn in messages if turn.role == "user"]
    return _in_scope(meant, follow, [each for each in people if each is not None]) or _in_words(
        meant.text, follow, [turn.content for turn in messages]
    )


def _read(
    text: str, request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]
) -> Reading | None:
    try:
        return read(clean_question(text[:MAX_QUESTION]), request, sources, labels)
    except Rejected:
        return None


def _in_scope(meant: Reading, follow: Reading, people: Sequence[Reading]) -> Distrust | None:
    """Whether places, platforms, days and labels are those that were asked about; those of the follow-up win."""
    both = follow.question.intent is Intent.COMPARISON or bool(_BOTH.search(follow.text))
    slots = (
        (_places, Distrust.PLACE),
        (_platforms, Distrust.PLATFORM),
        (_days, Distrust.DAY),
        (_labels, Distrust.LABEL),
    )
    for slot, reason in slots:
        new, own = slot(meant), slot(follow)
        known = own.union(*(slot(each) for each in people))
        if new - known:
            return reason
        if own - new:
            return Distrust.LEFT_OUT
        if own and new != own and not both:
            return reason
    return None


def _in_words(written: str, follow: Reading, messages: Iterable[str]) -> Distrust | None:
    said = "\n".join([*messages, follow.text])
    if set(_NUMBER.findall(written)) - set(_NUMBER.findall(said)):
        return Distrust.NUMBER
    known = {word.stem for word in words_of(said)}
    words = [word for word in words_of(written) if not is_filler(word.text)]
    if any(word.stem not in known for word in words if word.text[0].isalpha()):
        return Distrust.WORD
    now = {word.stem for word in words_of(written)}
    if any(words_of(each.term.text)[-1].stem not in now for each in follow.subject):
        return Distrust.LEFT_OUT
    if _NOT.search(follow.text) and not _NOT.search(written):
        return Distrust.NEGATION
    return Distrust.NEGATION if _NOT.search(written) and not _NOT.search(said) else None


def _places(reading: Reading) -> frozenset[str]:
    return frozenset(code for each in reading.places for code in each.codes)


def _platforms(reading: Reading) -> frozenset[str]:
    return frozenset(each.slug for each in reading.platforms)


def _days(reading: Reading) -> frozenset[str]:
    return frozenset() if reading.day is None else frozenset({f"{reading.day.first}..{reading.day.day}"})


def _labels(reading: Reading) -> frozenset[str]:
    return frozenset(f"{key}={value}" for key, values in reading.question.scope.labels.items() for value in values)
