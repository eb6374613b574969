"""Keys replaced, as an operator does it: in the data folder or by the setting, broken off, beside a server."""

import asyncio
import json
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import insert

from adapters.local.spool import LocalSpool
from adapters.sql.chat.inbox import question_row
from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.encrypted import ENCRYPTED
from adapters.sql.tables.policies import inbox
from bot.ports import InboxState
from ops.keys.fingerprints import fingerprint
from rag_core.errors import Misconfigured
from tests.fakes.program import ROOT, environment, run, running_server
from tests.fakes.questions import NOON, make_question

OLD, NEW = new_key(), new_key()


@dataclass(frozen=True)
class Place:
    data: Path

    @property
    def keys(self) -> list[str]:
        return (self.data / "secret.key").read_text(encoding="ascii").split()

    def rotate(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return run("ops", "rotate-keys", *arguments, env=environment(self.data, **settings), cwd=self.data.parent)

    def tokens(self) -> list[str]:
        """Everything that is stored encrypted, as it is stored."""
        with closing(sqlite3.connect(self.data / "adpolicy.sqlite3")) as connection:
            rows = connection.execute("SELECT reply_address FROM inbox WHERE reply_address IS NOT NULL").fetchall()
        return [row[0] for row in rows] + [each.read_text() for each in sorted(self.data.glob("spool/*.entry"))]

    def written_with(self, key: str) -> int:
        vault = Vault([key])
        return sum(vault.renewed(each) is None for each in self.tokens() if _reads(vault, each))

    def acts(self) -> list[dict[str, object]]:
        with closing(sqlite3.connect(self.data / "adpolicy.sqlite3")) as connection:
            query = "SELECT canonical FROM audit_records WHERE kind = 'administration' ORDER BY sequence"
            return [json.loads(row[0])["facts"] for row in connection.execute(query)]

    async def fill(self, key: str, rows: int, entries: int = 2) -> None:
        """Questions that wait, and entries of the spool."""
        vault = Vault([key])
        engine = open_engine(f"sqlite:///{self.data / 'adpolicy.sqlite3'}")
        waiting = {"state": InboxState.ACCEPTED, "queued_at": NOON, "attempt": 0, "was_sending": False, "postponed": 0}
        async with engine.begin() as connection:
            made = [question_row(make_question(number), vault) | waiting for number in range(rows)]
            await connection.execute(insert(inbox), made)
        await engine.dispose()
        spool = LocalSpool(self.data / "spool", encrypt=vault.encrypt, decrypt=vault.decrypt, most_bytes=1_000_000)
        for number in range(entries):
            await spool.put("nothing", str(number), {"number": number})


def _reads(vault: Vault, token: str) -> bool:
    try:
        vault.decrypt(token)
    except Misconfigured:
        return False
    return True


@pytest.fixture
def place(sample_store: Path, tmp_path: Path) -> Place:
    data = Path(shutil.copytree(sample_store, tmp_path / "data"))
    (data / "secret.key").write_text(OLD, encoding="ascii")
    return Place(data)


async def test_a_key_of_the_data_folder_is_replaced_and_that_is_on_record(place: Place) -> None:
    await place.fill(OLD, rows=5)
    ended = place.rotate()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "inbox.reply_address: 5 of 5 encrypted anew" in ended.stdout
    assert "spool: 2 of 2 encrypted anew" in ended.stdout
    [key] = place.keys
    assert key != OLD
    assert place.written_with(key) == 7
    assert stat.S_IMODE((place.data / "secret.key").stat().st_mode) == 0o600
    nothing = {f"{each.table.name}.{each.name}": 0 for each in ENCRYPTED}
    renewed = {**nothing, "inbox.reply_address": 5, "spool": 2}
    act = {"act": "rotate_keys", "renewed": renewed, "key": fingerprint(key), "dropped": [fingerprint(OLD)]}
    assert place.acts()[-1] == act
    assert key not in ended.stdout
    assert place.rotate("--check").returncode == 0


async def test_keys_of_the_setting_are_the_operators_to_drop(place: Place) -> None:
    await place.fill(OLD, rows=3)
    both = {"SECRET_KEY": f"{NEW},{OLD}"}
    before = place.rotate("--check", **both)
    assert before.returncode == 1
    assert "5 still need another key than the first" in before.stdout
    assert place.written_with(OLD) == 5  # looking changes nothing
    ended = place.rotate(**both)
    assert ended.returncode == 0
    assert "Take them out of ADPOLICY_SECRET_KEY once every server" in ended.stdout
    assert place.written_with(NEW) == 5
    assert place.keys == [OLD]  # the folder's file is no business of it
    for keys in (f"{NEW},{OLD}", NEW):
        assert place.rotate("--check", SECRET_KEY=keys).returncode == 0
    missing = place.rotate("--check", SECRET_KEY=OLD)
    assert missing.returncode == 1
    assert "5 cannot be read with any of the keys" in missing.stdout
    assert [each["act"] for each in place.acts()] == ["ingest_run", "rotate_keys"]
    assert place.rotate(**both).returncode == 0
    assert len(place.acts()) == 2  # nothing was left to do: nothing is on record


async def test_killed_in_the_middle_it_goes_on_with_the_same_new_key(place: Place) -> None:
    await place.fill(OLD, rows=6_000)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "ops", "rotate-keys"),
        env=environment(place.data),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while True:
        process.send_signal(signal.SIGSTOP)  # else it might be over once all has been looked at
        if len(place.keys) == 2 and 0 < place.written_with(place.keys[0]) < 6_002:
            break
        process.send_signal(signal.SIGCONT)
        assert time.monotonic() < until
        await asyncio.sleep(0.005)
        assert process.returncode is None, "it was over too soon"
    process.send_signal(signal.SIGKILL)
    await process.wait()
    new, old = place.keys
    assert old == OLD
    assert 0 < place.written_with(new) < 6_002
    assert place.rotate("--check").returncode == 1
    ended = place.rotate()
    assert ended.returncode == 0
    assert "going on" in ended.stdout
    assert place.keys == [new]
    assert place.written_with(new) == 6_002


async def test_what_no_key_reads_keeps_the_old_key_and_the_exit_code_says_so(place: Place) -> None:
    await place.fill(OLD, rows=2, entries=0)
    with closing(sqlite3.connect(place.data / "adpolicy.sqlite3")) as connection, connection:
        connection.execute("UPDATE inbox SET reply_address = ? WHERE question_id = 'q1'", (Vault([NEW]).encrypt("x"),))
    ended = place.rotate()
    assert ended.returncode == 1
    assert "1 cannot be read with any of the keys" in ended.stdout
    assert place.keys[1:] == [OLD]


async def test_beside_a_server(place: Place) -> None:
    """With the keys in the folder no server may run: it read the file when it started. With both keys one may."""
    with running_server(place.data):
        refused = await asyncio.to_thread(place.rotate)
        assert refused.returncode == 2
        assert str(place.data) in refused.stderr
        assert place.keys == [OLD]
    both = {"SECRET_KEY": f"{NEW},{OLD}"}
    await place.fill(OLD, rows=2)
    with running_server(place.data, settings=both):
        ended = await asyncio.to_thread(place.rotate, **both)
        assert ended.returncode == 0
        assert (await asyncio.to_thread(place.rotate, "--check", **both)).returncode == 0


async def test_every_file_of_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    """Whatever made it: the database and what stands beside it, the index, keys, checkpoints, the spool."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    ended = run("bot", "ask", "alcohol in the UK", env=environment(data), cwd=tmp_path)
    assert ended.returncode == 0
    with running_server(data):
        await Place(data).fill(OLD, rows=1)
        found = [data, *data.rglob("*")]
        loose = [str(each.relative_to(data)) for each in found if stat.S_IMODE(each.stat().st_mode) & 0o077]
    assert len(found) > 8
    assert loose == []
