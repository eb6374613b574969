"""The citations of a run that nobody judged yet, for people to judge."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from ops.evaluation.judging import Judged
from ops.evaluation.matching import plain
from rag_core.errors import Misconfigured


def write_unjudged(judged: Sequence[Judged], path: Path) -> int:
    """JSON lines, as many as it returns. Raises Misconfigured("evaluation_report_unwritable", path=...)."""
    lines = unjudged_lines(judged)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    except OSError as exc:
        raise Misconfigured("evaluation_report_unwritable", path=str(path)) from exc
    return len(lines)


def unjudged_lines(judged: Iterable[Judged]) -> list[str]:
    """One for each question and section: a `pooling.CitedSection` with `supports` null, beside it the question as it
    was asked and what is quoted. Nothing of the expected answer: who judges must not be led by it."""
    return [json.dumps(row, ensure_ascii=False) for each in judged for row in _rows(each)]


def _rows(judged: Judged) -> list[dict[str, object]]:
    question = judged.question
    found: dict[tuple[str, str], dict[str, object]] = {}
    for cited, supports in zip(judged.observed.citations, judged.supports, strict=True):
        if supports is not None or not judged.counts_citations:
            continue
        row: dict[str, object] = {
            "id": question.id,
            "document_id": cited.document_id,
            "section": cited.section_path,
            "supports": None,
            "question": question.question,
            "history": [each.content for each in question.history],
            "as_of": question.as_of.isoformat() if question.as_of else None,
            "regions": list(cited.regions),
            "quote": cited.texts[-1],
        }
        found.setdefault((cited.document_id, plain(cited.section_path)), row)
    return list(found.values())
