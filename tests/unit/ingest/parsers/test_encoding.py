"""Which bytes are which letters: a wrong charset must neither lose a page nor change its words."""

import codecs

import pytest

from ingest.parsers.encoding import decode
from ingest.parsers.markdown import parse_markdown
from ingest.reader.parsing import parse
from rag_core.errors import Rejected

WORDS = "Geschäfte dürfen nicht werben – “nie”."
PLAIN = WORDS.replace("– “nie”", "nie")


def page(charset: str, text: str = WORDS) -> str:
    return f'<html><head><meta charset="{charset}"></head><body><main><p>{text} {text}</p></main></body></html>'


def words_of(content: bytes, mime_type: str = "text/html") -> str:
    return parse(content, mime_type).blocks[0].text


@pytest.mark.parametrize(
    ("content", "header"),
    [
        (page("utf-8").encode(), None),
        (page("windows-1252").encode("cp1252"), None),
        (page("ISO-8859-1").encode("cp1252"), None),  # what a page means by it
        (page("utf-8").encode("cp1252"), "windows-1252"),  # the server knows better than the page
        (page("windows-1252").encode("cp1252"), "utf-8"),  # the page knows better than the server
        (page("windows-1252").encode(), "iso-8859-1"),  # both are wrong: the bytes are UTF-8
        (page("utf-16").encode("utf-16"), None),
        (page("utf-8").encode("utf-16-le"), "utf-16le"),
        (page("utf-8").encode("utf-32"), None),
        (codecs.BOM_UTF32_BE + page("utf-8").encode("utf-32-be"), None),
        (b"\xef\xbb\xbf" + page("windows-1252").encode(), "windows-1252"),
        (page("rot13").encode(), "unicode_escape"),
        (page("no-such-charset").encode(), "also none"),
        (page("utf-16").encode(), None),  # whoever could read this far reads no UTF-16
    ],
)
def test_a_page_is_read_whatever_is_said_of_it(content: bytes, header: str | None) -> None:
    assert words_of(content, f"text/html; charset={header}" if header else "text/html") == f"{WORDS} {WORDS}"


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("windows-1251", "Реклама запрещена везде"),
        ("shift_jis", "広告は禁止です"),
        ("gb2312", "禁止广告"),
        ("euc-kr", "광고는 금지"),
        ("iso-2022-jp", "広告は禁止です"),
        ("iso-8859-9", "Reklam yasaktır"),
    ],
)
def test_other_encodings_of_web_pages(charset: str, text: str) -> None:
    assert words_of(page(charset, text).encode(charset)) == f"{text} {text}"


def test_what_xml_states() -> None:
    markup = f'<?xml version="1.0" encoding="windows-1252"?><html><body><main><p>{PLAIN}</p></main></body></html>'
    assert words_of(markup.encode("cp1252")) == PLAIN


def test_a_few_wrong_bytes_are_mended_and_reported() -> None:
    sentence = b"Ads for wine don\x92t need a licence here, and that is so in every country of the list below. " * 3
    found = parse_markdown(sentence.replace(b"\x92", b"'") * 3 + b"Ads for beer \x96 or cider \xe2\x80 can\x92t run.")

    assert found.blocks[0].text.endswith("Ads for beer – or cider \ufffd can’t run.")
    assert [(each.code, dict(each.details)) for each in found.warnings] == [
        ("text_mended", {"bytes": 4, "position": 832})
    ]
    assert parse_markdown("Ads – all of them.".encode()).warnings == ()


@pytest.mark.parametrize(
    ("content", "charset", "code"),
    [
        (WORDS.encode("cp1252"), None, "not_utf8"),
        (WORDS.encode("cp1252"), "unicode_escape", "not_utf8"),
        (b"\xff\xfea", None, "document_binary"),
        (b"\x89PNG\x00", "windows-1252", "document_binary"),
        (b"\xef\xbb\xbfa\x00b", None, "document_binary"),
        (" \n".encode("utf-16"), None, "document_empty"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, charset: str | None, code: str) -> None:
    with pytest.raises(Rejected, match=code):
        decode(content, charset)


def test_many_wrong_bytes_take_no_time() -> None:
    content = (b"a" * 199 + b"\x92") * 50_000
    assert decode(content).text.count("’") == 50_000


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_the_mark_of_another_encoding_does_not_garble_a_text(mark: bytes) -> None:
    found = decode(mark + "Beer is not allowed in Köln.".encode())

    assert found.text == "Beer is not allowed in Köln."
    assert [each.code for each in found.warnings] == ["text_mended"]
