"""`/sources/{doc_id}`: the whole text of one version, with the quoted passage highlighted."""

from aiohttp import web

from adapters.web.callers import caller_of
from adapters.web.library import is_id
from adapters.web.parts import PARTS, WebParts
from adapters.web.problems import RequestRefused
from adapters.web.reading import Range, page_blocks
from adapters.web.templating import render
from bot.access.tokens import Permission
from rag_core.documents import SAMPLE_LABEL
from rag_core.ports import VersionText

routes = web.RouteTableDef()

_OFFSET_DIGITS = 12


@routes.get("/sources/{doc_id}")
async def source(request: web.Request) -> web.Response:
    """The page; one and the same 404 for what does not exist and for what the reader may not see."""
    parts, groups = request.app[PARTS], caller_of(request, Permission.READ).groups
    doc_id = request.match_info["doc_id"]
    found = await parts.store.version_text(doc_id, groups) if is_id(doc_id) else None
    if found is None:
        raise RequestRefused(404, "source_not_found")
    return render(request, "source.html", await _context(parts, groups, found, await _marked(request, groups, found)))


async def _context(
    parts: WebParts, groups: frozenset[str], found: VersionText, marked: Range | None
) -> dict[str, object]:
    version = found.version
    key, value = SAMPLE_LABEL
    return {
        "version": version,
        "blocks": page_blocks(found.text, version.title, marked),
        "marked": marked is not None,
        "versions": list(reversed(await parts.store.versions(groups, version.document_id))),
        "names": parts.links.source_names,
        "original": web_address(version.url),
        "is_sample": version.labels.get(key) == value,
        "today": parts.today(),
    }


async def _marked(request: web.Request, groups: frozenset[str], found: VersionText) -> Range | None:
    """The range the address asks to highlight (`from`, `to`), else the chunk it names, if either is in the text."""
    start, end = (_offset(request.query.get(name, "")) for name in ("from", "to"))
    if start is not None and end is not None:
        return _within(found, start, end)
    chunk_id = request.query.get("chunk", "")
    passages = await request.app[PARTS].store.passages([chunk_id], groups, None) if is_id(chunk_id) else []
    mine = [passage.chunk for passage in passages if passage.chunk.doc_id == found.version.doc_id]
    return _within(found, mine[0].char_start, mine[0].char_end) if mine else None


def _within(found: VersionText, start: int, end: int) -> Range | None:
    return (start, end) if 0 <= start < end <= len(found.text) else None


def _offset(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _OFFSET_DIGITS else None


def web_address(url: str | None) -> str | None:
    """`url` if a browser may be sent there: a document can name any scheme, `javascript:` too."""
    return url if url is not None and url.lower().startswith(("https://", "http://")) else None
