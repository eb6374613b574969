"""What operators read about groups and directories."""

from collections.abc import Callable, Mapping, Sequence

Details = Mapping[str, object]

_NAMES = {"slack": "Slack", "entra": "Entra"}


def _named(details: Details) -> str:
    return _NAMES.get(str(details.get("directory", "")), "The directory")


def _refused(details: Details) -> str:
    return (
        f"{_named(details)} refuses to tell who belongs to what ({details.get('error', 'no reason given')}). Give the "
        "app the permissions that ops/docs/access.md lists, check its token or secret, and run `python -m ops doctor`."
    )


SENTENCES: dict[str, Callable[[Details], str]] = {
    "directory_refused": _refused,
    "directory_unreachable": lambda d: (
        f"{_named(d)} does not tell who belongs to what: it cannot be reached, or failed. Until it does, people see "
        "public documents only. Try again in a moment."
    ),
    "directory_slow_down": lambda d: (
        f"{_named(d)} asks to wait {d.get('retry_after')} s. If that happens often, raise ADPOLICY_GROUPS_MINUTES."
    ),
    "directory_slow": lambda d: (
        f"The directory took longer than {d.get('seconds')} s to tell who belongs to what. Smaller "
        "groups are read faster."
    ),
    "teams_tenant_invalid": lambda d: (
        f"{d['setting']} has {d['value']}, which is no tenant id. Write the ids (8-4-4-4-12 digits), comma-separated."
    ),
    "teams_url_insecure": lambda d: (
        f"{d['setting']} is {d['value']}, which would carry the app's secret unencrypted. Use https; http is for "
        "127.0.0.1 only."
    ),
}


def directory_name(kind: str) -> str:
    """The line of `doctor` about one directory."""
    return f"directory {_NAMES.get(kind, kind)}"


def answers(count: int) -> str:
    return f"answers for {count} id{'' if count == 1 else 's'} of the catalogue"


def silent(why: str) -> str:
    return f"{why} Until then its people see public documents only."


def not_set_up(kind: str) -> str:
    """The catalogue names people that nobody can be asked about."""
    missing = {
        "slack": "ADPOLICY_SLACK_BOT_TOKEN",
        "entra": "ADPOLICY_TEAMS_APP_ID, ADPOLICY_TEAMS_APP_SECRET and ADPOLICY_TEAMS_TENANTS",
    }
    return f"the catalogue names members there, but {missing.get(kind, 'nothing')} is not set: nobody belongs to them."


def group_count(count: int) -> str:
    return f"{count} declared, each with members" if count else "none declared: restricted documents are for nobody"


def nobody_in(empty: Sequence[str], undeclared: Sequence[str]) -> str:
    """Groups without anybody, and groups that documents name and the catalogue does not."""
    told = []
    if empty:
        told.append(f"nobody belongs to {', '.join(empty)}: give them members under `groups` in the catalogue.")
    if undeclared:
        told.append(f"documents name {', '.join(undeclared)}, which the catalogue does not declare: nobody sees them.")
    return " ".join(told)


def groups_note(facts: str) -> str:
    """A line of `doctor` that is no fault, and worth knowing."""
    return f"note  groups: {facts}"


def groups_unusable(why: str) -> str:
    return f"{why} Until then the bot does not start."
