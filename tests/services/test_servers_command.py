"""`ops/services`, for real."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.services
ROOT = Path(__file__).resolve().parents[2]
PRINT = "import os; print(os.environ['ADPOLICY_REDIS_URL'])"
SLEEP = "import time; print('sleeping', flush=True); time.sleep(60)"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """For a set of its own; whatever a failed test left running in it is ended."""
    yield tmp_path / "set"
    services(tmp_path / "set", "down")


def command(folder: Path, *arguments: str) -> list[str]:
    return ["ops/services", "--folder", str(folder), "--only", "redis", *arguments]


def services(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, *arguments), cwd=ROOT, capture_output=True, encoding="utf-8", timeout=90, check=False
    )


def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """`ops/services` beside us, in a session of its own: no terminal sends it signals. It hears SIGINT, even where the
    tests run in the background of a script, which shuts it off."""
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a handler is not inherited, what is shut off is
    try:
        return subprocess.Popen(
            command(folder, *arguments), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            start_new_session=True,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, heard)


def listens(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) == 0


def test_a_second_up_finds_them_running_and_down_leaves_nothing(folder: Path) -> None:
    first = services(folder, "up", "postgresql", "redis")
    pids = [json.loads((folder / kind / "process.json").read_text())["pid"] for kind in ("postgresql", "redis")]
    second = services(folder, "up", "postgresql", "redis")
    assert [line.partition("=")[0] for line in first.stdout.splitlines()] == [
        "ADPOLICY_DATABASE_URL",
        "ADPOLICY_REDIS_URL",
    ]
    assert second.stdout == first.stdout
    assert pids == [json.loads((folder / kind / "process.json").read_text())["pid"] for kind in ("postgresql", "redis")]
    addresses = [line.partition("=")[2] for line in first.stdout.splitlines()]
    assert all(map(listens, addresses))
    elsewhere = (folder / "postgresql" / "home").resolve()
    assert services(folder, "down").returncode == 0
    assert not any(map(listens, addresses))
    assert not elsewhere.exists()
    assert not (folder / "redis").exists()
    assert "None of them was running" in services(folder, "down").stderr


def test_what_tests_run_on_does_not_wait_for_the_disk(folder: Path) -> None:
    ask = """import asyncio, asyncpg, os
async def main():
    connection = await asyncpg.connect(os.environ["ADPOLICY_DATABASE_URL"])
    print(await connection.fetchval("SHOW fsync"))
    await connection.close()
asyncio.run(main())"""
    ran = services(folder, "--only", "postgresql", "--volatile", "run", sys.executable, "-c", ask)
    assert ran.stdout == "off\n", ran.stderr


def test_up_starts_again_what_has_died(folder: Path) -> None:
    first = services(folder, "up", "redis")
    os.kill(json.loads((folder / "redis" / "process.json").read_text())["pid"], signal.SIGKILL)
    second = services(folder, "up", "redis")
    assert second.stdout == first.stdout
    assert "Starting Redis" in second.stderr
    assert listens(second.stdout.partition("=")[2])


def test_run_passes_the_exit_code_on_and_cleans_up(folder: Path) -> None:
    done = services(folder, "run", "python", "-c", f"import sys; {PRINT}; print(sys.prefix); sys.exit(7)")
    assert done.returncode == 7
    url, prefix = done.stdout.splitlines()
    assert Path(prefix) == Path(sys.prefix)
    assert not listens(url)
    assert not (folder / "redis").exists()
    killed = services(folder, "run", "python", "-c", "import os; os.kill(os.getpid(), 9)")
    assert killed.returncode == 137


def test_a_command_that_is_not_there_is_named(folder: Path) -> None:
    done = services(folder, "run", "no-such-command")
    assert done.returncode == 2
    assert "no-such-command cannot be run" in done.stderr
    assert not (folder / "redis").exists()


def test_run_leaves_what_up_started(folder: Path) -> None:
    url = services(folder, "up", "redis").stdout.strip().partition("=")[2]
    assert services(folder, "run", "python", "-c", PRINT).stdout.strip() == url
    assert listens(url)


def test_run_within_run_uses_the_same_server(folder: Path) -> None:
    inner = [*command(folder, "run"), "python", "-c", PRINT]
    again = "import redis; redis.Redis.from_url(os.environ['ADPOLICY_REDIS_URL']).ping()"
    code = f"import subprocess; {PRINT}; subprocess.run({inner!r}, check=True); {again}"
    done = services(folder, "run", "python", "-u", "-c", code)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second
    assert not listens(first)


def test_the_last_run_stops_what_the_first_started(folder: Path) -> None:
    waits = [*command(folder, "run"), "python", "-uc", f"{PRINT}; import sys; sys.stdin.readline()"]
    with interactive(waits) as first, interactive(waits) as second:
        url = line_of(first)
        assert line_of(second) == url
        first.communicate("\n", timeout=20)
        assert listens(url)
        second.communicate("\n", timeout=20)
    assert not listens(url)


def interactive(argv: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        argv, cwd=ROOT, encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_command_and_everything_is_cleaned_up(folder: Path, number: signal.Signals) -> None:
    with begin(folder, "run", "python", "-c", f"{PRINT}; {SLEEP}") as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        assert running.stdout.readline() == "sleeping\n"
        running.send_signal(number)
        running.communicate(timeout=20)
    assert running.returncode == 128 + number
    assert not listens(url)
    assert not (folder / "redis").exists()


def test_a_signal_during_the_start_leaves_nothing(folder: Path) -> None:
    arguments = ["ops/services", "--folder", str(folder), "--only", "postgresql", "run", "true"]
    with subprocess.Popen(
        arguments, cwd=ROOT, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True
    ) as running:
        assert running.stderr is not None
        assert "Starting PostgreSQL" in running.stderr.readline()
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
    assert running.returncode == 128 + signal.SIGTERM
    assert not (folder / "postgresql").exists()


def test_the_next_run_tidies_up_after_one_that_was_killed(folder: Path) -> None:
    with begin(folder, "run", "python", "-c", f"{PRINT}; import sys; sys.stdout.flush(); sys.stdin.read()") as killed:
        assert killed.stdout is not None
        url = killed.stdout.readline().strip()
        killed.kill()
    assert listens(url)
    assert services(folder, "run", "python", "-c", PRINT).stdout.strip() == url
    assert not listens(url)


def test_ops_test_starts_none_when_the_addresses_are_given() -> None:
    given = {f"ADPOLICY_{name}_URL": "nobody://asks" for name in ("DATABASE", "OPENSEARCH", "REDIS")}
    done = subprocess.run(
        ["ops/test", "services", "--collect-only", "-q", str(Path(__file__).parent / "conftest.py")],
        cwd=ROOT, env={**os.environ, **given}, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "There are no tests" in done.stderr
    assert "Starting" not in done.stderr
