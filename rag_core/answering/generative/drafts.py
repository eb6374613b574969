"""What a model wrote, before and after it was checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rag_core.answering.support import Doubt
from rag_core.answering.units import Unit
from rag_core.answers import QuoteType, Statement
from rag_core.documents import Passage


class Judgement(StrEnum):
    """Whether the context answers the question, as a model sees it."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """`doc` is the label of a passage in the prompt ("doc1"); `quote` None: the model gave none."""

    doc: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence or two of a model, with what it says they rest on."""

    text: str
    citations: tuple[DraftCitation, ...] = ()


class DropCode(StrEnum):
    """Why a draft is not shown, beside the doubts of `support`."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    MARKUP = "markup"
    LINK = "link"
    INSTRUCTION = "instruction"
    NO_CITATION = "no_citation"
    UNKNOWN_DOCUMENT = "unknown_document"
    REFUSAL = "refusal"
    REPEATED = "repeated"
    OTHER_PLACE = "other_place"
    AGAINST_VERDICT = "against_verdict"
    OFF_QUESTION = "off_question"
    NOT_VERBATIM = "not_verbatim"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A draft that is not shown, and why."""

    text: str
    reason: DropCode | Doubt


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft that its quotes support. `statement.citations` is empty until the answer is put together; `units` are the
    rules it rests on, `confidence` that of its weakest sentence."""

    statement: Statement
    units: tuple[Unit, ...]
    quote_type: QuoteType
    confidence: float


Documents = Mapping[str, Passage]
"""The passages of a prompt by their label."""
