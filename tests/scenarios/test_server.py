"""`python -m bot serve` as its own process, with Slack's stand-in on one side and the web on the other."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copytree
from typing import Any

import aiohttp
import pytest

from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.block_kit import check_message
from ops.sandbox.slack.deliveries import Delivery, command_fields, signed_headers
from ops.sandbox.slack.stand_in import utc_now
from ops.sandbox.troubles import Trouble
from tests.fakes.program import SIGNING_SECRET, Ports, Server, environment, free_ports, run, running_server
from tests.fakes.service import until
from tests.fakes.slack_beside import slack_beside

QUESTION = "can I advertise alcohol in the UK"
COMMAND = command_fields(
    team="T1",
    channel="C1",
    channel_name="ads",
    user="U1",
    command="/adpolicy",
    text=QUESTION,
    response_url="http://127.0.0.1:1/commands/T1/x",
    trigger_id="9.9",
)
BODY = Delivery("slash_commands", COMMAND).body


@pytest.fixture(scope="module")
def server(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for the tests that leave it as it was."""
    with running_server(Path(copytree(sample_store, tmp_path_factory.mktemp("server") / "data"))) as running:
        yield running


@pytest.fixture
async def slack(server: Server) -> AsyncIterator[SlackStandIn]:
    async with slack_beside(server) as stand_in:
        yield stand_in


@pytest.fixture
async def web() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        yield session


async def ended(server: Server) -> int:
    return await asyncio.to_thread(server.process.wait, 20)


async def test_a_command_ends_as_one_message_with_the_rules_of_the_uk(
    slack: SlackStandIn, server: Server, web: aiohttp.ClientSession
) -> None:
    acknowledged = await slack.send_command(QUESTION)
    assert (acknowledged.status, acknowledged.body) == (200, "")
    await slack.received(1)
    await asyncio.sleep(0.5)  # and no second one
    [message] = slack.messages
    shown = str(message.blocks)
    assert check_message(dict(message.payload)) is None
    assert message.visible_to is None
    assert "Restricted in the United Kingdom" in shown
    assert "Germany" not in shown
    links = re.findall(r"<(http[^|>]+)\|", shown)
    sources = [link for link in links if "/sources/quillmoor_alcohol_" in link]
    assert sources
    address = sources[0].replace("&amp;", "&").replace("http://127.0.0.1:8080", server.web_url)
    async with web.get(address) as page:
        assert page.status == 200
        assert "<mark" in await page.text()


async def test_slack_sending_again_is_taken_and_runs_once(slack: SlackStandIn) -> None:
    first = await slack.send_command(QUESTION)
    again = [await slack.redeliver(first.delivery, retry=1 + number) for number in range(3)]
    await slack.received(1)
    again.append(await slack.redeliver(first.delivery, retry=4))
    await asyncio.sleep(0.5)
    assert [each.status for each in again] == [200] * 4
    assert len(slack.messages) == 1


async def test_only_what_slack_signed_now_is_taken(server: Server, web: aiohttp.ClientSession) -> None:
    good = signed_headers(SIGNING_SECRET, BODY, utc_now)
    form = {"Content-Type": good["Content-Type"]}
    bad = [
        form,
        signed_headers("another-secret", BODY, utc_now),
        signed_headers(SIGNING_SECRET, BODY, utc_now, age_seconds=301),
        signed_headers(SIGNING_SECRET, BODY, utc_now, age_seconds=-301),
        {**good, "X-Slack-Signature": "v0=" + "é" * 64},
        {**good, "X-Slack-Request-Timestamp": "٣٤٥"},
        {**good, "X-Slack-Request-Timestamp": "soon"},
    ]
    for headers in bad:
        async with web.post(f"{server.chat_url}/slack/events", data=BODY, headers=headers) as response:
            assert response.status == 401, headers


async def test_each_listener_has_its_own_doors(server: Server, web: aiohttp.ClientSession) -> None:
    expected = {
        f"{server.chat_url}/healthz": 200,
        f"{server.web_url}/healthz": 200,
        f"{server.web_url}/readyz": 200,
        f"{server.web_url}/": 200,
        f"{server.chat_url}/": 404,
        f"{server.chat_url}/api/v1/documents": 404,
        f"{server.web_url}/slack/events": 404,
    }
    for address, status in expected.items():
        async with web.get(address) as response:
            assert response.status == status, address


async def test_rest_gives_the_same_answer(server: Server, web: aiohttp.ClientSession) -> None:
    async with web.post(f"{server.web_url}/api/v1/ask", json={"question": QUESTION}) as response:
        answer: dict[str, Any] = await response.json()
    assert (response.status, answer["verdict"]) == (200, "restricted")
    assert {region for each in answer["citations"] for region in each["regions"]} <= {"uk", "global"}


async def test_beside_a_server_everything_runs_but_another_server(server: Server, tmp_path: Path) -> None:
    own = Ports(*free_ports(3)).settings.items()
    env = environment(server.data_dir, **{name: value for name, value in own if not name.startswith("SLACK_")})

    def beside(module: str, *arguments: str) -> tuple[int, str]:
        done = run(module, *arguments, env=env, cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    second = await asyncio.to_thread(beside, "bot", "serve")
    assert second[0] == 2
    assert f"Another server is running on the data folder {server.data_dir}" in second[1]
    asked, ingested, checked = await asyncio.gather(
        asyncio.to_thread(beside, "bot", "ask", QUESTION),
        asyncio.to_thread(beside, "ingest", "run", "--quiet"),
        asyncio.to_thread(beside, "ops", "doctor"),
    )
    assert asked[0] == ingested[0] == checked[0] == 0
    assert "Restricted in the United Kingdom" in asked[1]
    assert "0 failed" in ingested[1]
    assert "FAIL" not in checked[1]


async def is_being_sent(data_dir: Path) -> None:
    """Waits until the server has begun to send, and a little longer: the stand-in has the request."""

    async def sending() -> bool:
        with closing(sqlite3.connect(data_dir / "adpolicy.sqlite3")) as connection:
            return connection.execute("SELECT state FROM inbox").fetchall() == [("sending",)]

    await until(sending)
    await asyncio.sleep(0.3)


def let_the_lease_run_out(data_dir: Path) -> None:
    """Time passes for the inbox: the lease of the dead process is over."""
    with closing(sqlite3.connect(data_dir / "adpolicy.sqlite3")) as connection, connection:
        connection.execute("UPDATE inbox SET lease_until = '2000-01-01 00:00:00.000000' WHERE lease_until IS NOT NULL")


async def test_a_killed_server_answers_after_its_restart_and_a_stopped_one_before_its_end(sample_copy: Path) -> None:
    ports = Ports(*free_ports(3))
    with running_server(sample_copy, ports) as first:
        async with slack_beside(first) as slack:
            slack.trouble("response_url", Trouble(delay=3))  # in the middle of sending when it dies
            acknowledged = await slack.send_command(QUESTION)
            assert acknowledged.status == 200
            await is_being_sent(sample_copy)
            first.kill()
            let_the_lease_run_out(sample_copy)
            with running_server(sample_copy, ports) as second:
                await slack.received(1)
                await asyncio.sleep(0.3)
                assert len(slack.messages) == 1
                assert "Restricted in the United Kingdom" in str(slack.messages[0].blocks)
                slack.trouble("response_url", Trouble(429, "ratelimited", retry_after=1))  # not done when it stops
                await slack.send_command("can I advertise alcohol in Germany")
                second.terminate()
                assert await ended(second) == 0
                assert len(slack.messages) == 2
                assert "Germany" in str(slack.messages[1].blocks)
    log = (sample_copy.parent / "server.log").read_text(encoding="utf-8")
    assert "Stopping" in log
    assert QUESTION not in log
    assert "Traceback" not in log
