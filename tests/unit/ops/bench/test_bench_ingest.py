"""`python -m ops bench ingest`: its documents, its arithmetic, and all of it at a small size."""

from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from ingest.chunkers.outline import sections
from ingest.places import Places
from ingest.reader.parsing import parse
from ops.bench import wording
from ops.bench.ingest import bench_ingest, is_quick
from ops.bench.ingest_corpus import MEAN_BYTES, made_document, write_corpus
from ops.bench.timing import Ran, ReadPdf
from ops.cli import parse as parse_arguments
from rag_core.layout import BlockKind

RAN = Ran(
    documents=50, bytes=650_000, chunks=1_000, embedded=1_000, failed=0, seconds=20.0, embedding=19.0,
    processor=2.5, load=0.4,
)  # fmt: skip


def test_what_is_left_without_the_model() -> None:
    assert (RAN.share, RAN.rate, RAN.mean_kilobytes) == (0.95, 50.0, 13.0)
    assert is_quick(RAN)
    assert not is_quick(replace(RAN, seconds=20.5))
    assert not is_quick(replace(RAN, failed=1))


def test_each_line_says_whether_its_target_is_met() -> None:
    slow = replace(RAN, seconds=40.0)
    assert "95.0% of 20.0 s" in wording.share("made documents", RAN, 0.9)
    assert ": met)" in wording.share("made documents", RAN, 0.9)
    assert "NOT MET" in wording.share("made documents", slow, 0.9)
    assert "50.0 documents a second (target at least 40: met), 50 ms" in wording.rate("made documents", RAN, 40.0)
    assert "NOT MET" in wording.rate("made documents", slow, 40.0)
    assert "no target" in wording.rate("the real policies", slow, None)
    assert "not known on this system" in wording.pdf(ReadPdf(300, 61.0, None, 1536, 0.0), 60.0)
    assert "NOT MET" in wording.pdf(ReadPdf(300, 61.0, 300.0, 1536, 0.0), 60.0)
    assert ": met)" in wording.unchanged(10_000, "", 19.9, 20.0, 0.0)
    assert "NOT MET" in wording.section(RAN, RAN, 1)


def test_made_documents_have_the_size_they_are_said_to_have(tmp_path: Path) -> None:
    write_corpus(tmp_path, 200)
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert mean(sizes) == pytest.approx(MEAN_BYTES, rel=0.08)
    assert (min(sizes) < MEAN_BYTES / 2, max(sizes) > MEAN_BYTES * 1.8) == (True, True)
    assert {path.suffix for path in tmp_path.iterdir()} == {".md", ".html"}
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 200


@pytest.mark.parametrize(("number", "mime_type"), [(0, "text/html"), (1, "text/markdown")])
def test_made_documents_are_read_with_all_that_is_in_them(number: int, mime_type: str) -> None:
    assert made_document(number) == made_document(number)
    parsed = parse(made_document(number).encode(), mime_type)
    kinds = [block.kind for block in parsed.blocks]
    assert {BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.ITEM} <= set(kinds)
    assert len(sections(parsed.blocks, {}, "", Places())) >= 3
    assert not any("This page was made up" in block.text for block in parsed.blocks)


async def test_all_of_it_at_a_small_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await bench_ingest(tmp_path, documents=3, without=frozenset())
    lines = capsys.readouterr().out.splitlines()
    begins = ["first ingest of made documents: 3 documents", "all but the embedding model, made documents: 3 "]
    begins += ["a PDF of 3 pages", "second run over 3 unchanged documents", "1 changed section of a document of 100"]
    for begin in begins:
        assert any(line.startswith(begin) for line in lines), begin
    assert sum(line.startswith("left out: the real policies") for line in lines) == 2
    assert not any("failed" in line and " 0 failed" not in line for line in lines)
    assert "3 unchanged" in next(line for line in lines if line.startswith("second run"))
    assert "1 embedded (target exactly 1: met)" in lines[-1]


def test_how_many_documents() -> None:
    assert parse_arguments(["bench", "ingest", "--documents", "20", "--without", "real"]).documents == 20
    with pytest.raises(SystemExit, match="2"):
        parse_arguments(["bench", "ingest", "--documents", "0"])
