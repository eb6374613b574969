import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest import wording
from ingest.cli import ingest_catalogue, parse, run_command
from ingest.cli.showing import remarks
from ingest.model.report import Failure, IngestReport, Note
from ingest.ports import Discovered
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop

CATALOGUE = """sources:
  - {id: acme, type: folder, path: docs, policy_source: acme, display_name: Acme Ads}
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "catalogue.yaml"
    path.write_text(CATALOGUE, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "beer.md").write_text("# Beer\n\n## Germany\n\nNo ads.\n", encoding="utf-8")
    return path


async def command(workshop: Workshop, catalogue: Path, *argv: str) -> tuple[int, str]:
    out = io.StringIO()
    code = await run_command(parse(argv), workshop, catalogue, out)
    return code, out.getvalue()


async def test_run_says_what_it_did(workshop: Workshop, catalogue: Path) -> None:
    assert await command(workshop, catalogue, "run", "--quiet") == (
        0,
        "Documents: 1 new, 0 changed, 0 unchanged, 0 removed, 0 failed; 1 chunks written, 1 embedded.\n",
    )
    assert await command(workshop, catalogue, "run") == (
        0,
        "Documents: 0 new, 0 changed, 1 unchanged, 0 removed, 0 failed.\n",
    )


async def test_plan_writes_nothing(workshop: Workshop, catalogue: Path) -> None:
    code, said = await command(workshop, catalogue, "plan", "--quiet")

    assert code == 0
    assert said.startswith("Would be: 1 new")
    assert await workshop.stored("acme") == []


async def test_a_folder_needs_no_catalogue(workshop: Workshop, catalogue: Path) -> None:
    folder = str(catalogue.parent / "docs")

    code, _ = await command(
        workshop, Path("none.yaml"), "run", folder, "--policy-source", "brew", "--display-name", "Brew Co"
    )

    assert code == 0
    assert [(each.slug, each.display_name) for each in await workshop.store.sources(frozenset())] == [
        ("brew", "Brew Co")
    ]


async def test_a_broken_document_is_named_and_the_exit_code_says_so(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (catalogue.parent / "docs" / "bad.md").write_bytes(b"caf\xe9")

    code, said = await command(workshop, catalogue, "run", "--quiet")

    assert (code, "1 new" in said, "1 failed" in said) == (1, True, True)
    assert "acme: bad.md: it is not UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("run", "--catalogue", "none.yaml"), "There is no catalogue none.yaml"),
        (("run", "no-such-folder"), "There is no folder no-such-folder"),
    ],
)
async def test_what_the_operator_must_act_on(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], words: str
) -> None:
    assert await command(workshop, catalogue, *argv) == (2, "")
    assert words in capsys.readouterr().err


async def test_a_missing_folder_of_the_catalogue(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (catalogue.parent / "docs").rename(catalogue.parent / "moved")

    assert (await command(workshop, catalogue, "run", "--quiet"))[0] == 2
    assert "Its documents stay as they were" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ("run", "--policy-source", "acme"),
        ("run", "docs", "--catalogue", "x.yaml"),
        ("run", "--format", "yaml"),
        ("preview", "x.md", "--chunker", "knife"),
        ("watch", "docs"),
        ("remove",),
        ("remove", "acme_beer", "--undo", "3"),
        ("remove", "acme_beer", "--source", "acme"),
        ("remove", "--undo", "three"),
        ("remove", "--undo", "3", "--reason", "x"),
        ("remove", "--list", "--all-days"),
        ("release",),
        ("fly",),
        (),
    ],
)
def test_wrong_arguments_end_with_2(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(argv)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


async def test_ingesting_the_catalogue_leaves_standard_output_alone(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = await ingest_catalogue(catalogue, workshop)

    said = capsys.readouterr()
    assert (report.documents, said.out) == (1, "")
    assert "1 new" in said.err
    with pytest.raises(Misconfigured, match="catalogue_missing"):
        await ingest_catalogue(Path("none.yaml"), workshop)


def test_an_unknown_reason_is_shown_with_its_facts() -> None:
    assert wording.reason("odd_thing", {"path": "x", "line": None}) == "odd thing (path: x)."


async def test_a_report_as_json_is_all_that_standard_output_gets(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (catalogue.parent / "docs" / "bad.md").write_bytes(b"\x00\x01\x02\xff" * 40)

    code, said = await command(workshop, catalogue, "run", "--format", "json")

    report = json.loads(said)
    counts = {name: report[name] for name in ("new", "changed", "unchanged", "removed", "chunks", "embedded")}
    assert counts == {"new": 1, "changed": 0, "unchanged": 0, "removed": 0, "chunks": 1, "embedded": 1}
    (failed,) = report["failed"]
    assert (failed["source_id"], failed["origin"], failed["operator"]) == ("acme", "bad.md", False)
    assert failed["message"].startswith("acme: bad.md: ")
    assert (report["command"], report["notes"], report["not_indexed"]) == ("run", [], None)
    assert (code, report["exit_code"]) == (1, 1)
    assert "bad.md" not in capsys.readouterr().err
    planned = json.loads((await command(workshop, catalogue, "plan", "--quiet", "--format", "json"))[1])
    assert (planned["command"], planned["unchanged"]) == ("plan", 1)


async def test_of_many_failures_of_one_kind_the_first_are_named_and_the_rest_counted(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(47):
        (catalogue.parent / "docs" / f"empty-{number:02}.md").write_text("", encoding="utf-8")

    code, _ = await command(workshop, catalogue, "run", "--quiet")

    lines = capsys.readouterr().err.splitlines()
    assert code == 1
    assert len(lines) == 11
    assert lines[0].startswith("acme: empty-00.md: ")
    assert lines[10] == "acme: and 37 more of this kind (document empty). `--format json` lists all."


def test_failures_come_before_notes_and_each_kind_together() -> None:
    report = IngestReport(
        failed=[Failure("b", f"{at}.md", code) for at in range(2) for code in ("document_empty", "document_binary")],
        notes=[Note("a", "x.md", "odd_thing")],
    )
    lines = remarks(report)
    assert [line.split(": ")[1] for line in lines] == ["0.md", "1.md", "0.md", "1.md", "x.md"]


def test_eleven_of_a_kind_are_all_shown() -> None:
    report = IngestReport(notes=[Note("a", f"{at}.md", "odd_thing") for at in range(11)])
    assert len(remarks(report)) == 11
    report.notes.append(Note("a", "12.md", "odd_thing"))
    assert (len(remarks(report)), "and 2 more" in remarks(report)[-1]) == (11, True)


class DownSource(FakeSource):
    """A site that does not answer."""

    async def discover(self) -> Sequence[Discovered]:
        raise Unavailable("source_timeout", host="down.example")


async def test_a_source_that_does_not_answer_does_not_stop_the_others(workshop: Workshop) -> None:
    down, up = DownSource({}, "down"), FakeSource({"beer.md": "# Beer\n\nNo ads.\n"})

    report = await workshop.run(down, up)

    assert [(each.source_id, each.origin, each.code) for each in report.failed] == [("down", "", "source_timeout")]
    assert (report.new, down.closed, up.closed) == (1, 1, 1)


async def test_what_was_read_by_hand_counts_as_looked_at_for_a_watch(workshop: Workshop, catalogue: Path) -> None:
    await command(workshop, catalogue, "plan", "--quiet")
    assert await workshop.runs.known() == {}
    await command(workshop, catalogue, "run", "--quiet")
    run = (await workshop.runs.known())["acme"]
    assert (run.outcome, run.failures) == ("", 0)
    assert run.finished_at is not None
    (catalogue.parent / "docs").rename(catalogue.parent / "moved")
    await command(workshop, catalogue, "run", "--quiet")
    assert (await workshop.runs.known())["acme"] == run
