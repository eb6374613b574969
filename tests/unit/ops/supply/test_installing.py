"""What ops/setup.sh installs: what the lock files name, as they name it, and nothing else."""

import os
import shutil
import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.supply.locks import REQUIREMENTS
from tests.fakes.package_index import FakePackageIndex, package_index

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def index() -> Iterator[FakePackageIndex]:
    with package_index() as served:
        yield served


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with ops/setup.sh, our uv, and an empty environment beside it."""
    (tmp_path / REQUIREMENTS / "locked").mkdir(parents=True)
    (tmp_path / REQUIREMENTS / "locked" / "build.txt").touch()
    shutil.copy(ROOT / "ops" / "setup.sh", tmp_path / "ops")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    venv.create(tmp_path / "environment", symlinks=True)
    return tmp_path


def install(tree: Path, url: str, lock: str) -> tuple[int, str]:
    """The exit code, and what was said."""
    (tree / REQUIREMENTS / "locked" / "kites.txt").write_text(lock)
    ended = subprocess.run(
        ["bash", "-euc", '. ops/setup.sh; install "$PWD/environment/bin/python" kites.txt'],
        cwd=tree,
        env={"PATH": os.environ["PATH"], "HOME": str(tree), "UV_DEFAULT_INDEX": url, "UV_HTTP_RETRIES": "0"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    return ended.returncode, ended.stderr


def installed(tree: Path) -> set[str]:
    return {each.stem for each in tree.glob("environment/lib/*/site-packages/*.py") if each.stem != "_virtualenv"}


def test_what_is_locked_is_installed_without_what_it_asks_for(index: FakePackageIndex, tree: Path) -> None:
    kites = index.add("kites", "1.0", ["strings"])
    index.add("strings", "1.0")
    assert install(tree, index.url, f"kites==1.0 --hash=sha256:{kites}\n") == (0, "")
    assert installed(tree) == {"kites"}


@pytest.mark.parametrize("index_lies", [False, True])
def test_other_content_is_refused(index: FakePackageIndex, tree: Path, index_lies: bool) -> None:
    """Whether only the file was exchanged, or what the index says of it as well."""
    locked = index.add("kites", "1.0")
    said = index.said.copy()
    index.add("kites", "1.0", code="raise SystemExit('not yours')")
    if not index_lies:
        index.said = said
    code, errors = install(tree, index.url, f"kites==1.0 --hash=sha256:{locked}\n")
    assert code == 1
    assert "The requirements could not be installed." in errors
    assert "hash" in errors.lower()
    assert installed(tree) == set()


def test_what_has_no_hash_is_refused(index: FakePackageIndex, tree: Path) -> None:
    index.add("kites", "1.0")
    code, errors = install(tree, index.url, "kites==1.0\n")
    assert (code, installed(tree)) == (1, set())
    assert "hash" in errors


def test_nothing_that_has_to_be_built_first_is_installed(index: FakePackageIndex, tree: Path) -> None:
    locked = index.add("kites", "1.0")
    index.files["kites-1.0.tar.gz"] = index.files.pop("kites-1.0-py3-none-any.whl")
    index.said = {"kites-1.0.tar.gz": locked}
    code, errors = install(tree, index.url, f"kites==1.0 --hash=sha256:{locked}\n")
    assert (code, installed(tree)) == (1, set())
    assert "no usable wheels" in errors


def test_everything_is_installed_from_lock_files() -> None:
    """pip installs only uv and compiles only llama.cpp, both by hash; all else goes the way that is tested above."""
    for path in ("ops/setup.sh", "ops/run", "ops/test", "ops/check", "ops/deploy/install.sh", ".ci/run", "Dockerfile"):
        text = (ROOT / path).read_text(encoding="utf-8").replace("\\\n", " ")
        lines = [line.split("#")[0] for line in text.splitlines()]
        for line in lines:
            if any(words in line for words in ("pip install", "pip wheel", "uvx", "uv tool", "pipx", "curl ", "wget ")):
                assert path == "ops/setup.sh"
                assert "--require-hashes" in line or "--no-index" in line
