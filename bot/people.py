"""People as operators write them: `slack:T1/U1`, `rest:NAME`, `oidc:SUBJECT`, `account:NAME`."""

import re

from bot.messages import Actor
from bot.record.entries import INSTALLATION
from rag_core.errors import Rejected

ACCOUNT = "account"
"""Operators: accounts of the machines on which commands were run. They are on record, and ask nothing."""

_IN_WORKSPACES = frozenset({"slack", "teams"})
_OF_THE_API = frozenset({"rest", "web", "terminal"})
_LOCAL = "local"
_OBJECT_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""Of a person in Entra: kept in small letters, as tenants are."""

FORMS = "slack:TEAM/USER, teams:TENANT/USER, rest:NAME, oidc:SUBJECT, terminal:NAME or account:NAME"


def actor_from(text: str) -> Actor:
    """Who is meant. Raises Rejected("person_unreadable", person, forms)."""
    platform, _, rest = text.strip().partition(":")
    if platform in _IN_WORKSPACES:
        workspace, _, person = rest.partition("/")
        if platform == "teams":
            workspace, person = workspace.lower(), person.lower() if _OBJECT_ID.fullmatch(person) else person
    elif platform == "oidc":
        workspace, person = _LOCAL, text.strip() if rest else ""
    else:
        workspace, person = (INSTALLATION if platform == ACCOUNT else _LOCAL), rest
    known = platform in _IN_WORKSPACES | _OF_THE_API | {"oidc", ACCOUNT}
    if not (known and workspace and person):
        raise Rejected("person_unreadable", person=text, forms=FORMS)
    return Actor("rest" if platform in ("oidc", "web") else platform, workspace, person)
