"""How a task crosses to the reading process and what it read comes back: as JSON, because a parser that was taken over
by a document must not be able to hand back code, as a pickle could."""

import json
import struct
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from typing import Any

from ingest.chunkers.drafts import ChunkDraft
from ingest.model.facts import DocumentFacts, facts_again
from ingest.parsers.parsed import ParseWarning
from ingest.places import Places
from ingest.reader.contents import Contents, DraftNotes, ReadingTask
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

Answer = Contents | PolicyBotError
REQUEST = struct.Struct("!QQ")
"""The lengths of what `written_task` gives and of the content, before both."""
ANSWER = struct.Struct("!Q")
"""The length of what `written` gives, before it."""
OUT_OF_MEMORY = 71
"""Exit code."""
_ERRORS: dict[str, type[PolicyBotError]] = {
    "rejected": Rejected,
    "unavailable": Unavailable,
    "misconfigured": Misconfigured,
}


def written_task(task: ReadingTask) -> bytes:
    """`task` without its content, as bytes that `read_task` reads back. Values that JSON has not, dates excepted, come
    back as text."""
    return _bytes(
        [
            task.mime_type,
            task.file_name,
            _packed(task.facts),
            task.chunked,
            task.region,
            task.chunker,
            task.today.isoformat(),
        ]
    )


def read_task(written_: bytes, content: bytes) -> ReadingTask:
    mime_type, file_name, facts, chunked, region, chunker, today = _values(written_)
    return ReadingTask(
        content, mime_type, file_name, _unpacked(facts), chunked, region, chunker, date.fromisoformat(today)
    )


def written(answer: Answer) -> bytes:
    """`answer` as bytes that `read` reads back. Values that JSON has not, dates excepted, come back as text."""
    if isinstance(answer, PolicyBotError):
        kind = next((name for name, error in _ERRORS.items() if isinstance(answer, error)), "rejected")
        return _bytes({kind: [answer.code, _packed(answer.details)]})
    return _bytes(
        {
            "facts": _packed({each.name: getattr(answer.facts, each.name) for each in fields(DocumentFacts)}),
            "title": answer.title,
            "url": answer.url,
            "text": answer.text,
            "drafts": [_of_draft(each) for each in answer.drafts],
            "notes": [
                [each.mentioned, each.doubt, each.refers_to, each.cross_reference, each.summary]
                for each in answer.notes
            ],
            "found_day": _packed(answer.found_day),
            "pages": answer.pages,
            "page_count": answer.page_count,
            "warnings": [[warning.code, _packed(warning.details)] for warning in answer.warnings],
        }
    )


def read(content: bytes) -> Answer:
    """The answer in `content`. Raises ValueError if `written` did not make it, as far as that would do harm."""
    try:
        found = _values(content)
        for kind, error in _ERRORS.items():
            if kind in found:
                code, details = found[kind]
                return error(str(code), **_unpacked(details))
        return _contents(found)
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError("no answer") from error


def _contents(found: Any) -> Contents:
    text = str(found["text"])
    drafts = tuple(_draft(each, len(text)) for each in found["drafts"])
    day = _unpacked(found["found_day"])
    return Contents(
        facts=facts_again(_unpacked(found["facts"])),
        title=str(found["title"]),
        url=_address(found["url"]),
        text=text,
        drafts=drafts,
        notes=tuple(_notes(each, len(drafts)) for _, each in zip(drafts, found["notes"], strict=True)),
        found_day=day if isinstance(day, date) else None,
        pages=tuple((int(start), int(page)) for start, page in found["pages"]),
        page_count=_number(found["page_count"]),
        warnings=tuple(ParseWarning(str(code), _unpacked(details)) for code, details in found["warnings"]),
    )


def _of_draft(draft: ChunkDraft) -> list[object]:
    places = [draft.places.regions, draft.places.excluded, draft.places.doubt]
    own = [draft.start, draft.end, draft.lead_in, draft.path, draft.level, places]
    return [*own, draft.rule_number, draft.anchor, draft.is_atomic, draft.warning]


def _draft(found: Any, length: int) -> ChunkDraft:
    start, end, lead_in, path, level, places, rule_number, anchor, is_atomic, warning = found
    if not 0 <= int(start) <= int(end) <= length or not path:
        raise ValueError(found)
    regions, excluded, doubt = places
    return ChunkDraft(
        int(start),
        int(end),
        str(lead_in),
        _words(path),
        int(level),
        Places(_words(regions), _words(excluded), bool(doubt)),
        _word(rule_number),
        _word(anchor),
        bool(is_atomic),
        _word(warning),
    )


def _notes(found: Any, drafts: int) -> DraftNotes:
    mentioned, doubt, refers_to, cross_reference, summary = found
    meant = tuple(int(each) for each in refers_to)
    if not all(0 <= each < drafts for each in meant):
        raise ValueError(found)
    return DraftNotes(_words(mentioned), bool(doubt), meant, bool(cross_reference), str(summary))


def _address(value: Any) -> str | None:
    """What people may be sent to."""
    if value is not None and not str(value).startswith(("https://", "http://")):
        raise ValueError(value)
    return _word(value)


def _words(values: Any) -> tuple[str, ...]:
    return tuple(map(str, values))


def _word(value: Any) -> str | None:
    return None if value is None else str(value)


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _values(written_: bytes) -> Any:
    return json.loads(written_.decode("utf-8", "surrogatepass"))


def _packed(value: object) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return {"time": value.isoformat()}
        case date():
            return {"day": value.isoformat()}
        case Mapping():
            return {"map": [[_packed(key), _packed(each)] for key, each in value.items()]}
        case list() | tuple() | set() | frozenset():
            return [_packed(each) for each in value]
    return str(value)


def _unpacked(value: Any) -> Any:
    match value:
        case {"time": str(written_)}:
            return datetime.fromisoformat(written_)
        case {"day": str(written_)}:
            return date.fromisoformat(written_)
        case {"map": list(pairs)}:
            return {_unpacked(key): _unpacked(each) for key, each in pairs}
        case list():
            return [_unpacked(each) for each in value]
    return value
