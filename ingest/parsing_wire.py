"""How a parsed document crosses from the parsing process: as JSON, because a parser that was taken over by a document
must not be able to hand back code, as a pickle could."""

import json
import struct
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from ingest.parsers.parsed import ParsedDocument, ParseWarning
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.layout import Block, BlockKind

Answer = ParsedDocument | PolicyBotError
REQUEST = struct.Struct("!QQ")
"""The lengths of type and content, before both."""
ANSWER = struct.Struct("!Q")
"""The length of what `written` gives, before it."""
OUT_OF_MEMORY = 71
"""Exit code."""


def written(answer: Answer) -> bytes:
    """`answer` as bytes that `read` reads back. Values that JSON has not, dates excepted, come back as text."""
    if isinstance(answer, PolicyBotError):
        kind = "unavailable" if isinstance(answer, Unavailable) else "rejected"
        found: dict[str, Any] = {kind: [answer.code, _packed(answer.details)]}
    else:
        found = {
            "blocks": [[block.kind, block.text, block.level, block.marker] for block in answer.blocks],
            "anchors": list(answer.anchors.items()),
            "metadata": _packed(answer.metadata),
            "metadata_lines": list(answer.metadata_lines.items()),
            "title": answer.title,
            "url": answer.url,
            "pages": list(answer.pages.items()),
            "page_count": answer.page_count,
            "warnings": [[warning.code, _packed(warning.details)] for warning in answer.warnings],
        }
    return json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")


def read(content: bytes) -> Answer:
    """The answer in `content`. Raises ValueError, KeyError or TypeError if `written` did not make it."""
    found = json.loads(content.decode("utf-8", "surrogatepass"))
    for kind, error in (("rejected", Rejected), ("unavailable", Unavailable)):
        if kind in found:
            code, details = found[kind]
            return error(str(code), **_unpacked(details))
    return ParsedDocument(
        blocks=tuple(
            Block(BlockKind(kind), str(text), int(level), str(marker)) for kind, text, level, marker in found["blocks"]
        ),
        anchors={int(at): str(anchor) for at, anchor in found["anchors"]},
        metadata=_unpacked(found["metadata"]),
        metadata_lines={str(key): int(line) for key, line in found["metadata_lines"]},
        title=found["title"],
        url=found["url"],
        pages={int(at): int(page) for at, page in found["pages"]},
        page_count=found["page_count"],
        warnings=tuple(ParseWarning(str(code), _unpacked(details)) for code, details in found["warnings"]),
    )


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
