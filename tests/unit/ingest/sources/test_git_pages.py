"""Where a version of a repository is shown, and the real dated versions as a repository."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from ingest.ports import RawDocument, SourceDefaults
from ingest.sources.git import GitHistorySource, page_of
from rag_core.documents import PolicySource
from tests.fakes.repository import FakeRepository
from tests.fakes.workshop import Workshop

DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))
TEXT = "# Rules\n\n" + "\n".join(f"Line {number} of the rules." for number in range(20))
D1, D2, D3, D4 = date(2024, 1, 5), date(2024, 3, 1), date(2025, 6, 30), date(2026, 2, 2)


@pytest.fixture
def repository(tmp_path: Path) -> FakeRepository:
    return FakeRepository(tmp_path / "rules")


def source_of(repository: FakeRepository | str, tmp_path: Path, **options: object) -> GitHistorySource:
    place = repository if isinstance(repository, str) else str(repository.folder)
    return GitHistorySource("acme-git", place, DEFAULTS, cache=tmp_path / "cache", **options)  # type: ignore[arg-type]


async def read(source: GitHistorySource) -> list[RawDocument]:
    """All that it has."""
    try:
        found = [await source.fetch(item) for item in await source.discover()]
    finally:
        await source.aclose()
    return [raw for raw in found if raw is not None]


def test_pages_of_known_hosts() -> None:
    page = page_of("https://github.com/acme/rules.git", "abc", "Ad Policy/a.md")

    assert page == "https://github.com/acme/rules/blob/abc/Ad%20Policy/a.md"
    assert page_of("https://git.acme.example/rules", "abc", "a.md") is None
    assert page_of("/srv/rules", "abc", "a.md") is None


@pytest.mark.shared_data
async def test_the_real_versions_as_a_repository(
    repository: FakeRepository, tmp_path: Path, shared_data: Path, workshop: Workshop
) -> None:
    files = sorted((shared_data / "ad-policies" / "versions").glob("*/*.md"), key=lambda path: path.name)
    for path in files:
        target = repository.folder / path.parent.name / "Advertising Content Policy.md"
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
        repository.commit(date.fromisoformat(path.name[:10]), {})
    source = source_of(repository, tmp_path)

    documents = await read(source)

    assert [raw.content for raw in documents] == [path.read_bytes() for path in files]
    assert [raw.facts["effective_from"] for raw in documents] == [path.name[:10] for path in files]
    assert len({raw.facts["document_id"] for raw in documents}) == 4
    report = await workshop.run(source)
    assert (report.new, report.failed) == (4, [])
