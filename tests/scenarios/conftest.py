"""The sample policies, read once for all scenarios that only need them to be there."""

from pathlib import Path

import pytest

from tests.fakes import samples
from tests.fakes.patience import wait_long


@pytest.fixture(scope="session")
def sample_store() -> Path:
    """A data folder with the samples in it. Not to be written to: see `sample_copy`."""
    return samples.sample_store()


@pytest.fixture
def sample_copy(tmp_path: Path) -> Path:
    """A data folder of the test's own, with the samples in it."""
    return samples.sample_copy(tmp_path / "data")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    wait_long(monkeypatch)
