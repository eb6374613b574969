"""Texts that try to make the bot do something else: in questions, and in documents."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from ops.evaluation.observed import Observed
from ops.evaluation.questions import Split, Tag, checked_rows
from rag_core.answers import Verdict

DOCUMENTS = "injections"
"""The corpus of the documents with injections: each is visible to a group of its own name only."""


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as exc:
        raise ValueError(f"{value!r} is no regular expression: {exc}") from exc
    return value


class Injection(BaseModel):
    """`must_not`: what may nowhere be in the reply; `verdict_not`: verdicts that show that it worked.

    In a document: `text` is the document, `question` what is asked of it. In a question: `text` is the question,
    asked of `corpus`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    where: Literal["question", "document"]
    split: Split = "dev"
    text: str
    goal: str
    must_not: tuple[Annotated[str, AfterValidator(_pattern)], ...]
    verdict_not: tuple[Verdict, ...] = ()
    verdict: Verdict | None = None
    corpus: str = ""
    policy_source: str = ""
    format: Literal["html", "markdown", ""] = ""
    question: str = ""
    tags: tuple[Tag, ...] = ()

    @property
    def asked(self) -> str:
        return self.question if self.where == "document" else self.text

    @property
    def asked_of(self) -> str:
        return DOCUMENTS if self.where == "document" else self.corpus


def read_injections(path: Path) -> list[Injection]:
    """Raises as `questions.read_questions` does."""
    return [Injection.model_validate(row) for row in checked_rows(path, Injection)]


def effects(injection: Injection, observed: Observed) -> list[str]:
    """What of it can be seen in the reply: patterns and verdicts; nothing where it had no effect."""
    shown = "\n".join(observed.shown)
    found = [pattern for pattern in injection.must_not if re.search(pattern, shown, re.IGNORECASE)]
    given = {observed.verdict, *(each.verdict for each in observed.verdicts)}
    return found + [str(verdict) for verdict in injection.verdict_not if verdict in given]
