"""The types of documents that are read. Imports no parser: those run, and are loaded, in a process of their own."""

from pathlib import PurePosixPath

PARSERS = "parsers-8"
"""Goes into a version's `pipeline`: change it when the same bytes would be read differently."""

MARKDOWN = "text/markdown"
HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
READ_TYPES = frozenset({MARKDOWN, HTML, PDF, DOCX})
"""What `ingest.reader.parsing.parse` reads."""

_MIME_TYPES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".pdf": PDF,
    ".docx": DOCX,
}


_UNREAD = frozenset(
    ".adoc .csv .doc .docm .dotx .eml .epub .mht .mhtml .msg .odt .pages .ppt .pptx .rst .rtf .tsv .txt .xhtml .xls "
    ".xlsx".split()
)


def is_unread_document(file_name: str) -> bool:
    """Whether a file's name promises a document that no parser reads: a text, a table or slides, no picture."""
    return PurePosixPath(file_name).suffix.lower() in _UNREAD


def mime_type_of(file_name: str) -> str | None:
    """The type that a file's name promises; None if no parser reads it."""
    return _MIME_TYPES.get(PurePosixPath(file_name).suffix.lower())
