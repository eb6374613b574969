"""Edits and deletions of one message come in any order, twice and late: the one that was made last counts."""

from collections.abc import Sequence
from datetime import UTC, datetime

from adapters.teams.activities import TeamsActivity
from bot.model.messages import EDITED, edit_key

_DELETED = ";deleted"
"""So that what was deleted and came back within a moment has two keys."""


def change_key(activity: TeamsActivity) -> str:
    """The claim key of the message as this edit or deletion leaves it; its own where it is neither."""
    return edit_key(activity.claim_key, changed(activity))


def changed(activity: TeamsActivity) -> str:
    """When it was made, equal for all its deliveries; "" for what is none."""
    if activity.kind == "message":
        return ""
    said = str(activity.raw.get("timestamp") or activity.channel_data.get("eventTimestamp") or activity.event)[:100]
    return f"{said}{_DELETED}" if activity.kind == "messageDelete" else said


def standing(key: str, known: Sequence[str]) -> str:
    """The last change of a message: `key`, or of the `known` ones one that was made later. Of one that does not say
    when, nobody knows that it was."""
    last = key
    for each in known:
        made, before = _moment(each), _moment(last)
        if made is not None and before is not None and made > before:
            last = each
    return last


def _moment(key: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(key.rpartition(EDITED)[2].removesuffix(_DELETED))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
