"""What operators and programs did, as entries of the record."""

from collections.abc import Mapping
from datetime import datetime

from bot.record.entries import INSTALLATION, AuditEntry, RecordKind
from bot.record.personal import PERSON


def administration(
    record_id: str,
    act: str,
    at: datetime,
    *,
    person: str = "",
    target: str = "",
    facts: Mapping[str, object] | None = None,
    reason: str = "",
    workspace: str = INSTALLATION,
    origin: str = "ops",
) -> AuditEntry:
    """Somebody did `act` ("remove", "forget" ...) to `target`. `person` and `reason` can be forgotten. `origin`: the
    platform, where it was done in a chat."""
    personal = {name: value for name, value in ((PERSON, person), ("reason", reason)) if value}
    told = {"act": act, **(facts or {})}
    return AuditEntry(record_id, RecordKind.ADMINISTRATION, workspace, at, target, origin, told, personal)


def settings_changed(
    record_id: str, at: datetime, origin: str, before: Mapping[str, object], after: Mapping[str, object]
) -> AuditEntry:
    """All settings as they are now, with the names of those that are different. No secret may be among the values."""
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    facts = {"settings": dict(after), "changed": changed}
    return AuditEntry(record_id, RecordKind.SETTINGS, INSTALLATION, at, "settings", origin, facts)


def channel_settings_changed(
    record_id: str,
    at: datetime,
    platform: str,
    workspace: str,
    channel: str,
    before: Mapping[str, object],
    after: Mapping[str, object],
    by: str,
) -> AuditEntry:
    """Somebody set what holds in a channel. The facts name values of settings and ids of channels only."""
    changed = sorted(name for name in after if before.get(name) != after[name])
    facts = {"act": "channel_settings", "settings": dict(after), "before": dict(before), "changed": changed}
    subject = f"{platform}:{workspace}/{channel}"
    return AuditEntry(record_id, RecordKind.ADMINISTRATION, workspace, at, subject, platform, facts, {PERSON: by})
