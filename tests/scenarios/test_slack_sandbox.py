"""`ops/run --slack-sandbox`: the bot with a pretended Slack beside it."""

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree

import aiohttp
import pytest

from tests.fakes.beside import refused
from tests.fakes.program import ROOT, environment, free_ports

BESIDE = [sys.executable, "-m", "ops.sandbox.beside", "--slack-sandbox"]


@contextmanager
def started(sample_store: Path, folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """What `ops/run --slack-sandbox` runs, and the port of the pretended Slack."""
    slack, chat, pages = free_ports(3)
    settings = {"CHAT_BIND": f"127.0.0.1:{chat}", "WEB_BIND": f"127.0.0.1:{pages}"}
    env = environment(Path(copytree(sample_store, folder / "data")), **settings)
    command = [
        sys.executable,
        "-m",
        "ops.sandbox.beside",
        "--slack-sandbox",
        "--sandbox-port",
        str(slack),
        *arguments,
    ]
    with subprocess.Popen(command, env=env, cwd=folder, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            while "web page" not in (line := running.stdout.readline()).lower() and line:
                pass
            yield running, slack
        finally:
            running.kill()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def parts(session: aiohttp.ClientSession, page: str) -> str:
    async with session.get(f"{page}/parts?channel=C1&user=U1&team=T1") as got:
        return await got.text()


async def test_what_is_typed_on_the_page_is_answered_there_and_both_stop(sample_store: Path, tmp_path: Path) -> None:
    with started(sample_store, tmp_path) as (running, port):
        page = f"http://127.0.0.1:{port}"
        async with aiohttp.ClientSession() as session:
            form = {"channel": "C1", "user": "U1", "team": "T1", "typed": "/adpolicy can I advertise alcohol in the UK"}
            async with session.post(f"{page}/say", data=form, headers={"Origin": page}) as posted:
                assert posted.status == 200
            async with asyncio.timeout(20):
                while "Restricted in the United Kingdom" not in (shown := await parts(session, page)):
                    assert "failed with the error" not in shown
                    await asyncio.sleep(0.1)
        running.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(running.wait, 30) == 0
        assert not listens(port)


def test_it_does_not_take_the_place_of_a_slack_that_is_set_up(tmp_path: Path) -> None:
    token = {"SLACK_BOT_TOKEN": "xoxb-of-somebody"}
    found = refused("slack", tmp_path, free_ports(1)[0], **token)
    assert (found.returncode, found.stdout) == (2, "")
    assert "set up already" in found.stderr


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = refused("slack", tmp_path, taken.getsockname()[1])
    assert found.returncode == 2
    assert "--sandbox-port" in found.stderr


@pytest.mark.parametrize("word", ["--slack-sandbox", "--socket"])
def test_the_script_and_the_page_of_commands_name_it(word: str) -> None:
    assert word in (ROOT / "ops" / "run").read_text("utf-8")
    assert word in (ROOT / "ops" / "docs" / "commands.md").read_text("utf-8")
