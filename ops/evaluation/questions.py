"""Golden questions and injections: JSON lines, each with what people agreed on as right."""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from adapters.web.api.input import FiltersBody, TurnBody
from ops.evaluation.observed import Observed
from rag_core.answers import Verdict
from rag_core.errors import Misconfigured, Rejected
from rag_core.questions import Filters, Turn

Kind = Literal["answer", "gap", "refusal", "clarification"]
Split = Literal["dev", "test"]
OFF_TOPIC, AS_OF, FOLLOW_UP, WHAT_CHANGED = "off-topic", "as-of", "follow-up", "what-changed"


def _tag(value: object) -> object:
    """Tags were written with underscores once."""
    return value.replace("_", "-") if isinstance(value, str) else value


def _verdicts(value: object) -> object:
    return value if isinstance(value, list | tuple) else [value]


Tag = Annotated[str, BeforeValidator(_tag)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GoldVerdict(_Row):
    """The verdict for one place (None: none asked) on one platform."""

    region: str | None = None
    policy_source: str
    verdict: Verdict | None


class Near(_Row):
    """The section that comes nearest to a question which the documents do not answer."""

    document: str
    section: str
    anchor: str = ""


class Expected(_Row):
    """What is right.

    `kind` gap: not stated, whether by an answer without verdict that says so or by a refusal. `verdict_also`: further
    right ones, null for none; of a gap: where a rule ("only in certain countries") is read as either. `anchors`: a few
    words of each passage that decides. `not_regions`: places whose rules must not be shown. `version_day`: from when
    the right version holds.
    """

    kind: Kind = "answer"
    verdict: Verdict | None = None
    verdict_also: Annotated[tuple[Verdict | None, ...], BeforeValidator(_verdicts)] = ()
    verdicts: tuple[GoldVerdict, ...] = ()
    document_ids: tuple[str, ...] = ()
    doc_ids: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    anchors: tuple[str, ...] = Field(default=(), validation_alias=AliasChoices("anchors", "quotes"))
    must_mention: tuple[str, ...] = ()
    not_regions: tuple[str, ...] = ()
    version_day: date | None = None
    not_stated: tuple[str, ...] = ()
    near: Near | None = None
    answer: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_kind(cls, value: object) -> object:
        """`kind_any` of older files: an answer without verdict or a refusal is a gap."""
        if not isinstance(value, dict) or "kind_any" not in value:
            return value
        return {name: each for name, each in value.items() if name != "kind_any"} | {"kind": "gap"}

    @property
    def says_verdict(self) -> bool:
        """Not null: said. Where the file says nothing of a verdict, any is accepted."""
        return "verdict" in self.model_fields_set or bool(self.verdicts)

    @property
    def accepted(self) -> frozenset[Verdict | None]:
        return frozenset((self.verdict, *self.verdict_also))


class GoldQuestion(_Row):
    """`corpus`: the documents it is asked of, loaded alone; empty: those that the settings name. A draft is none."""

    id: Annotated[str, Field(min_length=1)]
    question: str
    corpus: str = ""
    split: Split = "dev"
    history: tuple[TurnBody, ...] = ()
    as_of: date | None = None
    filters: FiltersBody = FiltersBody()
    tags: tuple[Tag, ...] = ()
    expected: Expected

    @model_validator(mode="before")
    @classmethod
    def _is_approved(cls, value: object) -> object:
        """What a model drafted, somebody has to look at: see `drafting`."""
        if not isinstance(value, dict) or "draft" not in value:
            return value
        if value["draft"] is not False:
            raise ValueError(
                "it is a draft. Check question, sections and anchors, set the verdict, take `passage` away and set "
                "`draft` to false"
            )
        return {name: each for name, each in value.items() if name != "draft"}

    @model_validator(mode="after")
    def _says_what_is_right(self) -> Self:
        if self.expected.kind == "answer" and not (self.expected.document_ids or self.expected.doc_ids):
            raise ValueError("an answer needs document_ids")
        return self

    @property
    def chosen(self) -> Filters:
        return self.filters.as_filters()

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(Turn(each.role, each.content) for each in self.history)

    @property
    def cluster(self) -> str:
        """Questions of one chain are no independent evidence: they are drawn together."""
        return f"{self.corpus}: {self.history[0].content}" if self.history else self.id


def read_questions(path: Path) -> list[GoldQuestion]:
    """The questions of a file; those who come twice under one id are refused.

    Raises Misconfigured("dataset_unreadable", path=...), Rejected("dataset_malformed", path, line, problem).
    """
    return [GoldQuestion.model_validate(row) for row in checked_rows(path, GoldQuestion)]


def checked_rows(path: Path, model: type[BaseModel]) -> list[dict[str, object]]:
    """The rows of a JSON lines file, each of which fits `model` and has an id of its own. Raises as `read_questions`
    does."""
    rows: list[dict[str, object]] = []
    seen: set[object] = set()
    for number, row in numbered_rows(path, model):
        if row.get("id") in seen:
            raise Rejected("dataset_malformed", path=str(path), line=number, problem=f"the id {row['id']} comes twice")
        seen.add(row.get("id"))
        rows.append(row)
    return rows


def numbered_rows(path: Path, model: type[BaseModel]) -> Iterator[tuple[int, dict[str, object]]]:
    """The rows of a JSON lines file with their lines, each of which fits `model`. Raises as `read_questions` does."""
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            model.model_validate(row)
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            where = ".".join(str(each) for each in first["loc"])
            problem = f"{where}: {first['msg']}" if where else str(first["msg"])
            raise Rejected("dataset_malformed", path=str(path), line=number, problem=problem) from exc
        except ValueError as exc:
            raise Rejected("dataset_malformed", path=str(path), line=number, problem=str(exc)) from exc
        yield number, row


def read_lines(path: Path) -> list[str]:
    """Raises Misconfigured("dataset_unreadable", path=...)."""
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("dataset_unreadable", path=str(path)) from exc


def chosen(
    questions: Iterable[GoldQuestion], *, split: str, tags: frozenset[str], ids: frozenset[str]
) -> list[GoldQuestion]:
    """Those of a split ("all": both) that have one of the tags and one of the ids, where any are given."""
    return [
        each
        for each in questions
        if split in ("all", each.split) and (not tags or tags & set(each.tags)) and (not ids or each.id in ids)
    ]


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
