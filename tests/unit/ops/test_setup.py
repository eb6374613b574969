"""What the scripts share, as far as it needs no network: who compiles llama.cpp where, and what is said instead."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_TOOLS = ("bash", "cksum", "cut", "find", "grep", "head", "mkdir", "sed", "uname")


@pytest.fixture
def without_compiler(tmp_path: Path) -> dict[str, str]:
    """An environment with hardly any program and an empty cache."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in _TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (programs / tool).symlink_to(found)
    return {"PATH": str(programs), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def sourced(script: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`script` after ops/setup.sh was read."""
    return subprocess.run(
        ["bash", "-euc", f". ops/setup.sh; {script}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=30,
    )


def test_without_a_compiler_it_is_said_what_to_install(without_compiler: dict[str, str]) -> None:
    ended = sourced("build_llama", without_compiler)
    assert ended.returncode == 1
    assert "there is no C++ compiler (on Debian: apt-get install g++)" in ended.stderr


def test_what_was_compiled_once_needs_no_compiler(without_compiler: dict[str, str]) -> None:
    wheels = Path(sourced("llama_wheels", without_compiler).stdout)
    wheels.mkdir(parents=True)
    (wheels / "llama_cpp_python-0-py3-none-any.whl").touch()
    ended = sourced("build_llama", without_compiler)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_other_flags_make_another_wheel(without_compiler: dict[str, str]) -> None:
    usual = sourced("llama_wheels", without_compiler).stdout
    assert sourced("llama_wheels", without_compiler).stdout == usual
    other = sourced("llama_flags() { printf -- '-DGGML_NATIVE=ON'; }; llama_wheels", without_compiler).stdout
    assert other != usual


@pytest.mark.parametrize("where", ["environment", "file"])
@pytest.mark.parametrize(
    ("settings", "installed"),
    [
        ({}, []),
        ({"MODEL": "none"}, []),
        ({"MODEL": "openai"}, ["openai"]),
        ({"MODEL": "llama"}, ["llama", "small-model"]),
        ({"MODEL": "llama", "MODEL_PATH": "/models/a.gguf"}, ["llama"]),
        ({"TEAMS_APP_ID": "4"}, ["chat"]),
        ({"TEAMS_TENANTS": "1"}, []),
        ({"TEAMS_APP_ID": "4", "MODEL": "openai"}, ["openai", "chat"]),
    ],
)
def test_ops_run_installs_what_the_model_that_is_set_takes(
    where: str, settings: dict[str, str], installed: list[str], tmp_path: Path
) -> None:
    """The script itself, on a stand-in for what installs."""
    (tmp_path / "ops").mkdir()
    shutil.copy(ROOT / "ops" / "run", tmp_path / "ops" / "run")
    (tmp_path / "ops" / "setup.sh").write_text('PYTHON=true\nneed() { echo "$1"; }\n')
    given = {f"ADPOLICY_{name}": value for name, value in settings.items()}
    lines = [f'{name}="{value}"' if name.endswith("PATH") else f"{name}={value}" for name, value in given.items()]
    (tmp_path / ".env").write_text("\n".join([*lines, ""]) if where == "file" else "")
    ended = subprocess.run(
        ["bash", "ops/run"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], **(given if where == "environment" else {})},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=30,
    )
    assert ended.stdout.split() == ["light", *installed]
