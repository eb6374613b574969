import io
from pathlib import Path

import pytest

from ingest.cli import parse, run_command
from ingest.cli.removal import remove_command
from rag_core.errors import Unavailable
from tests.fakes.flaky import FlakyWriter
from tests.fakes.workshop import Workshop

CATALOGUE = """sources:
  - {id: acme-docs, type: folder, path: docs, policy_source: acme, display_name: Acme Ads}
  - {id: never-read, type: folder, path: none, policy_source: acme, display_name: Acme Ads}
"""


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
async def catalogue(tmp_path: Path, workshop: Workshop) -> Path:
    """Two documents, read."""
    path = tmp_path / "catalogue.yaml"
    path.write_text(CATALOGUE, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    for name in ("Beer", "Wine"):
        (tmp_path / "docs" / f"{name.lower()}.md").write_text(f"# {name}\n\nNo ads.\n", encoding="utf-8")
    await run_command(parse(["run", "--quiet"]), workshop, path, io.StringIO())
    return path


async def remove(
    workshop: Workshop, catalogue: Path, *argv: str, answers: io.StringIO | None = None
) -> tuple[int, str]:
    out = io.StringIO()
    answers = io.StringIO() if answers is None else answers
    args = parse(["remove", *argv])
    code = await remove_command(args, workshop, catalogue, out, answers, whoami=lambda: "ops")
    return code, out.getvalue()


async def test_it_says_what_goes_asks_and_records_who_and_why(workshop: Workshop, catalogue: Path) -> None:
    code, said = await remove(workshop, catalogue, "acme_beer", "--reason", "a draft", answers=Terminal("yes\n"))

    assert code == 0
    assert "The document acme_beer: 1 document, 1 version, 1 chunk." in said
    assert "  Beer (acme_beer): 1 version, 1 chunk" in said
    (removal,) = await workshop.removals.all()
    assert (removal.target, removal.person, removal.reason, removal.all_days) == ("acme_beer", "ops", "a draft", False)
    assert f"python -m ingest remove --undo {removal.removal_id}" in said
    assert len(await workshop.writer.indexed()) == 1


@pytest.mark.parametrize("answer", ["no\n", "y\n", "\n", ""])
async def test_anything_but_yes_removes_nothing(workshop: Workshop, catalogue: Path, answer: str) -> None:
    code, _ = await remove(workshop, catalogue, "acme_beer", answers=Terminal(answer))
    assert (code, await workshop.removals.all()) == (1, [])
    assert len(await workshop.writer.indexed()) == 2


async def test_without_a_terminal_it_wants_to_be_told_yes(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = await remove(workshop, catalogue, "acme_beer", answers=io.StringIO("yes\n"))
    assert (code, await workshop.removals.all()) == (2, [])
    assert "Add --yes" in capsys.readouterr().err
    assert (await remove(workshop, catalogue, "acme_beer", "--yes"))[0] == 0


async def test_the_next_run_says_that_it_is_left_out_and_after_undoing_reads_it(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await remove(workshop, catalogue, "--document", "acme_beer", "--yes")
    (removal,) = await workshop.removals.all()
    assert (await remove(workshop, catalogue, "--list"))[1].startswith(f"{removal.removal_id}. document acme_beer, ")
    run = ["run", "--quiet", "--catalogue", str(catalogue)]
    await run_command(parse(run), workshop, catalogue, io.StringIO())
    assert f"acme_beer was removed by ops on {removal.at:%Y-%m-%d}" in capsys.readouterr().err

    code, said = await remove(workshop, catalogue, "--undo", str(removal.removal_id))

    assert (code, "The next run reads it again" in said) == (0, True)
    await run_command(parse(run), workshop, catalogue, io.StringIO())
    assert "acme_beer" not in capsys.readouterr().err
    assert (await remove(workshop, catalogue, "--list"))[1] == "No removal is in force.\n"


async def test_all_of_a_source_and_for_all_days(workshop: Workshop, catalogue: Path) -> None:
    code, said = await remove(workshop, catalogue, "--source", "acme-docs", "--all-days", "--yes")
    assert (code, "2 documents" in said, "no day at all" in said) == (0, True, True)
    assert await workshop.writer.indexed() == {}


async def test_a_source_that_the_catalogue_names_and_nobody_has_read(workshop: Workshop, catalogue: Path) -> None:
    code, said = await remove(workshop, catalogue, "never-read", "--yes")
    assert (code, "The source never-read: 0 documents" in said) == (0, True)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("acme_bear", "--yes"), "Did you mean acme_beer"),
        (("--source", "acme-doc", "--yes"), "Did you mean acme-docs"),
        (("qqqqqqqq", "--yes"), "Check the name"),
        (("--undo", "99"), "There is no removal 99 in force"),
    ],
)
async def test_an_unknown_name_or_number_ends_with_2(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], words: str
) -> None:
    code = await run_command(parse(["remove", *argv]), workshop, catalogue, io.StringIO())
    assert code == 2
    assert words in capsys.readouterr().err


async def test_an_index_that_is_down_learns_of_it_later(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.writer = writer = FlakyWriter(workshop.writer)
    writer.error = Unavailable("index_unavailable")
    code, said = await remove(workshop, catalogue, "acme_beer", "--yes")
    assert (code, "Removed acme_beer" in said) == (3, True)
    assert "the search index does not answer" in capsys.readouterr().err
    assert len(await workshop.removals.all()) == 1
