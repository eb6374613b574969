"""What `python -m ops rotate-keys` says."""

from adapters.sql.people.encrypted import Renewal


def help_texts() -> dict[str, str]:
    """Help of `python -m ops rotate-keys`, by command and option."""
    return {
        "rotate-keys": "Encrypt anew, with the first key of ADPOLICY_SECRET_KEY, what is stored encrypted; without "
        "that setting, with a new key of the data folder.",
        "check": "Change nothing; exit code 1 if anything still needs another key than the first.",
    }


def looked_at(what: str, found: Renewal) -> str:
    """One place, before anything is changed there."""
    behind = f", {found.behind:,} with an older key" if found.behind else ""
    return f"  {what}: {found.seen:,} encrypted{behind}{_unreadable(found)}"


def renewed(what: str, found: Renewal) -> str:
    """One place, afterwards."""
    return f"  {what}: {found.behind:,} of {found.seen:,} encrypted anew{_unreadable(found)}"


def _unreadable(found: Renewal) -> str:
    return f", {found.unreadable:,} with a key that is not here" if found.unreadable else ""


def made_a_key(path: str) -> str:
    return f"Made a new key in {path}; the old one stays behind it until nothing needs it."


def went_on(path: str) -> str:
    return f"{path} has an old key that an earlier run did not finish with: going on."


def dropped_old_keys(path: str) -> str:
    return f"Nothing needs the old key any more: it is out of {path}."


def may_drop(keys: int) -> str:
    """Of a setting: nobody but the operator takes a key out."""
    if keys == 1:
        return "Everything is encrypted with the one key that ADPOLICY_SECRET_KEY names."
    return (
        "Nothing here needs the keys behind the first one. Take them out of ADPOLICY_SECRET_KEY once every server runs "
        "with the first key in front, this command was run on every machine that has a data folder, and `python -m ops "
        "rotate-keys --check` still says so. A backup made before needs them: keep them as long as the backup."
    )


def still_needed(behind: int) -> str:
    return f"{behind:,} still need another key than the first: run `python -m ops rotate-keys`."


def not_readable(unreadable: int) -> str:
    return (
        f"{unreadable:,} cannot be read with any of the keys: they stay as they are. Put the key they were encrypted "
        "with behind the others in ADPOLICY_SECRET_KEY, and run this command again."
    )
