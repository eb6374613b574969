"""How the catalogue writes the operator's groups, and who belongs to them."""

import re

GROUP_NAME = r"^[a-z0-9][a-z0-9_-]*$"

_MEMBER = re.compile(
    r"(?:slack:[A-Z0-9]+/(?:usergroup|channel|user)/[A-Z0-9]+|entra:[\w.-]+/[0-9a-fA-F-]{36}|oidc:\S+)"
)


def group_member(value: str) -> str:
    """The id of a platform's group, channel or person. Raises ValueError for anything else."""
    if _MEMBER.fullmatch(value) is None:
        raise ValueError(
            f"{value!r} is no group of a platform; write slack:TEAM/usergroup/ID, slack:TEAM/channel/ID, "
            "entra:TENANT/GUID or oidc:NAME"
        )
    return value
