"""Checkpoints in time, keys, and settings on record."""

import asyncio
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import SecretStr

from adapters.local.checkpoint_file import CheckpointFile
from adapters.local.signing import Ed25519Signer, new_signing_key
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import SqlAuditCheckpoints, SqlAuditReading
from adapters.sql.database.vault import new_key
from bot.audit.checkpoints import read_statement
from bot.audit.entries import INSTALLATION, RecordKind, body_of
from ops.checkpoints.keeping import EVERY_SECONDS, CheckpointKeeping, build_keeping
from ops.checkpoints.keys import build_signer, build_trusted_keys, checkpoint_path
from ops.config import Config
from ops.data_folder import secret_keys, write_keys
from ops.keys.fingerprints import fingerprint
from ops.recorded_settings import record_settings, told_settings
from rag_core.errors import Misconfigured, PolicyBotError
from tests.fakes.audit import NOON, SIGNER, make_entries, make_entry
from tests.fakes.clock import FakeClock
from tests.fakes.databases import migrated_engine


class FakeKeepingLog:
    def __init__(self) -> None:
        self.codes: list[str] = []
        self.twice = asyncio.Event()

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None:
        self.codes.append(error.code)
        if len(self.codes) > 1:
            self.twice.set()


async def test_a_head_is_signed_once_in_the_file_and_beside_the_record(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        await SqlAuditLog(engine).append([*make_entries(3), make_entry(1, "T2")])
        stored, file = SqlAuditCheckpoints(engine), CheckpointFile(tmp_path / "checkpoints")
        keeping = CheckpointKeeping(stored, file, SIGNER, FakeClock(NOON))
        assert (await keeping.once(), await keeping.once()) == (2, 0)
        assert await stored.stored() == await file.all()
        heads = [read_statement(*each).head for each in await file.all()]
        assert [(head.chain, head.count) for head in heads] == [("T1", 3), ("T2", 1)]


async def test_it_goes_on_while_something_is_down(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    log = FakeKeepingLog()
    async with migrated_engine(tmp_path) as engine:
        await SqlAuditLog(engine).append(make_entries(1))
        stored = SqlAuditCheckpoints(engine)
        keeping = CheckpointKeeping(stored, CheckpointFile(tmp_path / "file" / "x"), SIGNER, FakeClock(NOON), log)
        running = asyncio.ensure_future(keeping.run(every_seconds=0.01))
        await log.twice.wait()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        (tmp_path / "file").unlink()
        assert (await stored.stored(), await keeping.once()) == ([], 1)
    assert set(log.codes) == {"checkpoints_unwritable"}


def test_they_are_made_more_often_than_every_minute() -> None:
    assert EVERY_SECONDS < 60


async def test_what_the_settings_name_is_used(tmp_path: Path) -> None:
    key = new_signing_key()
    config = Config(data_dir=tmp_path / "data", audit_key=SecretStr(key), audit_checkpoints=tmp_path / "elsewhere")
    assert build_signer(config).key_id == Ed25519Signer(key).key_id
    assert not (tmp_path / "data").exists()
    async with migrated_engine(tmp_path) as engine:
        await SqlAuditLog(engine).append(make_entries(1))
        await build_keeping(config, engine).once()
    assert (tmp_path / "elsewhere").read_bytes().count(b"\n") == 1


def test_without_settings_a_key_is_made_once(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path / "data")
    assert build_signer(config).key_id == build_signer(config).key_id
    assert stat.S_IMODE((tmp_path / "data" / "audit-signing.key").stat().st_mode) == 0o600
    assert checkpoint_path(config) == tmp_path / "data" / "audit-checkpoints.jsonl"
    assert build_trusted_keys(config).knows(build_signer(config).key_id)
    (tmp_path / "data" / "audit-signing.key").write_text("broken")
    with pytest.raises(Misconfigured, match="audit_key_malformed"):
        build_signer(config)


async def test_settings_are_on_record_where_they_changed(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path, slack_bot_token=SecretStr("xoxb-planted"), workers=3)
    async with migrated_engine(tmp_path) as engine:
        log = SqlAuditLog(engine)
        assert await record_settings(config, engine, log)
        assert not await record_settings(config, engine, log)
        assert await record_settings(config.model_copy(update={"workers": 5}), engine, log)
        newest = await SqlAuditReading(engine).newest(INSTALLATION, RecordKind.SETTINGS)
        assert newest is not None
        facts = body_of(newest)["facts"]
    assert (facts["changed"], facts["settings"]["workers"]) == (["workers"], 5)
    assert facts["settings"]["slack_bot_token"] == "set"
    assert b"planted" not in newest


async def test_a_key_that_was_replaced_is_on_record_and_the_key_is_not(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path)
    async with migrated_engine(tmp_path) as engine:
        log = SqlAuditLog(engine)
        assert await record_settings(config, engine, log)
        [old], new = secret_keys(config), new_key()
        write_keys(config, (new, old))
        assert await record_settings(config, engine, log)
        newest = (await SqlAuditReading(engine).newest(INSTALLATION, RecordKind.SETTINGS)) or b""
    facts = body_of(newest)["facts"]
    assert facts["changed"] == ["keys_at_rest"]
    assert facts["settings"]["keys_at_rest"] == [fingerprint(new), fingerprint(old)]
    assert facts["settings"]["key_of_checkpoints"] == build_signer(config).key_id
    assert old.encode() not in newest
    assert new.encode() not in newest


def test_no_secret_is_told(tmp_path: Path) -> None:
    secrets = {name: SecretStr("planted") for name in Config.model_fields if name.endswith(("key", "token", "_url"))}
    told = told_settings(Config(data_dir=tmp_path).model_copy(update=secrets))
    assert "planted" not in str(told)
    assert set(told) == set(Config.model_fields)
