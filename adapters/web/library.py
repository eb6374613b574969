"""`GET /api/v1/documents`, `/documents/{document_id}/versions` and `/chunks/{chunk_id}`: what answers are made of."""

import uuid
from itertools import groupby

from aiohttp import web

from adapters.web.parts import EVERYBODY, PARTS
from adapters.web.passages import document_json, passage_json, version_json
from adapters.web.problems import RequestRefused

_ID_LENGTH = 300

routes = web.RouteTableDef()


@routes.get("/api/v1/documents")
async def documents(request: web.Request) -> web.Response:
    parts = request.app[PARTS]
    versions = await parts.store.versions(EVERYBODY)
    by_document = [list(members) for _, members in groupby(versions, key=lambda version: version.document_id)]
    return web.json_response({"documents": [document_json(members, parts.today()) for members in by_document]})


@routes.get("/api/v1/documents/{document_id}/versions")
async def versions_of(request: web.Request) -> web.Response:
    parts = request.app[PARTS]
    document_id = request.match_info["document_id"]
    versions = await parts.store.versions(EVERYBODY, document_id) if is_id(document_id) else []
    if not versions:
        raise RequestRefused(404, "document_not_found")
    shown = [version_json(version, parts.today()) for version in versions]
    return web.json_response({"document_id": document_id, "versions": shown})


@routes.get("/api/v1/chunks/{chunk_id}")
async def chunk(request: web.Request) -> web.Response:
    parts = request.app[PARTS]
    found = await parts.store.passages([_uuid(request.match_info["chunk_id"])], EVERYBODY, None)
    if not found:
        raise RequestRefused(404, "chunk_not_found")
    passage = found[0]
    version = version_json(passage.version, parts.today())
    return web.json_response(passage_json(passage, parts.links) | {"version": version})


def _uuid(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError as exc:
        raise RequestRefused(404, "chunk_not_found") from exc


def is_id(text: str) -> bool:
    """Whether `text` can be an id at all: PostgreSQL refuses a NUL in a text, and no id has a control character."""
    return 0 < len(text) <= _ID_LENGTH and text.isprintable()
