"""How one document is read, for people: the tool to use when an answer looks odd."""

from datetime import datetime
from pathlib import Path

from ingest import wording
from ingest.chunkers.drafts import PATH_SEPARATOR, ChunkDraft, TokenCounter
from ingest.naming import slug, title_from
from ingest.parsing import mime_type_of
from ingest.places import mentioned
from ingest.ports import RawDocument, SourceDefaults
from ingest.reading import Reading, read_document
from rag_core.documents import PolicySource, search_text
from rag_core.errors import Rejected


def preview(path: Path, count: TokenCounter, max_tokens: int, now: datetime) -> str:
    """The chunks of the document at `path`, as they would be stored. Raises Rejected."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Rejected("document_unreadable", path=str(path), problem=error.strerror or str(error)) from error
    folder = path.resolve().parent.name
    source = PolicySource(slug(folder) or "documents", title_from(folder))
    raw = RawDocument(path.name, path.name, content, mime_type_of(path.name) or "")
    reading = read_document(raw, slug(path.stem), SourceDefaults(source, guessed=True), now, count, max_tokens)
    stated = reading.arrival.stated
    head = [
        wording.preview_title(reading.arrival.version.title, reading.arrival.version.document_id),
        wording.preview_day(stated.isoformat() if stated else None),
    ]
    return "\n".join([*head, *(_chunk(number, draft, reading, count) for number, draft in enumerate(reading.drafts))])


def _chunk(number: int, draft: ChunkDraft, reading: Reading, count: TokenCounter) -> str:
    text = reading.text[draft.start : draft.end]
    path = PATH_SEPARATOR.join(draft.path)
    tokens = count(search_text(path, draft.lead_in, text))
    places = draft.places
    named = ", ".join(mentioned(f"{draft.lead_in}\n{text}"))
    lines = [
        "",
        wording.preview_chunk(number, tokens, path),
        wording.preview_regions(", ".join(places.regions), ", ".join(places.excluded), named, doubt=places.doubt),
    ]
    if draft.lead_in:
        lines += [wording.preview_lead_in(), draft.lead_in]
    return "\n".join([*lines, text])
