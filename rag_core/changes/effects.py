"""What a sentence of a policy does with what it is on, as far as two wordings of it can be compared."""

import re
from dataclasses import dataclass
from functools import lru_cache

from rag_core.rules.cues import opinion_of
from rag_core.rules.places import split_exception
from rag_core.rules.reader import Effect, RuleText

_PARTS = re.compile(r";\s+|(?<=[.!?])\s+(?=[A-Z])|(?<=\w),?\s+but\s+(?!not\b|[A-Z])")
_OK = (
    r"(?:allowed|permitted|accepted|acceptable|eligible|approved|permissible|available|possible|authori[sz]ed|welcome)"
)
_BANNED = rf"(?:prohibited|banned|forbidden|disallowed|unacceptable|ineligible|off[- ]limits|not\s+{_OK})"
_RUN = (
    r"(?:be\s+(?:advertised|promoted|marketed|run|shown|published|displayed"
    rf"|{_OK})|run|appear|advertise|promote|market)"
)
_THEN = r"\s*(?:[:.,;–-]|$|(?:in|for|if|with|only|where|when|to|everywhere|worldwide|unless|except)\b)"
_RULES_ON_ADS = re.compile(
    rf"\b(?:(?:is|are|be|remains?)\b.{{0,30}}?\b(?:{_OK}|{_BANNED}|restricted|limited)"
    rf"|(?:may|can|must|should|shall|will)(?:\s+not|\s+never)?\s+{_RUN}"
    r"(?!\s+(?:in|on|with|next|as|to|at|beside|without|while)\b)"
    rf"|can(?:no|['’])t\s+{_RUN}|(?:do|does)(?:\s+not|n['’]t)\s+(?:allow|permit|accept)|allows?|permits?|accepts?"
    rf"|prohibits?|bans?|forbids?|rejects?)\b|^\W*(?:no\b|(?:{_BANNED}|{_OK})\b(?={_THEN}))",
    re.IGNORECASE,
)
_RULES_ON_CONTENT = re.compile(
    r"\b(?:(?:must|should|shall|need\s+to|ha(?:s|ve)\s+to|requires?|needs?|(?:is|are)\s+required\s+to)"
    r"|(?:may|can)\s+(?:not|never|only)|can(?:no|['’])t)\b|^\W*(?:do\s+not|don['’]t)\b",
    re.IGNORECASE,
)
_UNCERTAIN = re.compile(
    r"\b(?:no\s+longer|used\s+to|rarely|seldom|hardly|might|until|nobody|no\s+one|not\s+only|(?:not|never)\s+(?:\w+\s+)?"
    r"(?:prohibited|banned|forbidden|restricted)|no\s+restrictions?)\b",
    re.IGNORECASE,
)

_CANNOT = re.compile(r"\bcan(?:no|['’])t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """`subject`: what stands before the words that rule. `about_content` marks rules on how an ad must be, `negative`
    those among them that forbid. `exception`: what follows "except", "unless" ..."""

    effect: Effect
    subject: str
    about_content: bool = False
    negative: bool = False
    exception: str = ""


@lru_cache(maxsize=20_000)
def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """The clauses of a sentence (or list item, or table cell) that say what may or must be."""
    return tuple(clause for part in _PARTS.split(sentence) if (clause := _clause(part.strip())) is not None)


def _clause(text: str) -> Clause | None:
    if not text or _UNCERTAIN.search(text):
        return None
    main, exception = split_exception(text)
    effect = _effect(text)
    if effect is None:
        return None
    if (ruling := _RULES_ON_ADS.search(main)) and effect is not Effect.REQUIRES:
        return Clause(effect, main[: ruling.start()] or main[ruling.end() :], exception=exception)
    if ruling := _RULES_ON_CONTENT.search(main):
        negative = _effect(main) is Effect.PROHIBITS
        return Clause(Effect.LIMITS, main[: ruling.start()], True, negative, exception)
    return None


def _effect(text: str) -> Effect | None:
    return opinion_of(RuleText((), "", _CANNOT.sub("can not", text))).effect
