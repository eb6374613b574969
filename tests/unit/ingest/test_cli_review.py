"""`held`, `release` and `run --force`: what waits for a person's decision."""

import io
from pathlib import Path

import pytest

from ingest.cli import parse, run_command
from rag_core.documents import VersionStatus
from tests.fakes.workshop import Workshop

CATALOGUE = """sources:
  - {id: acme-docs, type: folder, path: docs, policy_source: acme, display_name: Acme Ads}
"""
LONG = "# Beer\n\n" + "\n\n".join(
    f"Condition {at} for beer advertisements must be met by everybody." for at in range(40)
)


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "catalogue.yaml"
    path.write_text(CATALOGUE, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "beer.md").write_text(LONG, encoding="utf-8")
    return path


async def said(workshop: Workshop, catalogue: Path, *argv: str) -> tuple[int, str]:
    out = io.StringIO()
    code = await run_command(parse(argv), workshop, catalogue, out)
    return code, out.getvalue()


async def test_what_shrank_is_listed_with_the_reason_and_released(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await said(workshop, catalogue, "held") == (0, "Nothing is held for review.\n")
    await said(workshop, catalogue, "run", "--quiet")
    (catalogue.parent / "docs" / "beer.md").write_text("# Beer\n\nNo ads.\n", encoding="utf-8")
    await said(workshop, catalogue, "run", "--quiet")
    (waiting,) = [each for each in await workshop.stored() if each.status is VersionStatus.HELD]
    assert f"python -m ingest release {waiting.doc_id}" in capsys.readouterr().err

    code, listed = await said(workshop, catalogue, "held")

    assert (code, len(listed.splitlines())) == (0, 1)
    assert listed.startswith(f"{waiting.doc_id} (Beer), since {waiting.seen_at:%Y-%m-%d %H:%M}: lost most of its text")
    code, told = await said(workshop, catalogue, "release", waiting.doc_id)
    assert (code, told.startswith(f"{waiting.doc_id} (Beer) is live and holds from ")) == (0, True)
    assert await said(workshop, catalogue, "held") == (0, "Nothing is held for review.\n")


async def test_what_is_not_held_cannot_be_released(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await said(workshop, catalogue, "release", "acme_beer_2026-01-01") == (2, "")
    assert "No version acme_beer_2026-01-01 is held for review" in capsys.readouterr().err


@pytest.mark.parametrize("forced", ["acme_beer", "all"])
async def test_other_content_for_a_stored_day_is_refused_unless_forced(
    workshop: Workshop, catalogue: Path, capsys: pytest.CaptureFixture[str], forced: str
) -> None:
    beer = catalogue.parent / "docs" / "beer.md"
    beer.write_text("---\neffective_from: 2026-03-01\n---\n# Beer\n\nNo ads.\n", encoding="utf-8")
    await said(workshop, catalogue, "run", "--quiet")
    beer.write_text("---\neffective_from: 2026-03-01\n---\n# Beer\n\nAds after ten.\n", encoding="utf-8")

    code, _ = await said(workshop, catalogue, "run", "--quiet")

    assert code == 1
    assert "--force acme_beer" in capsys.readouterr().err
    assert len(await workshop.stored()) == 1
    assert (await said(workshop, catalogue, "run", "--quiet", "--force", "other", "--force", forced))[0] == 0
    assert [(each.doc_id, each.status) for each in await workshop.stored()] == [
        ("acme_beer_2026-03-01", VersionStatus.RETIRED),
        ("acme_beer_2026-03-01.2", VersionStatus.LIVE),
    ]
