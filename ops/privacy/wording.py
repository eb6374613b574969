"""What `python -m ops forget` and `python -m ops retention` say."""

from collections.abc import Mapping

from bot.access.pseudonyms import FORMS
from ops.privacy.register import NOT_REACHED


def help_texts() -> dict[str, str]:
    """Help, by command and option."""
    return {
        "forget": "Forget a person: conversations, answers, feedback, what waits, and who it was on the record.",
        "person": f"Who: {FORMS}.",
        "dry_run": "Only say how much there is.",
        "yes": "Do not ask.",
        "retention": "Remove what has been kept for as long as the settings say. A running server does it every hour.",
        "retention_dry_run": "Only say how much would go.",
    }


def found(counts: Mapping[str, int]) -> str:
    """What there is of a person."""
    return f"There is of this person: {_listed(counts)}."


NOTHING_FOUND = "There is nothing of this person here."
ASK_YES = "This cannot be undone. Type yes to forget this person: "
NEEDS_YES = "There is nobody to ask. Add --yes to forget this person without being asked."
NOT_FORGOTTEN = "Nothing was removed."


def forgotten(counts: Mapping[str, int], *, elsewhere: bool) -> str:
    """`elsewhere`: servers remember conversations by themselves."""
    memory = " Running servers empty what they remember within 5 seconds." if elsewhere else ""
    return f"Forgotten: {_listed(counts)}. It is on record.{memory}"


def not_reached() -> str:
    return f"Not reached: {'; '.join(NOT_REACHED)}; what waits in the data folders of other machines."


NOT_FINISHED = (
    "The person is NOT forgotten yet: something did not answer. Run the same command again; it goes on from here."
)


def due(counts: Mapping[str, int]) -> str:
    """What the next sweep removes."""
    return f"Kept for longer than the settings say: {_listed(counts)}. Nothing was removed."


def swept(counts: Mapping[str, int]) -> str:
    return f"Removed: {_listed(counts)}." if any(counts.values()) else "There is nothing to remove."


BUSY_ELSEWHERE = "Another process is removing it just now."


def _listed(counts: Mapping[str, int]) -> str:
    told = [f"{kind} {count:,}" for kind, count in sorted(counts.items()) if count]
    return ", ".join(told) or "nothing"
