"""Word files made for tests."""

import io
import zipfile
from collections.abc import Mapping

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/></Types>"""
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = f"""<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{_RELATION}/officeDocument" Target="word/document.xml"/></Relationships>"""
_STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
    for name in ("Title", "heading 1", "heading 2", "List Paragraph", "footnote text")
)
_LEVELS = "".join(f'<w:lvl w:ilvl="{level}"><w:numFmt w:val="{{kind}}"/></w:lvl>' for level in range(4))
_NUMBERING = "".join(
    f'<w:abstractNum w:abstractNumId="{number}">{_LEVELS.format(kind=kind)}</w:abstractNum>'
    for number, kind in ((1, "bullet"), (2, "decimal"))
) + "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (1, 2))


def docx(body: str, notes: str = "", more: Mapping[str, bytes] | None = None) -> bytes:
    """A Word file with this body (and `notes`: footnotes) in WordprocessingML; `more`: further parts by name."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS,
        "word/document.xml": f"<w:document {_W} {_R}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{_STYLES}</w:styles>",
        "word/numbering.xml": f"<w:numbering {_W}>{_NUMBERING}</w:numbering>",
        "word/footnotes.xml": f"<w:footnotes {_W}>{notes}</w:footnotes>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in {**parts, **(more or {})}.items():
            package.writestr(name, content)
    return file.getvalue()


def paragraph(text: str, style: str = "", item: tuple[int, int] | None = None, *, bold: bool = False) -> str:
    """`item`: the numbering (1 bullets, 2 numbers) and the level from 0. `text` may hold runs of its own."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    listed = f'<w:numPr><w:ilvl w:val="{item[1]}"/><w:numId w:val="{item[0]}"/></w:numPr>' if item else ""
    runs = text if text.startswith("<w:") else run(text, bold=bold)
    return f"<w:p><w:pPr>{named}{listed}</w:pPr>{runs}</w:p>"


def run(text: str, *, bold: bool = False) -> str:
    looks = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:r>{looks}<w:t xml:space="preserve">{text}</w:t></w:r>'


def note_mark(number: int) -> str:
    return f'<w:r><w:footnoteReference w:id="{number}"/></w:r>'


def note(number: int, text: str) -> str:
    return f'<w:footnote w:id="{number}">{paragraph(text, "footnotetext")}</w:footnote>'


def cell(text: str, *, across: int = 1, down: str = "", bold: bool = False) -> str:
    """`down`: "restart" where a cell that reaches over several rows begins, "continue" below."""
    span = f'<w:gridSpan w:val="{across}"/>' if across > 1 else ""
    merge = f'<w:vMerge w:val="{down}"/>' if down else ""
    return f"<w:tc><w:tcPr>{span}{merge}</w:tcPr>{paragraph(text, bold=bold)}</w:tc>"


def row(*cells: str, header: bool = False) -> str:
    return f"<w:tr><w:trPr>{'<w:tblHeader/>' if header else ''}</w:trPr>{''.join(cells)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"
