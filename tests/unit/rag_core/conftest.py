"""Thresholds that no calibration changes: what these tests hold is how rules are decided, not how surely."""

from collections.abc import Iterator
from dataclasses import asdict
from json import dumps
from pathlib import Path

import pytest

from rag_core.rules import judging
from tests.fakes.judged import LIMITS


@pytest.fixture(scope="session")
def fixed_thresholds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("thresholds") / "thresholds.json"
    path.write_text(dumps({"thresholds": asdict(LIMITS)}), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def thresholds_as_fixed(fixed_thresholds: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judging, "THRESHOLDS", fixed_thresholds)
        judging.thresholds.cache_clear()
        yield
    judging.thresholds.cache_clear()
