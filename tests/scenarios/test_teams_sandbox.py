"""`ops/run --teams-sandbox`: the bot with a pretended Teams beside it."""

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import aiohttp
import pytest

from ops.sandbox.teams import TENANT
from ops.sandbox.teams.__main__ import started_with
from ops.sandbox.teams.stand_in import APP_ID, APP_SECRET, TeamsStandIn, settings_for
from tests.fakes.beside import refused
from tests.fakes.program import ROOT, environment, free_ports
from tests.fakes.service import until

BESIDE = [sys.executable, "-m", "ops.sandbox.beside", "--teams-sandbox"]


@contextmanager
def started(sample_store: Path, folder: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """What `ops/run --teams-sandbox` runs, the port of the pretended Teams, and what was said."""
    teams, chat, pages = free_ports(3)
    settings = {"CHAT_BIND": f"127.0.0.1:{chat}", "WEB_BIND": f"127.0.0.1:{pages}"}
    env = environment(Path(copytree(sample_store, folder / "data")), **settings)
    command = [*BESIDE, "--sandbox-port", str(teams)]
    with subprocess.Popen(command, env=env, cwd=folder, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            said = ""
            while "web page" not in (line := running.stdout.readline()).lower() and line:
                said += line
            yield running, teams, said
        finally:
            running.kill()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def state(session: aiohttp.ClientSession, page: str) -> dict[str, Any]:
    async with session.get(f"{page}/state?you=1") as got:
        return dict(await got.json())


def answered(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """What the bot said that can be rated: answers."""
    return [each for each in shown["messages"] if each["byBot"] and each["feedback"] and each["cards"]]


async def test_what_is_typed_on_the_page_is_answered_there_and_both_stop(sample_store: Path, tmp_path: Path) -> None:
    with started(sample_store, tmp_path) as (running, port, said):
        page = f"http://127.0.0.1:{port}"
        assert page in said
        async with aiohttp.ClientSession() as session:
            shown = await state(session, page)
            assert shown["place"]["kind"] == "personal"
            assert [each["name"] for each in shown["places"]] == ["AdPolicy", "# general", "# ads", "talk"]
            async with session.get(f"{page}/v1/.well-known/openidconfiguration") as keys:
                assert keys.status == 200
            said_there = {"you": "1", "where": "", "text": "can I advertise alcohol in the UK"}
            async with session.post(f"{page}/act/say", json=said_there, headers={"Origin": page}) as told:
                assert (told.status, await told.json()) == (200, {})

            async def is_answered() -> bool:
                return bool(answered(await state(session, page)))

            await until(is_answered, 20)
            [answer] = answered(await state(session, page))
            assert "Restricted in the United Kingdom" in str(answer["cards"])
            assert answer["citations"]
        running.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(running.wait, 30) == 0
        assert not listens(port)


def test_it_does_not_take_the_place_of_a_teams_that_is_set_up(tmp_path: Path) -> None:
    found = refused("teams", tmp_path, free_ports(1)[0], TEAMS_TENANTS=TENANT)
    assert (found.returncode, found.stdout) == (2, "")
    assert "Teams is set up already (ADPOLICY_TEAMS_" in found.stderr


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = refused("teams", tmp_path, taken.getsockname()[1])
    assert found.returncode == 2
    assert "cannot be listened on" in found.stderr
    assert "--sandbox-port" in found.stderr
    assert "Traceback" not in found.stderr
    assert "Unclosed" not in found.stderr


@pytest.mark.parametrize("port", [0, 65_536])
def test_what_is_no_port_is_said(tmp_path: Path, port: int) -> None:
    found = refused("teams", tmp_path, port)
    assert found.returncode == 2
    assert f"{port} is no port" in found.stderr
    assert "Traceback" not in found.stderr


async def test_a_bot_that_is_killed_leaves_no_teams_behind(sample_store: Path, tmp_path: Path) -> None:
    """It would keep the port, and talk to nobody."""
    with started(sample_store, tmp_path) as (running, port, _):
        assert listens(port)
        running.kill()

        async def is_free() -> bool:
            return not listens(port)

        await until(is_free, 10)


def test_started_by_itself_it_says_all_that_the_bot_needs() -> None:
    settings = started_with(TeamsStandIn("http://127.0.0.1:9"))
    for name, value in settings_for("", APP_ID, APP_SECRET).items():
        assert f"  {name}={value}" in settings
    other = started_with(TeamsStandIn("http://127.0.0.1:9", app_secret="of-my-own"))  # pragma: allowlist secret
    assert "of-my-own" not in other
    assert "ADPOLICY_TEAMS_APP_SECRET as given with --app-secret" in other


def test_the_script_and_the_readme_name_it() -> None:
    for each in (ROOT / "ops" / "run", ROOT / "README.md", ROOT / "ops" / "docs" / "teams.md"):
        assert "--teams-sandbox" in each.read_text("utf-8")
