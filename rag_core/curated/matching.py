"""Whether an approved answer is the answer to a question. Precision first: shown to another question, it would be a
wrong "yes" that a person stands for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_core.curated.kept import CuratedAnswer, CuratedScope
from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, DeclaredLabel, Intent, Question
from rag_core.regions import GLOBAL, seen_from
from rag_core.understanding.cleaning import clean_question
from rag_core.understanding.reading import Reading, read
from rag_core.understanding.terms import blank_out
from rag_core.understanding.understand import understand
from rag_core.understanding.words import stem
from rag_core.vocabulary import words

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|\|+")
_CONTRACTED = re.compile(r"(?i)\bcan['’]?t\b|\bcannot\b")
_NEGATED = re.compile(r"(?i)n['’]t\b")
_TAG = re.compile(
    r"(?i)[\s,;:.!?-]+is\s+(?:that|this|it)\s+(?:ok(?:ay)?|allowed|permitted|possible|fine|acceptable)\W*$"
)

_LEAD = re.compile(r"(?i)^\W*(?:i|we)(?:['’]d|\s+would)?\s+(?:like|want|wish|plan|intend)\s+to\b")

_MANNER = words("curated", "manner")
_LEAVE = words("curated", "leave")
_ADVERTISING = words("curated", "advertising")
_ADVERTISER = frozenset("client clients".split())
_ADVERBIAL = frozenset("in on at for across within".split())
"""Before a place, a platform or a day they are a part of it."""

_OBLIGES = frozenset("must need needs needed require requires required necessary obliged mandatory".split())
_FORBIDS = words("curated", "forbids")
_DENIES = frozenset("not no never none neither nor nothing nobody without".split())

_SAME = {
    phrase: group.split(",")[0].strip()
    for group in (
        "alcohol, alcoholic drink, alcoholic beverage, booze",
        "crypto, cryptocurrency, crypto currency",
        "vape, vaping, e-cigarette, e-cig, ecig, electronic cigarette",
        "licence, license",
        "medicine, medication, medicinal product",
        "prescription medicine, prescription drug, prescription medication",
        "image, picture, photo, photograph",
        "video, clip",
        "child, children, kid",
        "say, state",
        "which, what",
        "knife, knives",
        "otc, over-the-counter",
        "bnpl, buy now pay later",
        "weight loss, weight-loss, slimming",
        "labelling, labeling",
    )
    for phrase in (" ".join(stem(word) for word in each.split()) for each in group.split(","))
}
"""Other words for just the same thing, by stem. Shorter than the thesaurus on purpose: there betting stands for
gambling, and a rule on the one may not be the rule on the other."""

_LONGEST = max(len(phrase.split()) for phrase in _SAME)

OBLIGE, FORBID, DENY = "OBLIGE", "FORBID", "DENY"
_ANSWERED = frozenset({Intent.PERMISSION, Intent.REQUIREMENT, Intent.DEFINITION, Intent.INFORMATION})


@dataclass(frozen=True, slots=True)
class Saying:
    """`words`: what is said, in order, each word by its stem and by one name for the same thing. `marks`: whether it
    asks for a duty, of a ban, or denies something. `core`: the text without its scope, to be embedded."""

    question: Question
    words: tuple[str, ...]
    marks: tuple[str, ...]
    core: str

    @property
    def can_be_matched(self) -> bool:
        """Whether it is a question on a rule, complete in itself: not a follow-up, a comparison or about changes."""
        question = self.question
        return bool(self.words) and question.intent in _ANSWERED and question.rewritten is None

    def means(self, other: "Saying") -> bool:
        """Whether both say the same about the same things; their scopes are not looked at."""
        mine, theirs = self.question, other.question
        if (mine.intent, mine.rule_number, mine.language) != (theirs.intent, theirs.rule_number, theirs.language):
            return False
        if self.marks != other.marks:
            return False
        if self.words == other.words:
            return True
        # "does X need Y", "is Y needed for X": what needs and what is needed do not change places
        return OBLIGE in self.marks and len(self.words) == 2 and self.words[::-1] == other.words


def said_in(reading: Reading, question: Question) -> Saying:
    """`question`: as it was understood, `reading` of its own words."""
    spans = [(each.start, each.end) for each in reading.platforms]
    spans += [(each.start, each.end) for each in reading.places]
    spans += [(each.start, each.end) for each in reading.labels]
    spans += [(reading.day.start, reading.day.end)] if reading.day else []
    core = _TAG.sub("", blank_out(reading.text, spans))
    core = _LEAD.sub("can we", core)
    core = _NEGATED.sub(" not", _CONTRACTED.sub("can not", core))
    tokens = [each.replace("’", "'") for each in _WORD.findall(core)]
    words, marks = _told(tokens)
    shown = " ".join(each for at, each in enumerate(tokens) if not _is_blank(each) and not _of_scope(tokens, at))
    return Saying(question, words, marks, shown)


def _told(tokens: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words: list[str] = []
    marks: list[str] = []
    at = 0
    while at < len(tokens):
        lowered = tokens[at].lower()
        length, name = _same(tokens, at)
        if mark := _mark(tokens, at):
            marks.append(mark)
        elif not _is_manner(tokens, at):
            words.append(name or stem(lowered))
            at += length - 1
        at += 1
    return tuple(words), tuple(sorted(marks))


def _same(tokens: list[str], at: int) -> tuple[int, str]:
    """How many words, and the one name for what they name; (1, "") where they have no other."""
    for length in range(min(_LONGEST, len(tokens) - at), 0, -1):
        phrase = " ".join(stem(each) for each in tokens[at : at + length])
        if phrase in _SAME:
            return length, _SAME[phrase]
    return 1, ""


def _mark(tokens: list[str], at: int) -> str:
    lowered = tokens[at].lower()
    if lowered in _OBLIGES or (lowered in ("have", "has") and _next(tokens, at) == "to"):
        return OBLIGE
    if lowered in _FORBIDS:
        return FORBID
    return DENY if lowered in _DENIES else ""


def _is_manner(tokens: list[str], at: int) -> bool:
    lowered = tokens[at].lower()
    if _is_blank(lowered) or lowered in _MANNER | _LEAVE | _ADVERTISING | _ADVERTISER or _of_scope(tokens, at):
        return True
    before, after = _before(tokens, at), _next(tokens, at)
    if lowered == "to":  # "allowed to", "to advertise"; "to students" is whom it is shown to
        return before in _LEAVE | _OBLIGES | {"have", "has"} or after in _ADVERTISING
    return lowered == "for" and before in _ADVERTISING | _LEAVE | _OBLIGES


def _of_scope(tokens: list[str], at: int) -> bool:
    """ "in the" before a place; "and" between two."""
    lowered = tokens[at].lower()
    behind = tokens[at + 1 : at + 3]
    if lowered in ("and", "or"):
        return _is_blank(_before(tokens, at)) and _is_blank(_next(tokens, at))
    if lowered == "the":
        return _is_blank(_next(tokens, at))
    return lowered in _ADVERBIAL and any(_is_blank(each) for each in behind[: 1 + (behind[:1] == ["the"])])


def _is_blank(token: str) -> bool:
    return token.startswith("|")


def _before(tokens: list[str], at: int) -> str:
    return tokens[at - 1].lower() if at else ""


def _next(tokens: list[str], at: int) -> str:
    return tokens[at + 1].lower() if at + 1 < len(tokens) else ""


THRESHOLD = 0.70
"""Cosine of the two texts without their scope; measured, see `tests/golden/curated`. The words decide first."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A wording that says what the question says, for its scope. `is_wider`: it is for a wider place, so that it holds
    only where the place has no rule of its own that differs."""

    answer: CuratedAnswer
    wording: int
    is_wider: bool
    core: str


def asked_in(request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]) -> Saying:
    """What is asked. Raises Rejected as `understand` does."""
    question = understand(request, sources, labels)
    return said_in(read(clean_question(request.text), request, sources, labels), question)


def wording_said(
    text: str, scope: CuratedScope, today: date, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]
) -> Saying:
    """A wording as if somebody asked it for this scope. Raises Rejected for what cannot be asked."""
    return asked_in(AskRequest(text, today, filters=scope.filters), sources, labels)


def is_for(asked: Saying, wording: Saying, scope: CuratedScope, today: date) -> tuple[bool, bool]:
    """Whether place, platforms, day, material and labels are the answer's; and whether its place is a wider one."""
    mine, theirs = asked.question.scope, wording.question.scope
    same = (
        mine.as_of == today
        and mine.since is None
        and not mine.sections
        and frozenset(mine.policy_sources) == frozenset(scope.policy_sources)
        and frozenset(mine.content_types) == frozenset(theirs.content_types)
        and dict(mine.labels) == dict(theirs.labels)
    )
    return same and _holds_in(mine.regions, scope.regions), _is_wider(mine.regions, scope.regions)


def _holds_in(asked: Sequence[str], regions: Sequence[str]) -> bool:
    """A question without a place is answered by what holds worldwide, and by nothing else."""
    if not asked:
        return not _places(regions)
    return all(seen_from(place) & (_places(regions) or {GLOBAL}) for place in asked)


def _is_wider(asked: Sequence[str], regions: Sequence[str]) -> bool:
    return not asked or not frozenset(asked) <= _places(regions)


def _places(regions: Sequence[str]) -> frozenset[str]:
    return frozenset(regions) - {GLOBAL}


def likenesses(
    asked: Saying,
    answers: Sequence[CuratedAnswer],
    today: date,
    sources: Sequence[PolicySource],
    labels: Sequence[DeclaredLabel],
) -> list[Likeness]:
    """The wordings of `answers` that say just what is asked, for a scope that fits."""
    if not asked.can_be_matched:
        return []
    found = []
    for answer in answers:
        for number, text in enumerate(answer.wordings):
            try:
                wording = wording_said(text, _known(answer.scope, sources), today, sources, labels)
            except Rejected:  # kept by an older version, say: nobody must be kept from asking by it
                continue
            fits, is_wider = is_for(asked, wording, answer.scope, today)
            if fits and wording.can_be_matched and asked.means(wording):
                found.append(Likeness(answer, number, is_wider, wording.core))
    return found


def _known(scope: CuratedScope, sources: Sequence[PolicySource]) -> CuratedScope:
    """Without platforms that the asker sees no documents of: such an answer does not fit, and is no error."""
    known = {each.slug for each in sources}
    return replace(scope, policy_sources=tuple(each for each in scope.policy_sources if each in known))
