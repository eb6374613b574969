"""What a reader of rules is asked and what it says: the port behind which a trained model or a language model stands,
and the port of what was read at ingest."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from rag_core.ports import Vector
from rag_core.vocabulary import pattern

_MARKER = re.compile(
    r"^(?:[\s•·▪‣*\-–—>#]+|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)](?=\s)|\d{1,3}(?:\.\d{1,3})+(?=\s))\s*"
)
_QUOTES = str.maketrans(dict.fromkeys('"“”„«»*', "") | dict.fromkeys("‘’`´", "'") | dict.fromkeys("–—", "-"))
_REMARK = pattern("rules", "remark")
_GREETING = pattern("rules", "greeting")
_POLITE = pattern("rules", "polite")


def plain_rule(text: str) -> str:
    """`text` of a rule without what stands before it in a list and without remarks that it is to be noted."""
    text = folded(text)
    while (shorter := without_remark(_MARKER.sub("", text, count=1))) != text:
        text = shorter
    return text


def without_remark(text: str) -> str:
    """`text` without an opening "note that"."""
    return _REMARK.sub("", text, count=1)


def plain_question(text: str) -> str:
    """`text` of a question without greeting, thanks and "please"; all of it where nothing else is left."""
    asked = folded(text)
    while (shorter := _POLITE.sub("", _GREETING.sub("", asked, count=1)).strip(" ,;-")) != asked and shorter:
        asked = shorter
    return asked


def folded(text: str) -> str:
    """`text` in one Unicode form, without quotation marks, invisible letters and runs of white space."""
    visible = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return " ".join(visible.translate(_QUOTES).split())


class Effect(StrEnum):
    """What a rule does. `limits`: something is allowed only partly or under a condition; `requires`: a duty that does
    not itself say whether something is allowed; `informs`: everything else that is content."""

    PROHIBITS = "prohibits"
    LIMITS = "limits"
    REQUIRES = "requires"
    ALLOWS = "allows"
    INFORMS = "informs"


class Relation(StrEnum):
    """What a rule is to a question."""

    DECIDES = "decides"
    CONDITIONS = "conditions"
    EXCEPTS = "excepts"
    NEAR = "near"
    UNRELATED = "unrelated"


class Topic(StrEnum):
    """What somebody who writes to the bot wants of it. `PERMISSION`: to know whether something may be done; `DETAIL`:
    what else a policy says, a duty, an amount, a definition, a procedure."""

    PERMISSION = "permission"
    DETAIL = "detail"
    OFF_TOPIC = "off_topic"
    SMALL_TALK = "small_talk"
    INSTRUCTION = "instruction"


def on_policy(topics: Mapping[Topic, float]) -> float:
    """The probability that a policy is asked about; 1 where nobody says."""
    return topics.get(Topic.PERMISSION, 0.0) + topics.get(Topic.DETAIL, 0.0) if topics else 1.0


MOST_QUESTION_WORDS = 60
_HISTORY_WORDS = 30
_LEAD_WORDS = 40
_HEADING_WORDS = 16
_BODY_WORDS = 80


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as a reader gets it: the document's title and the headings above, what leads to it, the rule itself."""

    headings: tuple[str, ...]
    lead: str
    body: str

    @property
    def text(self) -> str:
        """All of it in one text, the parts told apart, each cut to what a small model reads. The nearest words of the
        headings and of the lead-in are kept, and the first of the rule."""
        headings = _last(folded(" > ".join(self.headings)), _HEADING_WORDS)
        return " | ".join(
            (headings, _last(plain_rule(self.lead), _LEAD_WORDS), _first(plain_rule(self.body), _BODY_WORDS))
        )


@dataclass(frozen=True, slots=True)
class AskedText:
    """A question with the turns of its asker before it, oldest first."""

    question: str
    history: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The question behind what it follows, cut to what a small model reads."""
        before = _last(" / ".join(map(plain_question, self.history)), _HISTORY_WORDS)
        question = plain_question(self.question)
        if len(question.split()) > MOST_QUESTION_WORDS:  # a long story: what is asked stands at its ends
            half = MOST_QUESTION_WORDS // 2
            question = f"{_first(question, half)} ... {_last(question, half)}"
        return f"{before} / {question}" if before else question


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one rule about one question, probabilities. `relations` sum to 1. `effects`, summing to 1: what the rule does
    to the thing asked, where it is neither near nor unrelated."""

    relations: dict[Relation, float]
    effects: dict[Effect, float]

    @property
    def decides(self) -> float:
        return self.relations[Relation.DECIDES]


@dataclass(frozen=True, slots=True)
class RuleReading:
    """What a rule does, read from itself alone. `effects` sum to 1 less `no_rule`: the probability that it is none
    (navigation, text addressed to a machine, a remnant)."""

    effects: dict[Effect, float]
    no_rule: float


@dataclass(frozen=True, slots=True)
class KeptReading:
    """What is kept beside a rule: what the `reader` (its version) read in it; `corrected`: what an operator says
    instead; `vector`: its meaning, None where no embedder has read it yet. `rule_hash`: of the rule that was read (see
    `rag_core.rules.rule`), so that it is never taken for another one's; None: not checked."""

    reader: str
    reading: RuleReading
    corrected: Effect | None = None
    vector: Vector | None = None
    rule_hash: str | None = None


class Reader(Protocol):
    """A trained model that reads rules. Raises Unavailable. The builder closes it.

    `version` changes with what it says: readings and judgements are kept by it.
    """

    @property
    def version(self) -> str: ...

    async def judge(self, asked: AskedText, rules: Sequence[RuleText]) -> list[Judgement]:
        """One judgement for each rule, in their order."""
        ...

    async def read(self, rules: Sequence[RuleText]) -> list[RuleReading]:
        """What each rule does by itself, in their order."""
        ...

    async def topic(self, asked: AskedText) -> dict[Topic, float]:
        """What is wanted; the probabilities sum to 1."""
        ...

    async def aclose(self) -> None: ...


class RuleReadings(Protocol):
    """What was read in rules at ingest. Who may see them was checked by `PolicyStore.passages`. Raises Unavailable.

    The builder closes it.
    """

    async def kept(self, chunk_ids: Sequence[str], model: str) -> dict[str, dict[int, KeptReading]]:
        """By chunk and by the number of the rule in `rules_in(passage)`, with the vectors of the embedding `model`;
        chunks without readings are left out."""
        ...


def _first(text: str, words: int) -> str:
    return " ".join(text.split()[:words])


def _last(text: str, words: int) -> str:
    return " ".join(text.split()[-words:])
