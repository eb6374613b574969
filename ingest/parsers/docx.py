"""DOCX: Word's styles, lists, tables with spans, notes and links, as HTML to the HTML parser."""

import io
import re
import struct
from xml.parsers.expat import ExpatError

import mammoth

from ingest.parsers.docx_package import DEEPEST, checked_package
from ingest.parsers.html import parse_html
from ingest.parsers.parsed import ParsedDocument
from rag_core.errors import Rejected

_STYLES = """
p[style-name='Title'] => h1.title:fresh
p[style-name='Subtitle'] => p:fresh
p.Heading7 => h6:fresh
p[style-name='heading 7'] => h6:fresh
p[style-name='Heading 7'] => h6:fresh
p.Heading8 => h6:fresh
p.Heading9 => h6:fresh
comment-reference =>
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
