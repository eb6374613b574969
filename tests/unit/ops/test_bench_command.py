"""The command line of `python -m ops bench`."""

import subprocess
import sys
from pathlib import Path

import pytest

from ops.cli import parse

_ROOT = Path(__file__).resolve().parents[3]


def test_what_is_measured_and_left_out() -> None:
    args = parse(["bench", "backends", "--chunks", "5000", "--without", "callers", "--without", "scifact"])
    assert (args.what, args.chunks, args.without) == ("backends", 5_000, ["callers", "scifact"])
    assert parse(["bench", "ask"]).chunks == 100_000


@pytest.mark.parametrize("chunks", ["999", "-1", "many"])
def test_too_few_chunks_are_refused(chunks: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(["bench", "backends", "--chunks", chunks])
    assert "--chunks" in capsys.readouterr().err


def test_the_command_line_loads_no_sdk_that_the_light_install_lacks() -> None:
    """Nor does the benchmark of the embedded default."""
    asked = "import sys, ops.cli, ops.bench.ask; print(sorted({'opensearchpy', 'redis', 'asyncpg'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", asked], cwd=_ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
