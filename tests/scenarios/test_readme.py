"""The README is executable: its commands run in a copy of the tree, and print what it shows. So do those of other pages
that are marked.

`<!-- run: EXPECTED -->` before an `sh` block marks it, `<!-- serve: EXPECTED -->` one that starts the server. A `text`
block behind it is what the command prints, in this order; `...` stands for what is left out.
"""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from ops.config import PREFIX
from tests.fakes.program import free_ports

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES_PAGE = (ROOT / "ops" / "docs" / "sources.md").read_text(encoding="utf-8")
SHOWN = r"\n```sh\n(.+?)\n```(?:\n\n```text\n(.+?)\n```)?"
COMMANDS = re.findall(rf"<!-- run: (.+?) -->{SHOWN}", README + SOURCES_PAGE, re.DOTALL)
SERVERS = re.findall(rf"<!-- serve: (.+?) -->{SHOWN}", README, re.DOTALL)
CHAT, WEB = "127.0.0.1:3000", "127.0.0.1:8080"


@pytest.fixture(scope="module")
def fresh_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git tracks, in a folder of its own; the installed `.venv` is shared so that nothing is installed again."""
    folder = tmp_path_factory.mktemp("clone")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if not (ROOT / name).is_file():  # deleted, but not yet committed
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    (folder / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    return folder


def _environment() -> dict[str, str]:
    """No settings of whoever runs the tests, and a terminal of the width that the README shows."""
    return {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)} | {"COLUMNS": "80"}


def _missing(shown: str, printed: str) -> list[str]:
    """The lines of `shown` that `printed` does not have, in their order."""
    rest = iter(printed.splitlines())
    return [line for line in shown.splitlines() if line.strip() not in ("", "...") and line not in rest]


def test_every_command_block_of_the_readme_is_run() -> None:
    marked = re.findall(r"<!-- (?:run|serve): .+? -->\n```sh\n", README)
    assert len(marked) == README.count("```sh") == 2
    assert len(COMMANDS) == 2
    assert len(SERVERS) == 1
    assert all(shown for _, _, shown in COMMANDS + SERVERS)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("expected", "command", "shown"), COMMANDS)
def test_a_command_does_what_the_page_says(fresh_copy: Path, expected: str, command: str, shown: str) -> None:
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=fresh_copy,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    assert _missing(shown, done.stdout) == [], done.stdout


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("expected", "command", "shown"), SERVERS)
def test_the_server_starts_as_the_readme_says(fresh_copy: Path, expected: str, command: str, shown: str) -> None:
    """On ports of its own: others may use those that the README shows."""
    chat, web = (f"127.0.0.1:{port}" for port in free_ports(2))
    with subprocess.Popen(
        ["bash", "-euc", f"exec {command}"],
        cwd=fresh_copy,
        env=_environment() | {f"{PREFIX}CHAT_BIND": chat, f"{PREFIX}WEB_BIND": web},
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        printed: list[str] = []
        try:
            for line in process.stdout:
                printed.append(line.rstrip().replace(chat, CHAT).replace(web, WEB))
                if printed[-1] == shown.splitlines()[-1]:
                    break
        finally:
            process.send_signal(signal.SIGTERM)
    found = "\n".join(printed)
    assert expected in found
    assert _missing(shown, found) == [], found
    assert process.returncode == 0


def test_lines_out_of_order_are_missing() -> None:
    assert _missing("a\n...\nb", "a\nx\nb") == []
    assert _missing("b\na", "a\nb") == ["a"]
