"""Bytes of any format to a parsed document, the parser chosen by type."""

import re
from collections.abc import Callable

from ingest.model.document_types import DOCX, HTML, MARKDOWN, PDF, READ_TYPES
from ingest.parsers.docx import parse_docx
from ingest.parsers.html.document import parse_html
from ingest.parsers.markdown import parse_markdown
from ingest.parsers.parsed import ParsedDocument
from ingest.parsers.pdf.document import parse_pdf
from rag_core.errors import Rejected

_TEXTS: dict[str, Callable[[bytes, str | None], ParsedDocument]] = {
    MARKDOWN: parse_markdown,
    HTML: parse_html,
}
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?([\w:.-]+)""", re.IGNORECASE)
_FILES: dict[str, Callable[[bytes], ParsedDocument]] = {PDF: parse_pdf, DOCX: parse_docx}


def parse(content: bytes, mime_type: str) -> ParsedDocument:
    """The document in `content`; `mime_type` may name its charset.

    Raises Rejected: "document_type_unknown", and what the parser raises.
    """
    kind = mime_type.partition(";")[0].strip().lower()
    if kind in _TEXTS:
        charset = _CHARSET.search(mime_type)
        return _TEXTS[kind](content, charset[1] if charset else None)
    if kind in _FILES:
        return _FILES[kind](content)
    raise Rejected("document_type_unknown", mime_type=mime_type, known=sorted(READ_TYPES))
