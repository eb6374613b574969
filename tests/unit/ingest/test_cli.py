import io
from pathlib import Path

import pytest

from ingest import wording
from ingest.cli import ingest_catalogue, parse, run_command
from rag_core.errors import Misconfigured
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
        (("preview", "no-such-file.md"), "It cannot be read"),
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
    [("run", "--policy-source", "acme"), ("run", "docs", "--catalogue", "x.yaml"), ("fly",), ()],
)
def test_wrong_arguments_end_with_2(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(argv)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


async def test_preview_shows_chunks_and_places(workshop: Workshop, catalogue: Path) -> None:
    code, said = await command(workshop, catalogue, "preview", str(catalogue.parent / "docs" / "beer.md"))

    assert code == 0
    assert "Beer > Germany" in said
    assert "holds in: de" in said
    assert "No ads." in said


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
