"""`POST /api/v1/verify-citation`: does a passage, or a document, say this?"""

import asyncio
import uuid
from typing import Annotated

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from adapters.web.api.input import read_body
from adapters.web.api.library import is_id
from adapters.web.api.operations import Operation, just_one, serves
from adapters.web.api.shapes_store import SupportShape
from adapters.web.callers import caller_of
from adapters.web.parts import PARTS, WebParts
from adapters.web.problems import RequestRefused
from bot.access.tokens import Permission
from rag_core.claims.support import LONGEST_CLAIM, Support, support_in
from rag_core.documents import Passage

_LONGEST_QUOTE = 4_000
_LAST_CHUNK = 100_000

routes = web.RouteTableDef()


class VerifyBody(BaseModel):
    """Either `chunk_id` or `doc_id` says where to look; a `quote` says where the claim is said to stand."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, json_schema_extra=just_one("chunk_id", "doc_id")
    )

    claim: Annotated[str, Field(min_length=1, max_length=LONGEST_CLAIM)]
    chunk_id: Annotated[str, Field(max_length=300)] | None = None
    doc_id: Annotated[str, Field(max_length=300)] | None = None
    quote: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> "VerifyBody":
        if (self.chunk_id is None) == (self.doc_id is None):
            raise PydanticCustomError("one_place", "either chunk_id or doc_id")
        return self


@routes.post("/api/v1/verify-citation")
@serves(Operation(Permission.READ, SupportShape, VerifyBody, missing=("chunk_not_found", "document_not_found")))
async def verify_citation(request: web.Request) -> web.Response:
    """The same check that statements of a language model go through."""
    parts, groups = request.app[PARTS], caller_of(request, Permission.READ).groups
    body = await read_body(request, VerifyBody)
    async with asyncio.timeout(parts.ask_seconds):
        passages = await _passages(parts, groups, body)
        found = await asyncio.to_thread(support_in, body.claim, passages, body.quote)
    return web.json_response(_support_json(found))


async def _passages(parts: WebParts, groups: frozenset[str], body: VerifyBody) -> list[Passage]:
    """What may be seen of the place named; what is hidden is not there."""
    if body.chunk_id is not None:
        found = await parts.store.passages([_chunk_id(body.chunk_id)], groups, None)
        missing = "chunk_not_found"
    else:
        doc_id = body.doc_id or ""
        found = await parts.store.section(doc_id, 0, _LAST_CHUNK, groups) if is_id(doc_id) else []
        missing = "document_not_found"
    if not found:
        raise RequestRefused(404, missing)
    return found


def _chunk_id(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError as exc:
        raise RequestRefused(404, "chunk_not_found") from exc


def _support_json(found: Support) -> dict[str, object]:
    return {
        "verdict": found.verdict.value,
        "type": found.quote_type.value if found.quote_type else None,
        "confidence": found.confidence,
        "reasons": [doubt.value for doubt in found.doubts],
        "span": _span_json(found),
    }


def _span_json(found: Support) -> dict[str, object] | None:
    """The nearest rule: `char_start` and `char_end` count in the version's text, `chunk_start` and `chunk_end` in the
    chunk's; `rule` is all that gives it meaning (lead-in, table header), verbatim."""
    if found.unit is None or found.best is None:
        return None
    chunk, quote = found.unit.passage.chunk, found.best
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "policy_path": chunk.policy_path,
        "text": quote.text,
        "chunk_start": quote.start,
        "chunk_end": quote.end,
        "char_start": chunk.char_start + quote.start,
        "char_end": chunk.char_start + quote.end,
        "rule": [each.text for each in found.quotes],
    }
