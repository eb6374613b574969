"""Judgements on cited sections, pooled over runs as TREC does it: gold names one or two sections, others may support
the answer as well, and only a person can say which."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ops.evaluation.matching import plain
from ops.evaluation.questions import numbered_rows
from rag_core.errors import Rejected

_Text = Annotated[str, Field(min_length=1)]


class CitedSection(BaseModel):
    """What a person found: does this section support an answer to the question `id`? `section`: its headings, joined
    by " > ". No further field is taken: a policy's sentences do not belong into the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: _Text
    document_id: _Text
    section: _Text
    supports: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """Judgements by question, document and section (`plain`)."""

    judgements: Mapping[tuple[str, str, str], bool] = field(default_factory=dict)

    def says(self, question_id: str, document_id: str, section_path: str) -> bool | None:
        """Whether that section supports an answer; None where nobody judged it."""
        return self.judgements.get((question_id, document_id, plain(section_path)))


def read_pool(path: Path) -> Pool:
    """The judgements of a file. Raises as `questions.read_questions` does, also where two contradict each other."""
    found: dict[tuple[str, str, str], bool] = {}
    for number, row in numbered_rows(path, CitedSection):
        each = CitedSection.model_validate(row)
        key = (each.id, each.document_id, plain(each.section))
        if found.setdefault(key, each.supports) is not each.supports:
            problem = f"another line says otherwise of {each.id}, {each.section}"
            raise Rejected("dataset_malformed", path=str(path), line=number, problem=problem)
    return Pool(found)
