"""`GET /api/v1/documents`, `/documents/{document_id}/versions` and `/chunks/{chunk_id}`: what answers are made of."""

import uuid
from itertools import groupby

from aiohttp import web

from adapters.web.callers import caller_of
from adapters.web.given import GivenFields
from adapters.web.operations import DAY, LIMIT, NAME, SOURCES, Operation, serves
from adapters.web.parts import PARTS
from adapters.web.passages import document_json, passage_json, version_json
from adapters.web.problems import RequestRefused
from adapters.web.shapes_store import ChunkShape, DocumentsShape, VersionsShape
from bot.access.tokens import Permission

_ID_LENGTH = 300
_DOCUMENTS, _MOST_DOCUMENTS = 100, 500
_VERSIONS, _MOST_VERSIONS = 200, 1_000

_OF_DOCUMENTS = {"policy_source": SOURCES, "cursor": NAME, "limit": LIMIT}
_OF_VERSIONS = {"as_of": DAY, "cursor": NAME, "limit": LIMIT}

routes = web.RouteTableDef()


@routes.get("/api/v1/documents")
@serves(Operation(Permission.READ, DocumentsShape, query=_OF_DOCUMENTS))
async def documents(request: web.Request) -> web.Response:
    """By document_id; `cursor` of the answer, given again, asks for what follows. `has_more`: there is something."""
    parts, groups = request.app[PARTS], caller_of(request, Permission.READ).groups
    given = GivenFields(request, _OF_DOCUMENTS)
    sources, cursor, limit = given.sources(), given.name("cursor"), given.limit(_DOCUMENTS, _MOST_DOCUMENTS)
    given.check()
    versions = [
        each
        for each in await parts.store.versions(groups)
        if each.document_id > cursor and (not sources or each.policy_source in sources)
    ]
    found = [list(members) for _, members in groupby(versions, key=lambda version: version.document_id)]
    shown = [document_json(members, parts.today()) for members in found[:limit]]
    last = found[:limit][-1][0].document_id if shown else cursor
    return web.json_response({"documents": shown, "cursor": last, "has_more": len(found) > len(shown) > 0})


@routes.get("/api/v1/documents/{document_id}/versions")
@serves(Operation(Permission.READ, VersionsShape, query=_OF_VERSIONS, missing=("document_not_found",)))
async def versions_of(request: web.Request) -> web.Response:
    """Oldest first; `cursor`: the doc_id read last. With `as_of`: the version that holds on that day, if one does."""
    parts, groups = request.app[PARTS], caller_of(request, Permission.READ).groups
    given = GivenFields(request, _OF_VERSIONS)
    day, cursor, limit = given.day("as_of"), given.name("cursor"), given.limit(_VERSIONS, _MOST_VERSIONS)
    given.check()
    document_id = request.match_info["document_id"]
    versions = await parts.store.versions(groups, document_id) if is_id(document_id) else []
    if not versions:
        raise RequestRefused(404, "document_not_found")
    known = [each.doc_id for each in versions]
    rest = versions[known.index(cursor) + 1 if cursor in known else 0 :]
    found = [each for each in rest if day is None or each.holds_on(day)]
    shown = found[:limit]
    body = {
        "document_id": document_id,
        "versions": [version_json(version, parts.today()) for version in shown],
        "cursor": shown[-1].doc_id if shown else cursor,
        "has_more": len(found) > len(shown) > 0,
    }
    return web.json_response(body)


@routes.get("/api/v1/chunks/{chunk_id}")
@serves(Operation(Permission.READ, ChunkShape, missing=("chunk_not_found",)))
async def chunk(request: web.Request) -> web.Response:
    """A passage with the version that it stands in."""
    parts, groups = request.app[PARTS], caller_of(request, Permission.READ).groups
    found = await parts.store.passages([_uuid(request.match_info["chunk_id"])], groups, None)
    if not found:
        raise RequestRefused(404, "chunk_not_found")
    passage = found[0]
    # of a document's versions the store says which they supersede, as far as the caller may know
    versions = await parts.store.versions(groups, passage.version.document_id)
    version = next((each for each in versions if each.doc_id == passage.chunk.doc_id), passage.version)
    return web.json_response(passage_json(passage, parts.links) | {"version": version_json(version, parts.today())})


def _uuid(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError as exc:
        raise RequestRefused(404, "chunk_not_found") from exc


def is_id(text: str) -> bool:
    """Whether `text` can be an id at all: PostgreSQL refuses a NUL in a text, and no id has a control character."""
    return 0 < len(text) <= _ID_LENGTH and text.isprintable()
