"""DOCX: the package checked, then Word's styles, lists, tables with spans, notes and links, as HTML."""

import contextlib
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from xml.parsers import expat
from xml.parsers.expat import ExpatError

import mammoth

from ingest.parsers.docx_unseen import as_shown, hidden_styles
from ingest.parsers.html.document import parse_html
from ingest.parsers.parsed import ParsedDocument
from rag_core.errors import Rejected

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MOST_BYTES = 200 * 1024 * 1024
"""Uncompressed, all parts together."""
MOST_XML = 60 * 1024 * 1024
"""Uncompressed, one part of mark-up: a document of 2,000 pages has about 20 MB."""
_HIGHEST_RATIO = 200
_RATIO_COUNTS_FROM = 5 * 1024 * 1024
_MOST_PARTS = 5_000
DEEPEST = 200
"""Elements within elements of its mark-up: tables within tables to the tenth have fewer than a hundred."""
_DOCTYPE = re.compile(rb"<\0?!\0?D\0?O\0?C\0?T\0?Y\0?P\0?E", re.IGNORECASE)
_DAMAGED_PACKAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, OverflowError),
)
"""What `zipfile` raises for a file that somebody tampered with: it trusts the offsets and names in it."""
_BODY = "word/document.xml"
_PICTURES = "word/media/"
_STYLE_SHEET = "word/styles.xml"
_TEXTS = frozenset({_BODY, "word/footnotes.xml", "word/endnotes.xml"})


def checked_package(content: bytes) -> bytes:
    """The Word file without its pictures and macros, which nobody here reads, and without hidden text.

    Raises Rejected: "docx_encrypted", "docx_old_format" (.doc), "docx_damaged", "docx_too_large" (what it unpacks to),
    "document_nested_too_deeply".
    """
    if content.startswith(_OLE):
        raise Rejected("docx_encrypted" if _ENCRYPTED in content else "docx_old_format")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            _check_sizes(package.infolist(), len(content))
            return _text_parts(package)
    except _DAMAGED_PACKAGE as error:
        raise Rejected("docx_damaged", problem=str(error)[:200]) from error


def _check_sizes(parts: list[zipfile.ZipInfo], packed: int) -> None:
    total = sum(part.file_size for part in parts)
    largest = max((part.file_size for part in parts if _is_markup(part.filename)), default=0)
    ratio = total // max(packed, 1)
    bomb = total > _RATIO_COUNTS_FROM and ratio > _HIGHEST_RATIO
    if bomb or total > MOST_BYTES or largest > MOST_XML or len(parts) > _MOST_PARTS:
        raise Rejected("docx_too_large", unpacked=total, most=MOST_BYTES, ratio=ratio, parts=len(parts))
    names = Counter(part.filename for part in parts)
    if _BODY not in names:
        raise Rejected("docx_damaged", problem=f"{_BODY} is missing")
    if twice := next((name for name, count in names.items() if count > 1), None):
        raise Rejected("docx_damaged", problem=f"{twice} is there twice")  # programs differ in which of them they show


def _is_markup(name: str) -> bool:
    return name.endswith((".xml", ".rels"))


def _text_parts(package: zipfile.ZipFile) -> bytes:
    """Each part is read up to the size that it declares, so that a false declaration costs nothing."""
    kept = io.BytesIO()
    contents = {part: _read(package, part) for part in package.infolist() if _is_read(part.filename)}
    hidden = frozenset(
        name for part, read in contents.items() if part.filename == _STYLE_SHEET for name in hidden_styles(read)
    )
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_STORED) as copy:
        for part, read in contents.items():
            copy.writestr(part.filename, as_shown(read, hidden) if part.filename in _TEXTS else read)
    return kept.getvalue()


def _is_read(name: str) -> bool:
    return _is_markup(name) and not name.startswith(_PICTURES)


def _read(package: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    with package.open(part) as file:
        content = file.read(part.file_size + 1)
    if _DOCTYPE.search(content):  # Word writes none: entities that unfold without end
        raise Rejected("docx_damaged", problem=f"{part.filename} has a DOCTYPE")
    _check_depth(content)
    return content


def _check_depth(markup: bytes) -> None:
    """Mark-up that is none is left to who reads it."""
    depth = 0

    def opened(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Rejected("document_nested_too_deeply", most=DEEPEST)

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    with contextlib.suppress(expat.ExpatError):
        parser.Parse(markup, True)


_STYLES = """
p[style-name='Title'] => h1.title:fresh
p[style-name='Subtitle'] => p:fresh
p.Heading7 => h6:fresh
p[style-name='heading 7'] => h6:fresh
p[style-name='Heading 7'] => h6:fresh
p.Heading8 => h6:fresh
p.Heading9 => h6:fresh
comment-reference => !
"""
_TITLE = '<h1 class="title">'
_HEADING = re.compile(r"<(/?)h([1-5])>")
_DAMAGED = (ExpatError, ValueError, LookupError, AttributeError, TypeError, OSError, struct.error)
_BACK_LINK = re.compile(r'\s*<a href="#(?:foot|end)note-ref-[^"]*">↑</a>')


def parse_docx(content: bytes) -> ParsedDocument:
    """The document in `content`. Pictures, comments and macros are left out; notes come at its end.

    Raises Rejected: see `checked_package`; "docx_damaged" for mark-up that is none; "document_empty" without text.
    """
    html = _html(checked_package(content))
    if _TITLE in html:  # Word's title stands above its headings
        html = _HEADING.sub(lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}>", html)
        html = re.sub(r'(<h1 class="title">.*?)</h2>', r"\1</h1>", html, flags=re.DOTALL)
    page = f"<!doctype html><html><body><main>{_BACK_LINK.sub('', html)}</main></body></html>"
    return parse_html(page.encode())


def _html(package: bytes) -> str:
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(package),
            style_map=_STYLES,
            include_embedded_style_map=False,  # the file's own rules could make headings of anything
            convert_image=_no_image,
        )
    except RecursionError as error:
        raise Rejected("document_nested_too_deeply", most=DEEPEST) from error
    except _DAMAGED as error:
        raise Rejected("docx_damaged", problem=f"{type(error).__name__}: {error}"[:200]) from error
    return str(result.value)


def _no_image(image: object) -> list[object]:
    return []
