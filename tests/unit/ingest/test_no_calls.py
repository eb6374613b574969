"""What a document names on the network is not fetched: it would tell its author when it is read, and from where."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ingest.sources.folder import FolderSource
from tests.fakes.docx import docx, paragraph
from tests.fakes.odd_pdfs import SHOWN, odd_pdf
from tests.fakes.sources import ACME_DEFAULTS
from tests.fakes.workshop import Workshop

RULE = "Beer is restricted everywhere."
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
KINDS = ("image", "attachedTemplate", "oleObject", "hyperlink", "frame", "styles", "footnotes", "numbering", "settings")


def page(url: str) -> str:
    head = "".join(
        (
            f"<base href='{url}/'><link rel=stylesheet href='{url}/a.css'><link rel=preload as=image href='{url}/b'>",
            f"<link rel=dns-prefetch href='{url}'><script src='{url}/c.js'></script><style>@import '{url}/d.css';",
            f"p {{background: url({url}/e)}}</style><meta http-equiv=refresh content='0; url={url}/f'>",
        )
    )
    body = "".join(
        f"<{each}>"
        for each in (
            f"img src='{url}/g' srcset='{url}/h 2x'",
            f"iframe src='{url}/i'></iframe",
            f"object data='{url}/j'></object",
            f"embed src='{url}/k'",
            f"video src='{url}/l' poster='{url}/m' autoplay></video",
            f"svg><image href='{url}/n'/><use href='{url}/o#p'/></svg",
            f"form action='{url}/q'></form",
            f"input type=image src='{url}/r'",
        )
    )
    return f"<!DOCTYPE html SYSTEM '{url}/dtd'><html><head>{head}</head><body><main><p>{RULE}</p>{body}</main></body>"


def markdown(url: str) -> str:
    return (
        f"---\nurl: {url}/a\ntitle: '{url}/b'\n---\n# Beer\n\n{RULE}\n\n![x]({url}/c) <{url}/d> [e]({url}/e)\n\n"
        f"[f]: {url}/f\n\n<img src='{url}/g'>\n\n!include {url}/h\n\n{{% include '{url}/i' %}}\n"
    )


def word(url: str) -> bytes:
    relations = "".join(
        f'<Relationship Id="r{at}" Type="{RELATION}/{kind}" Target="{url}/{kind}" TargetMode="External"/>'
        for at, kind in enumerate(KINDS)
    )
    document = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relations}'
    fields = "".join(
        f'<w:p><w:fldSimple w:instr="{kind} {url}/{kind} \\d"/></w:p>'
        for kind in ("INCLUDEPICTURE", "INCLUDETEXT", "DDEAUTO", "LINK", "HYPERLINK")
    )
    return docx(
        paragraph(RULE) + fields,
        more={
            "word/_rels/document.xml.rels": f"{document}</Relationships>".encode(),
            "word/_rels/settings.xml.rels": f"{document}</Relationships>".encode(),
        },
    )


def word_with_entity(url: str) -> bytes:
    entity = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{url}/x"><!ENTITY % y SYSTEM "{url}/y"> %y;]><w>&x;</w>'
    return docx(paragraph(RULE), more={"word/comments.xml": entity.encode(), "docProps/core.xml": entity.encode()})


def pdf(url: str) -> bytes:
    to = url.encode()
    opened = (
        b"/OpenAction<</S/URI/URI(" + to + b"/a)>>/AA<</WC<</S/JavaScript/JS(app.launchURL\\('" + to + b"/b'\\))>>>>"
    )
    link = b"<</Type/Annot/Subtype/Link/Rect[0 0 600 800]/A<</S/URI/URI(" + to + b"/c)>>>>"
    sent = b"<</Type/Annot/Subtype/Widget/FT/Btn/Rect[0 0 9 9]/AA<</PO<</S/SubmitForm/F(" + to + b"/d)>>>>>>"
    outside = b"<</F<</FS/URL/F(" + to + b"/e)>>/Length 0>>stream\n\nendstream"
    media = b"0 0 600 800]/Annots[" + link + sent + b"]/AA<</O<</S/GoToR/F<</FS/URL/F(" + to + b"/f)>>/D[0/Fit]>>>>/X["
    return odd_pdf(SHOWN + b" /Im Do", catalog=opened, media=media, resources=b"/XObject<</Im 6 0 R>>", more=[outside])


DOCUMENTS: dict[str, Callable[[str], str | bytes]] = {
    "page.html": page,
    "text.md": markdown,
    "word.docx": word,
    "entity.docx": word_with_entity,
    "paper.pdf": pdf,
}


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[str, list[bytes]]]:
    """An address, and what whoever came there sent first."""
    came: list[bytes] = []

    async def note(reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        came.append(await reading.read(100))
        writing.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", came
    finally:
        server.close()


@pytest.mark.parametrize("name", DOCUMENTS)
async def test_what_a_document_names_is_not_fetched(name: str, tmp_path: Path, workshop: Workshop) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    async with listening() as (url, came):
        made = DOCUMENTS[name](url)
        (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())
        report = await workshop.run(FolderSource("docs", folder, ACME_DEFAULTS))
        texts = [each.chunk.chunk_text for each in await workshop.passages()]
        reading, writing = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
        writing.write(b"the test")
        await reading.read()
        writing.close()

    assert came == [b"the test"]  # whoever came before is noted before
    assert any(RULE in text for text in texts) or report.failed
