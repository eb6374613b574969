"""Passages, documents and versions as JSON."""

import uuid
from collections.abc import Sequence
from datetime import date
from itertools import groupby

from aiohttp import web

from adapters.web.api.input import GivenFields
from adapters.web.api.operations import DAY, LIMIT, NAME, SOURCES, Operation, serves
from adapters.web.api.shapes_store import ChunkShape, DocumentsShape, VersionsShape
from adapters.web.callers import caller_of
from adapters.web.parts import PARTS
from adapters.web.problems import RequestRefused
from bot.access.tokens import Permission
from bot.model.links import Links
from rag_core.answering.refusals import section_of
from rag_core.documents import DocumentVersion, Passage


def passage_json(passage: Passage, links: Links) -> dict[str, object]:
    """A chunk with what is needed to show and cite it."""
    chunk, version = passage.chunk, passage.version
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "document_id": version.document_id,
        "chunk_index": chunk.chunk_index,
        "policy_source": chunk.policy_source,
        "title": version.title,
        "url": links.nearest(section_of(passage)),
        "policy_section": chunk.policy_section,
        "policy_section_level": chunk.policy_section_level,
        "policy_path": chunk.policy_path,
        "chunk_text": chunk.chunk_text,
        "lead_in": chunk.lead_in,
        "regions": list(chunk.regions),
        "regions_excluded": list(chunk.regions_excluded),
        "regions_mentioned": list(chunk.regions_mentioned),
        "content_type": chunk.content_type.value,
        "rule_number": chunk.rule_number,
        "page": chunk.page,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "effective_from": chunk.effective_from.isoformat(),
        "effective_to": _day(chunk.effective_to),
        "content_hash": chunk.content_hash,
    }


def version_json(version: DocumentVersion, today: date) -> dict[str, object]:
    """A version; `in_force` is whether it holds today."""
    return {
        "doc_id": version.doc_id,
        "document_id": version.document_id,
        "policy_source": version.policy_source,
        "title": version.title,
        "url": version.url,
        "mime_type": version.mime_type,
        "sha256": version.sha256,
        "size": version.size,
        "pages": version.pages,
        "chunks": version.chunk_count,
        "status": version.status.value,
        "supersedes": version.supersedes,
        "effective_from": version.effective_from.isoformat(),
        "effective_to": _day(version.effective_to),
        "date_stated": version.date_stated,
        "in_force": version.holds_on(today),
        "seen_at": version.seen_at.isoformat(),
        "checked_at": version.checked_at.isoformat(),
        "classification": version.classification.value,
        "labels": dict(version.labels),
    }


def document_json(versions: Sequence[DocumentVersion], today: date) -> dict[str, object]:
    """A document from all its versions, oldest first: titled by the one in force today, else by the last."""
    in_force = next((version for version in reversed(versions) if version.holds_on(today)), None)
    shown = in_force or versions[-1]
    return {
        "document_id": shown.document_id,
        "policy_source": shown.policy_source,
        "title": shown.title,
        "url": shown.url,
        "labels": dict(shown.labels),
        "doc_id": in_force.doc_id if in_force else None,
        "effective_from": shown.effective_from.isoformat(),
        "effective_to": _day(shown.effective_to),
        "versions": len(versions),
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


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
