import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from ingest.cli import parse, preview_command
from ingest.reader.contents import Contents, ReadingTask
from ingest.reader.process import ReadingProcess
from rag_core.errors import Unavailable
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.pdfs import long_policy
from tests.fakes.reader import FakeReader
from tests.fakes.readers import ReaderHere, counts_words

RULES = """# Drinks

Effective 1 March 2026.

## Beer

### Germany

1.1 Beer ads must not be shown to minors. See section 1.2.

1.2 Ads must carry a warning.

## Wine

Wine ads are allowed in France only.
"""
CATALOGUE = """sources:
  - {id: acme-docs, type: folder, path: docs, policy_source: acme, display_name: Acme, region: be, chunker: rules}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "catalogue.yaml").write_text(CATALOGUE, encoding="utf-8")
    path = tmp_path / "loose" / "drinks.md"
    path.parent.mkdir()
    path.write_text(RULES, encoding="utf-8")
    return path


async def shown(file: Path, *argv: str) -> tuple[int, str]:
    out = io.StringIO()
    args = parse(["preview", str(file), *argv])
    code = await preview_command(args, FakeEmbedder(), ReaderHere(), file.parents[1] / "catalogue.yaml", out)
    return code, out.getvalue()


async def as_json(file: Path, *argv: str) -> dict[str, Any]:
    code, said = await shown(file, "--format", "json", *argv)
    assert code == 0
    found: dict[str, Any] = json.loads(said)
    return found


async def test_it_shows_the_outline_and_every_chunk_with_its_place(file: Path) -> None:
    code, said = await shown(file)

    lines = said.splitlines()
    assert code == 0
    assert lines[0] == "Drinks (loose_drinks)"
    assert lines[2] == "text/markdown; cut by the chunker sections"
    at = lines.index("Outline, with the number of chunks under each heading:")
    outline = [line.rpartition(" [")[0] for line in lines[at + 1 : at + 5]]
    assert outline == ["  Drinks", "    Beer", "      Germany", "    Wine"]
    assert "holds in: de\n" in said
    assert any(line.startswith("rule 1.1; ") and line.endswith("content type: general") for line in lines)


async def test_as_json_it_has_all_of_it(file: Path) -> None:
    found = await as_json(file)

    assert (found["document_id"], found["source_id"], found["chunker"]) == ("loose_drinks", None, "sections")
    assert sum(each["chunks"] for each in found["outline"]) == len(found["chunks"])
    germany = [each for each in found["chunks"] if each["policy_path"] == "Drinks > Beer > Germany"]
    assert {tuple(each["regions"]) for each in germany} == {("de",)}
    assert [each["rule_number"] for each in germany] == ["1.1", "1.2"]
    assert germany[0]["references"] == [{"text": "1.2", "chunks": [germany[1]["chunk_index"]]}]
    assert all(each["tokens"] > 0 for each in found["chunks"])


async def test_the_chunker_and_the_place_can_be_chosen(file: Path) -> None:
    plain = await as_json(file, "--chunker", "naive", "--region", "UK")
    assert plain["chunker"] == "naive"
    assert ["uk"] in [each["regions"] for each in plain["chunks"]]
    assert ["uk"] not in [each["regions"] for each in (await as_json(file, "--chunker", "naive"))["chunks"]]
    code, said = await shown(file, "--chunker", "auto")
    assert (code, "cut by the chunker auto (by its look: " in said) == (0, True)


async def test_a_file_of_the_catalogue_is_read_as_its_source_says(file: Path) -> None:
    own = file.parents[1] / "docs" / "drinks.md"
    own.parent.mkdir()
    own.write_text(RULES, encoding="utf-8")

    found = await as_json(own)

    assert (found["document_id"], found["source_id"], found["chunker"]) == ("acme_drinks", "acme-docs", "rules")
    assert "be" in {region for each in found["chunks"] for region in each["regions"]}
    assert "read as a document of the source acme-docs" in (await shown(own))[1]


async def test_pages_of_a_pdf_come_through_the_reading_process(tmp_path: Path) -> None:
    path = tmp_path / "printed" / "drinks.pdf"
    path.parent.mkdir()
    path.write_bytes(long_policy(2))
    reader = ReadingProcess(counts_words, processes=1)
    out = io.StringIO()
    try:
        args = parse(["preview", str(path), "--format", "json"])
        code = await preview_command(args, FakeEmbedder(), reader, tmp_path / "none.yaml", out)
    finally:
        await reader.aclose()
    found = json.loads(out.getvalue())
    assert (code, found["pages"], sorted({each["page"] for each in found["chunks"]})) == (0, 2, [1, 2])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.md", None, "It cannot be read"),
        ("odd.xyz", b"x", "There is no parser for it"),
        ("broken.pdf", b"%PDF-1.4 nothing", "The PDF is damaged"),
    ],
)
async def test_what_cannot_be_read_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None, words: str
) -> None:
    path = tmp_path / "loose" / name
    path.parent.mkdir()
    if content is not None:
        path.write_bytes(content)
    assert await shown(path) == (2, "")
    assert words in capsys.readouterr().err


async def test_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loose").mkdir()
    os.mkfifo(tmp_path / "loose" / "pipe.md")
    assert await shown(tmp_path / "loose" / "pipe.md") == (2, "")
    assert "It is a pipe" in capsys.readouterr().err


class NoReader:
    """A reader whose process does not start."""

    async def read(self, task: ReadingTask) -> Contents:
        raise Unavailable("parser_not_started")

    async def rest(self) -> None:
        """There is none to end."""


async def test_a_reader_that_does_not_start_is_for_trying_again(file: Path) -> None:
    with pytest.raises(Unavailable, match="parser_not_started"):
        await preview_command(parse(["preview", str(file)]), FakeEmbedder(), NoReader(), file, io.StringIO())


async def test_rules_are_shown_with_what_they_do_and_where_opinions_differ(file: Path) -> None:
    out = io.StringIO()
    args = parse(["preview", str(file)])
    reader = FakeReader()
    reader.doubted = {"1.2 Ads must carry a warning."}
    catalogue = file.parents[1] / "none.yaml"
    assert await preview_command(args, FakeEmbedder(), ReaderHere(), catalogue, out, rule_reader=reader) == 0
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert "its rules, each with what it does:" in lines
    assert "[prohibits 90 %] 1.1 Beer ads must not be shown to minors." in lines
    assert "[requires 45 %] 1.2 Ads must carry a warning." in lines
    out = io.StringIO()
    args = parse(["preview", str(file), "--format", "json"])
    await preview_command(args, FakeEmbedder(), ReaderHere(), catalogue, out, rule_reader=reader)
    found = json.loads(out.getvalue())
    effects = {rule["text"][0]: rule["effect"] for each in found["chunks"] for rule in each["rules"]}
    assert effects["1.1 Beer ads must not be shown to minors."] == "prohibits"
    assert found["rules_not_read"] is None


async def test_without_weights_a_preview_shows_what_the_words_of_rules_say(file: Path) -> None:
    out = io.StringIO()
    args, reader = parse(["preview", str(file)]), FakeReader(missing=True)
    assert await preview_command(args, FakeEmbedder(), ReaderHere(), file, out, rule_reader=reader) == 0
    assert "warning: the weights of the reader are missing" in out.getvalue()
    assert "[not read yet; its words say: prohibits] 1.1 Beer ads must not be shown to minors." in out.getvalue()
