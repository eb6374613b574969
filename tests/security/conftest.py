"""Programs that are started may take their time."""

import pytest

from tests.fakes.patience import wait_long


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    wait_long(monkeypatch)
