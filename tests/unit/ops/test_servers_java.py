"""Which Java is taken, of those that a machine has."""

from pathlib import Path

import pytest

from ops.servers.opensearch import ask_java, find_java, java_programs
from ops.servers.wording import explain
from rag_core.errors import Misconfigured


def install(home: Path, version: str, *, exit_code: int = 0) -> Path:
    """A `java` that answers like a real one."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"#!/bin/sh\n[ {exit_code} = 0 ] || exit {exit_code}\n"
        f"echo 'Property settings:' >&2\necho '    java.home = {home}' >&2\n"
        f"echo '    java.specification.version = {version}' >&2\n"
    )
    program.chmod(0o755)
    return program


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """PATH and home of a user who has nothing."""
    return {"PATH": str(tmp_path / "path"), "HOME": str(tmp_path), **more}


async def test_java_home_comes_first(tmp_path: Path) -> None:
    install(tmp_path / "on-path", "23")
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "java").symlink_to(tmp_path / "on-path" / "bin" / "java")
    named = install(tmp_path / "named", "21")
    found = await find_java(environment(tmp_path, JAVA_HOME=str(tmp_path / "named")))
    assert (found.program, found.home, found.version) == (named, tmp_path / "named", 21)
    assert (await find_java(environment(tmp_path))).version == 23


async def test_an_older_one_is_passed_over(tmp_path: Path) -> None:
    install(tmp_path / "old", "17")
    install(tmp_path / ".sdkman" / "candidates" / "java" / "24-open", "24")
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "java").symlink_to(tmp_path / "old" / "bin" / "java")
    found = await find_java(environment(tmp_path, JAVA_HOME=str(tmp_path / "old")))
    assert found.version >= 21


@pytest.mark.parametrize(("version", "expected"), [("1.8", 8), ("17", 17), ("25", 25)])
async def test_versions_as_they_are_printed(tmp_path: Path, version: str, expected: int) -> None:
    java = await ask_java(install(tmp_path / "j", version))
    assert java is not None
    assert java.version == expected


async def test_one_without_the_vector_module_or_that_does_not_run_is_none(tmp_path: Path) -> None:
    assert await ask_java(install(tmp_path / "small", "25", exit_code=1)) is None
    assert await ask_java(tmp_path / "missing" / "bin" / "java") is None


def test_each_program_is_asked_once(tmp_path: Path) -> None:
    program = install(tmp_path / "j", "25")
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "java").symlink_to(program)
    environ = environment(tmp_path, JAVA_HOME=str(tmp_path / "j"), JAVA_HOME_25_X64=str(tmp_path / "j"))
    assert [each for each in java_programs(environ) if each.is_relative_to(tmp_path)] == [program]


def test_without_one_it_is_said_what_was_found_and_what_to_do() -> None:
    said = explain(Misconfigured("java_missing", oldest=21, known=[11, 17]))
    assert "found: 11, 17" in said
    assert "JAVA_HOME" in said
