"""What a run did, for a terminal and for a program."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ingest import wording, wording_running
from ingest.model.report import Failure, IngestReport, Note
from ingest.rules.wording import not_read as rules_not_read
from rag_core.errors import Unavailable

_MOST_OF_A_KIND = 10

Remark = TypeVar("Remark", Failure, Note)


def exit_code(report: IngestReport) -> int:
    """See `ingest.cli`."""
    if any(failure.operator for failure in report.failed):
        return 2
    if report.failed:
        return 1
    waits = report.not_indexed is not None or isinstance(report.rules_not_read, Unavailable)
    return 3 if waits else 0


def remarks(report: IngestReport) -> list[str]:
    """A line for each failure, then for each note; of many of one kind the first ones, and how many more there are; at
    the end why rules were not read, if so."""
    why = report.rules_not_read
    not_read = [rules_not_read(why.code, why.details)] if why is not None else []
    return [*_limited(report.failed, wording.failed), *_limited(report.notes, wording.noted), *not_read]


def report_json(report: IngestReport, command: str) -> str:
    """The whole report: counts, every failure and every note, each with its sentence in `message`."""
    shape = {
        "command": command,
        "new": report.new,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "failed": [
            _facts(each) | {"operator": each.operator, "message": wording.failed(each)} for each in report.failed
        ],
        "notes": [_facts(each) | {"message": wording.noted(each)} for each in report.notes],
        "not_indexed": report.not_indexed.code if report.not_indexed is not None else None,
        "rules_read": report.rules_read,
        "rules_not_read": report.rules_not_read.code if report.rules_not_read is not None else None,
        "exit_code": exit_code(report),
    }
    return json.dumps(shape, ensure_ascii=False, indent=2, default=str)


def _facts(each: Failure | Note) -> dict[str, object]:
    return {"source_id": each.source_id, "origin": each.origin, "code": each.code, "details": dict(each.details)}


def _limited(found: Sequence[Remark], say: Callable[[Remark], str]) -> Iterator[str]:
    kinds = Counter((each.source_id, each.code) for each in found)
    for (source_id, code), count in kinds.items():
        of_kind = [each for each in found if (each.source_id, each.code) == (source_id, code)]
        most = count if count <= _MOST_OF_A_KIND + 1 else _MOST_OF_A_KIND  # "and 1 more" would take a line as well
        yield from (say(each) for each in of_kind[:most])
        if count > most:
            yield wording_running.more_of_it(source_id, count - most, code)
