import io
import zipfile

import pytest

from ingest.parsers.docx import parse_docx
from rag_core.errors import Rejected
from rag_core.layout import write_blocks
from tests.fakes.docx import cell, docx, note, note_mark, paragraph, row, run, table


def text_of(body: str, notes: str = "") -> str:
    return write_blocks(parse_docx(docx(body, notes)).blocks)


def test_styles_lists_and_bold_lines_keep_their_place() -> None:
    body = (
        paragraph("Alcohol policy", "Title")
        + paragraph("Beer", "heading1")
        + paragraph("It must not:")
        + paragraph("address minors", item=(1, 0))
        + paragraph("with toys", item=(1, 1))
        + paragraph("show drivers", item=(1, 0))
        + paragraph("Spirits", "heading2")
        + paragraph("first", item=(2, 0))
        + paragraph("second", item=(2, 0))
        + paragraph("Mexico", bold=True)
        + paragraph("Not allowed.")
    )

    document = parse_docx(docx(body))

    assert document.title == "Alcohol policy"
    assert write_blocks(document.blocks) == (
        "# Alcohol policy\n\n## Beer\n\nIt must not:\n\n- address minors\n  - with toys\n- show drivers\n\n"
        "### Spirits\n\n1. first\n2. second\n\n#### Mexico\n\nNot allowed.\n"
    )


def test_without_a_title_the_headings_are_as_the_file_has_them() -> None:
    assert text_of(paragraph("Beer", "heading1") + paragraph("No.")) == "# Beer\n\nNo.\n"


def test_tables_keep_spans_and_the_header_that_the_file_or_its_type_names() -> None:
    rows = (
        row(cell("Sweden", down="restart"), cell("no")),
        row(cell("", down="continue"), cell("never")),
        row(cell("All others", across=2)),
    )
    expected = "| Country | Allowed? |\n| --- | --- |\n| Sweden | no |\n| Sweden | never |\n| All others | - |\n"

    assert text_of(table(row(cell("Country"), cell("Allowed?"), header=True), *rows)) == expected
    assert text_of(table(row(cell("Country", bold=True), cell("Allowed?", bold=True)), *rows)) == expected


def test_notes_stand_at_the_end_under_their_marks() -> None:
    body = paragraph(run("Over 18") + note_mark(2) + run(" only."))

    assert text_of(body, note(2, "Except lotteries.")) == "Over 18[1] only.\n\n1. Except lotteries.\n"


def test_pictures_and_macros_are_not_read() -> None:
    more = {"word/vbaProject.bin": b"\xd0\xcf\x11\xe0 macro", "word/media/image1.png": b"\x89PNG"}

    assert write_blocks(parse_docx(docx(paragraph("Beer is restricted."), more=more)).blocks) == "Beer is restricted.\n"


def bomb() -> bytes:
    return docx(paragraph("x"), more={"word/more.xml": b" " * 30_000_000})


def lying() -> bytes:
    """Declares 10 bytes of a part that unpacks to two million."""
    content = docx(paragraph("x"), more={"word/more.xml": b" " * 2_000_000})
    return content.replace((2_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))


def laughing(charset: str) -> bytes:
    """Entities within entities, and one that would read a file."""
    declared = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, 10))
    outside = '<!ENTITY e0 SYSTEM "file:///etc/passwd">'
    return f"<!DOCTYPE a [{outside}{declared}]><w:document><w:body>&e9;</w:body></w:document>".encode(charset)


def nested(depth: int) -> str:
    return "<w:sdt><w:sdtContent>" * depth + paragraph("x") + "</w:sdtContent></w:sdt>" * depth


def shifted() -> bytes:
    """Names a directory that lies before the file's beginning."""
    content = bytearray(docx(paragraph("x")))
    at = content.rindex(b"PK\5\6") + 16
    content[at : at + 4] = (int.from_bytes(content[at : at + 4], "little") + 99).to_bytes(4, "little")
    return bytes(content)


def without_body() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("other.txt", "x")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (bomb(), "docx_too_large"),
        (lying(), "docx_damaged"),
        (without_body(), "docx_damaged"),
        (b"no zip", "docx_damaged"),
        (docx(paragraph("x"))[:400], "docx_damaged"),
        (docx("<w:p><unclosed>"), "docx_damaged"),
        (docx(paragraph("x"), more={"word/more.xml": b'<!DOCTYPE a [<!ENTITY b "b">]>'}), "docx_damaged"),
        (docx(paragraph("x"), more={"word/document.xml": laughing("utf-8")}), "docx_damaged"),
        (docx(paragraph("x"), more={"word/document.xml": laughing("utf-16")}), "docx_damaged"),
        (docx(paragraph("x"), more={"word/document.xml": laughing("utf-16-be")}), "docx_damaged"),
        *((docx(nested(depth)), "document_nested_too_deeply") for depth in (100, 5_000)),
        (docx(nested(200_000)), "docx_too_large"),
        (shifted(), "docx_damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "docx_encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1WordDocument", "docx_old_format"),
        (docx(""), "document_empty"),
    ],
)
def test_what_cannot_be_read_is_rejected_by_name(content: bytes, code: str) -> None:
    with pytest.raises(Rejected) as caught:
        parse_docx(content)
    assert caught.value.code == code


@pytest.mark.parametrize("missing", ["word/styles.xml", "word/numbering.xml", "word/footnotes.xml", "_rels/.rels"])
def test_a_missing_part_costs_only_what_it_held(missing: str) -> None:
    file = io.BytesIO()
    content = io.BytesIO(docx(paragraph("Beer is restricted.")))
    with zipfile.ZipFile(content) as whole, zipfile.ZipFile(file, "w") as package:
        for name in set(whole.namelist()) - {missing}:
            package.writestr(name, whole.read(name))

    assert write_blocks(parse_docx(file.getvalue()).blocks) == "Beer is restricted.\n"


def outcome(content: bytes) -> str:
    try:
        return "read" if parse_docx(content).blocks else "nothing"
    except Rejected as error:
        return error.code


@pytest.mark.parametrize("seed", range(20))
def test_damaged_bytes_never_raise_anything_unexpected(seed: int) -> None:
    content = bytearray(docx(paragraph("Beer is restricted.") + table(row(cell("a"), cell("b"))), note(2, "x")))
    for at in range(6):
        content[(seed * 7919 + at * 104_729) % len(content)] ^= seed + at + 1
    assert outcome(bytes(content)) in ("read", "docx_damaged", "docx_too_large", "document_empty")


_GHOSTS = (
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:style w:type="character" w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="GhostP"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="GhostC"><w:basedOn w:val="GhostP"/></w:style></w:styles>'
)


def looking(looks: str, text: str = "Kites fly free.") -> str:
    return f"<w:r><w:rPr>{looks}</w:rPr><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    "hidden",
    [
        *(paragraph(looking(looks)) for looks in ("<w:vanish/>", '<w:vanish w:val="true"/>', "<w:specVanish/>")),
        paragraph(looking('<w:rStyle w:val="Ghost"/>')),
        paragraph(run("Kites fly free."), "GhostP"),
        paragraph(run("Kites fly free."), "GhostC"),
        *(paragraph(looking(looks)) for looks in ('<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>', "<w:dstrike/>")),
        table("<w:tr><w:trPr><w:hidden/></w:trPr>" + cell("Kites fly free.") + "</w:tr>"),
    ],
)
def test_what_word_does_not_show_is_not_read(hidden: str) -> None:
    body = paragraph("Kites are prohibited.") + hidden + paragraph("Next.")
    read = write_blocks(parse_docx(docx(body, more={"word/styles.xml": _GHOSTS.encode()})).blocks)
    assert read == "Kites are prohibited.\n\nNext.\n"


@pytest.mark.parametrize(
    "shown",
    [
        paragraph(looking('<w:vanish w:val="0"/>'), "GhostP"),
        paragraph(looking('<w:color w:val="FFFFFF"/><w:shd w:fill="000080"/>')),
        table(row("<w:tc>" + paragraph(looking('<w:color w:val="FFFFFF"/>')) + "</w:tc>")),
        paragraph(looking('<w:sz w:val="12"/>')),
        paragraph('<w:fldSimple w:instr="REF x">' + run("Kites fly free.") + "</w:fldSimple>"),
        paragraph('<w:bdo w:val="ltr">' + run("Kites fly free.") + "</w:bdo>"),
        paragraph("<w:r><w:ruby><w:rubyBase>" + run("Kites fly free.") + "</w:rubyBase></w:ruby></w:r>"),
    ],
)
def test_what_word_shows_is_read(shown: str) -> None:
    body = paragraph("Kites are prohibited.") + shown
    read = write_blocks(parse_docx(docx(body, more={"word/styles.xml": _GHOSTS.encode()})).blocks)
    assert "Kites fly free." in read


def test_what_somebody_noted_at_the_margin_is_not_read() -> None:
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts = {
        "word/_rels/document.xml.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{relation}/comments" Target="comments.xml"/></Relationships>'
        ),
        "word/comments.xml": (
            '<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            f'<w:comment w:id="1" w:author="x">{paragraph("Kites fly free.")}</w:comment></w:comments>'
        ),
    }
    body = paragraph(run("Kites are prohibited.") + '<w:r><w:commentReference w:id="1"/></w:r>')

    read = parse_docx(docx(body, more={name: part.encode() for name, part in parts.items()}))

    assert write_blocks(read.blocks) == "Kites are prohibited.\n"


def test_a_part_that_is_there_twice_is_refused() -> None:
    content = io.BytesIO(docx(paragraph("Beer is allowed.")))
    with zipfile.ZipFile(content, "a") as package, pytest.warns(UserWarning, match="Duplicate name"):
        package.writestr("word/document.xml", "<w/>")

    with pytest.raises(Rejected) as refused:
        parse_docx(content.getvalue())

    assert refused.value.code == "docx_damaged"
