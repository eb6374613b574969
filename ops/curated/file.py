"""Files of approved answers read and written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from ingest.catalogue.problems import key_of
from ingest.model.yaml_lines import Lines, NotYaml, content_and_lines, line_of
from ops.curated.entries import CuratedEntry, CuratedFile
from rag_core.curated.kept import CuratedAnswer
from rag_core.errors import Rejected

Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """`at`: raises Rejected("curated_file_invalid") that names the line of a place in the file."""

    path: str
    entries: tuple[CuratedEntry, ...]
    lines: Lines

    def refused(self, where: Location, problem: str) -> Rejected:
        return _refused(self.path, line_of(("curated", *where), self.lines), ("curated", *where), problem)


def read_file(text: str, path: str) -> ReadFile:
    """Raises Rejected("curated_file_invalid", path, line, key, problem)."""
    try:
        content, lines = content_and_lines(text)
    except NotYaml as exc:
        raise _refused(path, exc.line, (), exc.problem) from exc
    try:
        found = ReadFile(path, CuratedFile.model_validate(content).curated, lines)
    except ValidationError as exc:
        first = min(exc.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _refused(path, line_of(first["loc"], lines), first["loc"], first["msg"]) from exc
    keys: set[str] = set()
    for number, entry in enumerate(found.entries):
        if entry.key in keys:
            raise found.refused((number, "key"), f"{entry.key} stands twice in the file")
        keys.add(entry.key)
    return found


def _refused(path: str, line: int | None, where: Location, problem: str) -> Rejected:
    return Rejected("curated_file_invalid", path=path, line=line, key=key_of(where), problem=problem)


def written(answers: Sequence[CuratedAnswer]) -> str:
    """The file that `read_file` and an import make the same answers of."""
    content = {"curated": [_entry(each) for each in answers]}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _entry(answer: CuratedAnswer) -> dict[str, Any]:
    scope, owner = answer.scope, answer.owner
    told: dict[str, Any] = {
        "key": answer.key,
        "questions": list(answer.wordings),
        "regions": list(scope.regions),
        "platforms": list(scope.policy_sources),
        "content_types": [each.value for each in scope.content_types],
        "labels": {key: list(values) for key, values in scope.labels.items()},
        "verdict": answer.verdict.value if answer.verdict else None,
        "answer": [{"text": each.text, "cites": list(each.citations)} for each in answer.statements],
        "citations": [
            {"document_id": each.document_id, "section": each.section_path, "quote": each.quote}
            for each in answer.citations
        ],
        "owner": f"{owner.platform}:{owner.workspace}/{owner.channel}" if owner.channel else "",
    }
    return {name: value for name, value in told.items() if value not in ([], {}, None, "")}
