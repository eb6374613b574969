"""`python -m ops audit export`: the record in files that can be checked without the bot (see `ops/docs/audit.md`)."""

import csv
import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self, TextIO

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditCheckpoints, SqlAuditReading
from bot.audit.checkpoints import ChainHead, RecordDatabase, read_statement
from bot.audit.entries import FORMAT, body_of, canonical, moment
from bot.audit.exchanges import CSV_COLUMNS, cell, csv_row
from bot.audit.verification import StoredRecord
from ingest.model.operators import operator
from ops.acts import record_act
from ops.audit import wording
from ops.checkpoints.keeping import build_keeping
from ops.checkpoints.keys import build_checkpoint_file, build_signer, build_trusted_keys
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_engine
from rag_core.errors import Rejected

RECORDS, PERSONAL, TABLE = "records.jsonl", "personal.jsonl", "records.csv"
CHECKPOINTS, MANIFEST, SIGNATURE = "checkpoints.jsonl", "manifest.json", "manifest.sig"


@dataclass(frozen=True, slots=True)
class Written:
    """The chains that were written, with their last records."""

    heads: tuple[ChainHead, ...]

    @property
    def records(self) -> int:
        return sum(head.count for head in self.heads)


class ExportFiles:
    """The files with records, open. Readable by their owner only: they say what people asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._records = self._stack.enter_context(_private_bytes(self._folder / RECORDS))
        self._personal = self._open(PERSONAL)
        self._table = csv.writer(self._open(TABLE))
        self._table.writerow(CSV_COLUMNS)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, chain: str, records: Sequence[StoredRecord]) -> None:
        for each in records:
            self._records.write(each.canonical + b"\n")  # to the letter: a line's SHA-256 is the record's hash
            if each.personal is not None:
                beside = {"chain": chain, "sequence": each.sequence, "fields": each.personal}
                self._personal.write(json.dumps(beside, ensure_ascii=False) + "\n")
            self._table.writerow(_cells(chain, each))

    def _open(self, name: str) -> TextIO:
        return self._stack.enter_context(_private(self._folder / name))


def _cells(chain: str, record: StoredRecord) -> list[str]:
    """What was tampered with goes out as well; its hash tells."""
    try:
        return csv_row(body_of(record.canonical), record.personal, record.hash)
    except (ValueError, KeyError, TypeError, AttributeError):
        return [cell(chain), str(record.sequence), *[""] * (len(CSV_COLUMNS) - 3), cell(record.hash)]


async def export(config: Config, folder: Path, workspace: str | None, whoami: Callable[[], str] = operator) -> int:
    """Writes the files into a new folder; that somebody did is on record, too.

    Raises Rejected("export_folder_exists", "export_unwritable").
    """
    _make(folder)
    async with open_engine(config) as engine:
        await record_act(engine, "audit_export", facts={"workspace": workspace}, whoami=whoami)
        await build_keeping(config, engine).once()  # so that a checkpoint covers what goes out
        written = await _write_records(SqlAuditReading(engine), folder, workspace)
        await _write_checkpoints(config, engine, folder, workspace)
    _write_keys(config, folder)
    _write_manifest(config, folder, written)
    print(wording.exported(written.records, len(written.heads), str(folder)))
    return 0


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, mode=0o700)
    except FileExistsError as exc:
        raise Rejected("export_folder_exists", path=str(folder)) from exc
    except OSError as exc:
        raise Rejected("export_unwritable", path=str(folder), reason=exc.strerror or str(exc)) from exc


async def _write_records(reading: SqlAuditReading, folder: Path, workspace: str | None) -> Written:
    heads = []
    with ExportFiles(folder) as files:
        for chain in [each for each in await reading.chains() if workspace in (None, each)]:
            last = ChainHead(chain, 0, "")
            async for some in reading.records(chain, columns=True):
                files.add(chain, some)
                last = ChainHead(chain, last.count + len(some), some[-1].hash)
            heads.append(last)
    return Written(tuple(heads))


async def _write_checkpoints(config: Config, engine: AsyncEngine, folder: Path, workspace: str | None) -> None:
    checkpoints = SqlAuditCheckpoints(engine)
    database = await checkpoints.database()
    lines = [each for each in await build_checkpoint_file(config).all() if _is_of(database, *each)]
    stored = [*await checkpoints.stored(), *lines]
    with _private(folder / CHECKPOINTS) as file:
        for statement, signature in dict.fromkeys(stored):
            if workspace in (None, _chain_of(statement)):
                text = statement.decode("utf-8", "replace")
                file.write(json.dumps({"statement": text, "signature": signature}, ensure_ascii=False) + "\n")


def _is_of(database: RecordDatabase, statement: bytes, signature: str) -> bool:
    """What cannot be read goes out as well."""
    try:
        return database.is_of(read_statement(statement, signature))
    except (ValueError, KeyError, TypeError):
        return True


def _chain_of(statement: bytes) -> Any:
    try:
        return body_of(statement).get("chain")
    except ValueError:
        return None


def _write_keys(config: Config, folder: Path) -> None:
    for key_id, pem in build_trusted_keys(config).pems().items():
        (folder / f"{key_id}.pem").write_text(pem, encoding="ascii")


def _write_manifest(config: Config, folder: Path, written: Written) -> None:
    """Which files there are, with their hashes; signed, so that none can be left out or replaced."""
    signer = build_signer(config)
    manifest = canonical(
        {
            "format": FORMAT,
            "made_at": moment(utc_now()),
            "key": signer.key_id,
            "chains": [{"chain": each.chain, "count": each.count, "head": each.hash} for each in written.heads],
            "files": {each.name: _file_facts(each) for each in sorted(folder.iterdir())},
        }
    )
    (folder / MANIFEST).write_bytes(manifest)
    (folder / SIGNATURE).write_text(signer.sign(manifest) + "\n", encoding="ascii")


def _file_facts(path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": found, "bytes": path.stat().st_size}


def _private_bytes(path: Path) -> BinaryIO:
    path.touch(mode=0o600)
    return path.open("wb")


def _private(path: Path) -> TextIO:
    path.touch(mode=0o600)
    return path.open("w", encoding="utf-8", newline="")
