"""The sample policies, read once for all scenarios that only need them to be there."""

import shutil
from pathlib import Path

import pytest

from tests.fakes.program import environment, run


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the samples in it. Not to be written to: see `sample_copy`."""
    folder = tmp_path_factory.mktemp("samples")
    ended = run("ingest", "run", "--quiet", env=environment(folder / "data"), cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return folder / "data"


@pytest.fixture
def sample_copy(sample_store: Path, tmp_path: Path) -> Path:
    """A data folder of the test's own, with the samples in it."""
    return Path(shutil.copytree(sample_store, tmp_path / "data"))
