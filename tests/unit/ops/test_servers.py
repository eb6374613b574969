"""What `ops/services` decides without any server: ports, caches, commands, addresses, words."""

import asyncio
import os
import random
import re
import signal
import socket
import sys
from pathlib import Path

import pytest

from ops.servers import cli, wording
from ops.servers.cli import Command
from ops.servers.folders import assembled, cache_folder, locked, open_lock, remove, try_lock
from ops.servers.free_ports import Ports, free_port, is_free
from ops.servers.processes import ServerProcess, run_program
from rag_core.errors import Misconfigured, Unavailable

SERVERS = Path(cli.__file__).parent


def test_a_port_in_use_is_not_chosen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not is_free(port)
        with pytest.raises(Unavailable, match="no_free_port"):
            free_port(range(port, port + 1))
    assert free_port(range(port, port + 1)) == port


def test_ports_follow_the_dice() -> None:
    chosen = [free_port(range(10_000, 20_000), random.Random(seed)) for seed in (1, 1, 2, 3)]  # noqa: S311
    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 1


async def test_ports_are_remembered_until_another_program_takes_one(tmp_path: Path) -> None:
    file = tmp_path / "set" / "ports.json"
    ranges = {"http": range(7_000, 9_200), "transport": range(10_000, 32_000)}
    ports = Ports(file, ranges)
    before = {name: ports[name] for name in ranges}
    again = Ports(file, ranges)
    await again.give_way()
    assert {name: again[name] for name in ranges} == before
    with socket.create_server(("127.0.0.1", before["http"])):
        await again.give_way(seconds=0.1)
    assert again["http"] != before["http"]
    assert again["transport"] == before["transport"]
    assert ports["http"] == again["http"]


async def test_a_port_that_becomes_free_in_time_is_kept(tmp_path: Path) -> None:
    ports = Ports(tmp_path / "ports.json", {"server": range(10_000, 32_000)})
    before = ports["server"]
    taken = socket.create_server(("127.0.0.1", before))
    asyncio.get_running_loop().call_later(0.2, taken.close)
    await ports.give_way(seconds=5)
    assert ports["server"] == before


async def test_an_interrupted_download_is_no_trap(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "jars"

    async def breaks_off(part: Path) -> None:
        (part / "half").write_text("h")
        raise Unavailable("program_failed", program="mvn", log="")

    async def works(part: Path) -> None:
        assert os.listdir(part) == []
        (part / "whole").write_text("w")

    with pytest.raises(Unavailable):
        await assembled(folder, "one", breaks_off)
    assert not folder.exists()
    (folder.parent / "jars.part-left-by-a-kill").mkdir()
    assert await assembled(folder, "one", works) == folder
    assert (folder / "whole").exists()
    assert not list(folder.parent.glob("jars.part-*"))
    await assembled(folder, "one", breaks_off)  # not asked again
    with pytest.raises(Unavailable):
        await assembled(folder, "two", breaks_off)
    assert (folder / "whole").exists(), "a failed renewal leaves what there was"


async def test_two_at_a_time_assemble_once(tmp_path: Path) -> None:
    calls = []

    async def fill(part: Path) -> None:
        calls.append(part)
        await asyncio.sleep(0.1)

    await asyncio.gather(assembled(tmp_path / "a", "r", fill), assembled(tmp_path / "a", "r", fill))
    assert len(calls) == 1


def test_the_cache_is_where_the_user_says() -> None:
    assert cache_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/adpolicy")
    assert cache_folder({"XDG_CACHE_HOME": ""}) == Path.home() / ".cache" / "adpolicy"


async def test_who_waits_for_a_lock_is_told_once(tmp_path: Path) -> None:
    told = []
    with open_lock(tmp_path / "lock") as holder:
        assert try_lock(holder, shared=True)
        asyncio.get_running_loop().call_later(0.2, holder.close)
        async with locked(tmp_path / "lock", waiting=lambda: told.append("waiting")):
            assert holder.closed
    assert told == ["waiting"]


def test_removing_a_folder_takes_its_home_elsewhere_along(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "server"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "home").symlink_to(elsewhere)
    remove(folder)
    remove(folder)
    assert list(tmp_path.iterdir()) == []


async def test_a_later_process_of_the_same_number_is_not_touched(tmp_path: Path) -> None:
    """The record names this very process, whose folder is another: as after a restart of the machine."""
    (tmp_path / "process.json").write_text(f'{{"pid": {os.getpid()}, "cwd": "{tmp_path}"}}')
    process = ServerProcess(tmp_path, "redis")
    assert not process.running()
    await process.kill()


async def test_a_server_that_does_not_end_in_time_is_killed(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path, "redis")
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    process.launch([sys.executable, "-c", deaf], cwd=tmp_path, env=os.environ)
    await process.wait_until(lambda: _said(process.log, "deaf"), 20)
    await process.end(signal.SIGTERM, seconds=0.2)
    assert not process.running()


async def test_a_silent_server_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path, "redis")
    process.launch(["sh", "-c", "echo first; echo last; sleep 60"], cwd=tmp_path, env=os.environ)
    await process.wait_until(lambda: _said(process.log, "last"), 20)
    with pytest.raises(Unavailable, match="server_silent") as caught:
        await process.wait_until(lambda: _said(process.log, "never"), 0.1)
    assert "first\nlast" in wording.explain(caught.value)
    await process.kill()


async def _said(log: Path, word: str) -> bool:
    return word in await asyncio.to_thread(log.read_text)


async def test_a_program_that_fails_is_reported_with_what_it_said() -> None:
    with pytest.raises(Unavailable, match="out of luck"):
        await run_program(["sh", "-c", "echo out of luck >&2; exit 3"])
    with pytest.raises(Unavailable, match="program_failed"):
        await run_program(["no-such-program"])


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 5", 5), ("kill -9 $$", 137)])
async def test_exit_codes_are_those_of_a_shell(script: str, code: int) -> None:
    command = Command()
    assert await command.guard(command.run(["sh", "-c", script], os.environ)) == code


async def test_a_command_that_cannot_be_run_is_named() -> None:
    with pytest.raises(Misconfigured, match="no-such-command"):
        await Command().run(["no-such-command"], os.environ)


def test_the_command_sees_our_python_and_the_settings_given_and_no_other_servers() -> None:
    inherited = {
        "PATH": "/bin",
        "HOME": "/h",
        "ADPOLICY_REDIS_URL": "redis://production",
        "ADPOLICY_REDIS_URL_FILE": "/run/secrets/redis",
        "ADPOLICY_OPENSEARCH_URL": "https://production",
        "ADPOLICY_WORKERS": "2",
    }
    seen = cli.environment(inherited, {"ADPOLICY_REDIS_URL": "redis://here"}, ["opensearch"])
    assert seen == {
        "PATH": f"{Path(sys.executable).parent}:/bin",
        "HOME": "/h",
        "ADPOLICY_REDIS_URL": "redis://here",
        "ADPOLICY_WORKERS": "2",
    }


def test_arguments() -> None:
    args = cli.parse(["--only", "redis", "--optional", "run", "pytest", "-k", "x", "--optional"])
    assert args.command == ["pytest", "-k", "x", "--optional"]
    assert args.only == ["redis"]
    assert cli.parse(["up"]).kinds == []
    assert cli.parse(["up", "redis", "postgresql"]).kinds == ["redis", "postgresql"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["up", "mysql"], "there is no server mysql; choose from postgresql, opensearch, redis"),
        (["run"], "which command?"),
        (["run", "--verbose"], "unrecognized arguments: --verbose"),
        ([], "required"),
    ],
)
def test_wrong_arguments_are_explained(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.parse(argv)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


RAISED = sorted(
    {
        code
        for path in SERVERS.glob("*.py")
        for code in re.findall(r"(?:Misconfigured|Unavailable)\(\s*\"([a-z_]+)\"", path.read_text(encoding="utf-8"))
    }
)


def test_every_error_has_a_sentence_and_no_sentence_is_for_nothing() -> None:
    assert sorted(wording.SENTENCES) == RAISED
    for code in RAISED:
        said = wording.explain(Misconfigured(code))
        assert said.endswith(".")
        assert said.count(". ") >= 1, f"{code} does not say what to do next"
