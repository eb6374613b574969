"""Signatures of checkpoints, and the file in which they are kept beside the database."""

import base64
import json
import stat
from pathlib import Path

import pytest

from adapters.local.checkpoint_file import CheckpointFile
from adapters.local.signing import Ed25519Signer, TrustedKeys, new_signing_key
from bot.audit.checkpoints import ChainHead, checkpoint_from, checkpoint_json, sign_head
from bot.audit.trust import trusted
from bot.audit.verification import Problem
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.audit import NOON, SIGNER, TRUSTED

HEAD = ChainHead("T1", 7, "a" * 64)


def test_a_checkpoint_says_what_was_signed() -> None:
    made = sign_head(HEAD, NOON, SIGNER)
    assert checkpoint_from(json.loads(json.dumps(checkpoint_json(made)))) == made
    assert TRUSTED.holds(made.key_id, made.statement, made.signature)
    found = trusted([(made.statement, made.signature)] * 2, TRUSTED)
    assert (found.hashes, found.held, found.findings) == ({"T1": {7: frozenset({"a" * 64})}}, 1, [])
    assert (found.last("T1"), found.last("T2")) == (7, 0)


def test_what_does_not_hold_is_a_finding_and_no_proof() -> None:
    made, stranger = sign_head(HEAD, NOON, SIGNER), Ed25519Signer(new_signing_key())
    foreign = sign_head(HEAD, NOON, stranger)
    forged = made.statement.replace(b'"count":7', b'"count":6')
    stored = [
        (forged, made.signature),
        (foreign.statement, foreign.signature),
        (b"no json", ""),
        (made.statement, "no base64!"),
    ]
    found = trusted(stored, TRUSTED)
    assert found.hashes == {}
    assert [(each.problem, each.first, each.detail) for each in found.findings] == [
        (Problem.CHECKPOINT, 6, "forged"),
        (Problem.CHECKPOINT, 7, "unknown key"),
        (Problem.CHECKPOINT, 0, "unreadable"),
        (Problem.CHECKPOINT, 7, "forged"),
    ]
    believed = trusted(stored[1:2], TrustedKeys([SIGNER.public_key, f" {stranger.public_key}", ""]))
    assert (believed.held, believed.findings) == (1, [])


@pytest.mark.parametrize("key", ["", "short", "!!!", base64.urlsafe_b64encode(b"x" * 31).decode(), "ü"])
def test_what_is_no_key_is_said(key: str) -> None:
    with pytest.raises(Misconfigured, match="audit_key_malformed"):
        Ed25519Signer(key)
    if key:
        with pytest.raises(Misconfigured, match="audit_trusted_key_malformed"):
            TrustedKeys([key])


async def test_checkpoints_are_added_to_a_file_of_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "checkpoints.jsonl"
    file = CheckpointFile(path)
    assert await file.all() == []
    made = [sign_head(ChainHead("T1", count, "a" * 64), NOON, SIGNER) for count in (1, 2)]
    for each in made:
        await file.add(checkpoint_json(each))
    assert await file.all() == [(each.statement, each.signature) for each in made]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_line_that_was_cut_off_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.jsonl"
    file = CheckpointFile(path)
    made = sign_head(HEAD, NOON, SIGNER)
    await file.add(checkpoint_json(made))
    path.write_bytes(path.read_bytes() + b'{"statement": "cut')
    assert await file.all() == [(made.statement, made.signature)]
    await file.add(checkpoint_json(made))
    assert await file.all() == [(made.statement, made.signature)] * 2


async def test_a_file_that_cannot_be_written_or_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unavailable, match="checkpoints_unwritable"):
        await CheckpointFile(tmp_path / "file" / "checkpoints").add({})
    with pytest.raises(Unavailable, match="checkpoints_unreadable"):
        await CheckpointFile(tmp_path / "folder").all()
