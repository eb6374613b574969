"""Bytes of any format to a parsed document, the parser chosen by type."""

from collections.abc import Callable
from pathlib import PurePosixPath

from ingest.parsers.docx import parse_docx
from ingest.parsers.html import parse_html
from ingest.parsers.markdown import parse_markdown
from ingest.parsers.parsed import ParsedDocument
from ingest.parsers.pdf import parse_pdf
from rag_core.errors import Rejected

PARSERS = "parsers-2"
"""Goes into a version's `pipeline`: change it when the same bytes would be read differently."""

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PDF = "application/pdf"

_MIME_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".pdf": PDF,
    ".docx": DOCX,
}
_PARSERS: dict[str, Callable[[bytes], ParsedDocument]] = {
    "text/markdown": parse_markdown,
    "text/html": parse_html,
    PDF: parse_pdf,
    DOCX: parse_docx,
}


def mime_type_of(file_name: str) -> str | None:
    """The type that a file's name promises; None if no parser reads it."""
    return _MIME_TYPES.get(PurePosixPath(file_name).suffix.lower())


def parse(content: bytes, mime_type: str) -> ParsedDocument:
    """The document in `content`. Raises Rejected: "document_type_unknown", and what the parser raises."""
    parser = _PARSERS.get(mime_type.partition(";")[0].strip().lower())  # the charset is found in the bytes
    if parser is None:
        raise Rejected("document_type_unknown", mime_type=mime_type, known=sorted(_PARSERS))
    return parser(content)
