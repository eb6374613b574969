"""Settings on record: as they were when a server started, where they are not those of the last start."""

import uuid

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditReading
from bot.audit.entries import INSTALLATION, RecordKind, body_of, settings_changed
from bot.ports import AuditLog
from ops.checkpoints.keys import build_signer
from ops.config import Config
from ops.data_folder import secret_keys
from ops.keys.fingerprints import fingerprint
from ops.parts import utc_now

_SET = "set"


async def record_settings(config: Config, engine: AsyncEngine, log: AuditLog) -> bool:
    """Whether anything was different. Raises Unavailable."""
    newest = await SqlAuditReading(engine).newest(INSTALLATION, RecordKind.SETTINGS)
    before = body_of(newest)["facts"]["settings"] if newest is not None else {}
    after = {**told_settings(config), **told_keys(config)}
    if newest is not None and before == after:
        return False
    await log.append([settings_changed(str(uuid.uuid4()), utc_now(), "serve", before, after)])
    return True


def told_settings(config: Config) -> dict[str, object]:
    """All settings as they may be told: of a secret, no more than that it is set."""
    return {name: _told(value) for name, value in config}


def told_keys(config: Config) -> dict[str, object]:
    """Which keys are in use, wherever they are from: that one was made or replaced is on record, too."""
    return {
        "keys_at_rest": [fingerprint(each) for each in secret_keys(config)],
        "key_of_checkpoints": build_signer(config).key_id,
    }


def _told(value: object) -> object:
    if isinstance(value, SecretStr):
        return _SET
    return value if value is None or isinstance(value, bool | int | float) else str(value)
