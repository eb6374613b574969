"""`python -m ingest watch` in processes of its own: stopped, killed, one of two."""

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.databases import KINDS, migrated_database
from tests.fakes.program import environment, run
from tests.fakes.watch_process import watching

CATALOGUE = """sources:
  - {{id: acme, type: folder, path: docs, schedule: {schedule}, policy_source: acme, display_name: Acme Ads}}
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "beer.md").write_text("# Beer\n\nNo beer ads to minors.\n", encoding="utf-8")
    path = tmp_path / "catalogue.yaml"
    path.write_text(CATALOGUE.format(schedule="every 1h"), encoding="utf-8")
    return path


@pytest.fixture(params=KINDS)
async def env(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """Settings for a store of each kind."""
    if request.param == "sqlite":
        yield environment(tmp_path / "data")
        return
    async with migrated_database(tmp_path, request.param) as address:
        yield environment(tmp_path / "data", DATABASE_URL=address)


def test_a_line_a_look_and_a_changed_catalogue_is_looked_at_again(
    catalogue: Path, env: dict[str, str], tmp_path: Path
) -> None:
    with watching(catalogue, env, tmp_path / "one.log") as one:
        one.wait_for("acme: Documents: 1 new, 0 changed")
        (catalogue.parent / "docs" / "wine.md").write_text("# Wine\n\nNo wine ads.\n", encoding="utf-8")
        catalogue.write_text(CATALOGUE.format(schedule="evry 2h"), encoding="utf-8")
        one.wait_for("the catalogue as it was before stays in force")
        catalogue.write_text(CATALOGUE.format(schedule="every 2h"), encoding="utf-8")
        one.wait_for("acme: Documents: 1 new, 0 changed, 1 unchanged")

        assert one.end() == 0

    lines = one.said.splitlines()
    assert lines[0] == "Watching 1 source. Times are UTC. Stop it with Ctrl-C."
    assert lines[-1] == "Stopped. What is stored stays; the next run goes on from there."
    assert len(lines) == 6


def test_it_goes_on_after_a_restart_without_looking_again(catalogue: Path, env: dict[str, str], tmp_path: Path) -> None:
    with watching(catalogue, env, tmp_path / "one.log") as one:
        one.wait_for("1 new")
        assert one.end(signal.SIGINT) == 0
    with watching(catalogue, env, tmp_path / "two.log") as two:
        two.wait_for("Watching 1 source")
        with pytest.raises(TimeoutError):
            two.wait_for("acme:", seconds=3)
        assert two.end() == 0


def test_the_second_waits_quietly_and_takes_over_when_the_first_is_killed(
    catalogue: Path, env: dict[str, str], tmp_path: Path
) -> None:
    with watching(catalogue, env, tmp_path / "one.log") as one, watching(catalogue, env, tmp_path / "two.log") as two:
        for each in (one, two):
            each.wait_for("\n")
        first, second = (one, two) if one.said.startswith("Watching") else (two, one)
        first.wait_for("1 new")
        second.wait_for("Another process watches the sources already")
        (catalogue.parent / "docs" / "wine.md").write_text("# Wine\n\nNo wine ads.\n", encoding="utf-8")

        first.kill()

        assert second.wait_for("Watching 1 source") < 10
        catalogue.write_text(CATALOGUE.format(schedule="every 3h"), encoding="utf-8")
        second.wait_for("acme: Documents: 1 new, 0 changed, 1 unchanged")
        assert second.end() == 0


def test_a_catalogue_that_cannot_be_used_stops_it_at_the_start(tmp_path: Path) -> None:
    ended = run("ingest", "watch", "--catalogue", "none.yaml", env=environment(tmp_path / "data"), cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "There is no catalogue none.yaml" in ended.stderr


def test_stopped_in_the_middle_of_a_look_it_leaves_whole_documents_and_the_next_one_does_the_rest(
    catalogue: Path, tmp_path: Path
) -> None:
    env = environment(tmp_path / "data")
    docs = catalogue.parent / "docs"
    for number in range(60):
        rules = "\n\n".join(f"## Part {at}\n\nRule {at} of policy {number} forbids ads." for at in range(12))
        (docs / f"policy-{number:02}.md").write_text(f"# Policy {number}\n\n{rules}\n", encoding="utf-8")
    with watching(catalogue, env, tmp_path / "one.log") as one:
        one.wait_for("Watching")
        assert one.end() == 0
    assert "Stopped." in one.said
    assert "Traceback" not in one.said
    with watching(catalogue, env, tmp_path / "two.log") as two:
        two.wait_for("acme: Documents: ", seconds=60)
        assert two.end() == 0
    ended = run("ingest", "run", "--quiet", "--catalogue", str(catalogue), env=env, cwd=tmp_path)
    assert ended.stdout == "Documents: 0 new, 0 changed, 61 unchanged, 0 removed, 0 failed.\n"
