"""Golden files: what was agreed on, compared as data. `ADPOLICY_TEST_WRITE_GOLDEN=1` writes them anew, to be read."""

import json
import os
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "golden"


def golden_json(name: str, found: object) -> object:
    """The data of `tests/golden/{name}.json`."""
    return json.loads(_kept(f"{name}.json", json.dumps(found, ensure_ascii=False, indent=2) + "\n"))


def golden_text(name: str, found: str) -> str:
    """The text of `tests/golden/{name}`."""
    return _kept(name, found)


def _kept(name: str, found: str) -> str:
    path = _FOLDER / name
    if os.environ.get("ADPOLICY_TEST_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
    return path.read_text(encoding="utf-8")
