"""Who did what is on record, also where the operating system has no name for him."""

import getpass
import os
from pathlib import Path

import pytest

from adapters.sql.audit.reading import SqlAuditReading
from bot.audit.entries import INSTALLATION, RecordKind, body_of
from ingest.model.operators import operator
from ops.acts import record_act
from tests.fakes.databases import migrated_engine


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert operator() == getpass.getuser()

    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert operator() == f"uid {os.getuid()}"


async def test_who_it_was_can_be_forgotten_and_what_it_was_cannot(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        await record_act(engine, "rotate_keys", target="keys", facts={"spool": 2}, whoami=lambda: "somebody")
        newest = await SqlAuditReading(engine).newest(INSTALLATION, RecordKind.ADMINISTRATION) or b""
        [found] = await SqlAuditReading(engine).of_subject("keys")
    body = body_of(newest)
    assert body["facts"] == {"act": "rotate_keys", "spool": 2}
    assert "somebody" not in newest.decode()
    assert found.personal is not None
    assert found.personal["person"]["value"] == "somebody"
