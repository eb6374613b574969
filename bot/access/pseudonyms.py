"""Pseudonyms: a keyed hash of a platform's own ids, and people as operators write them.

The record's personal fields and questions that are still being answered hold the ids themselves; everything else a
pseudonym.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.audit.entries import INSTALLATION
from bot.model.messages import Actor, Conversation
from rag_core.errors import Rejected

KEY_BYTES = 32

_PSEUDONYM = re.compile(r"p1:[0-9a-f]{64}")

_SAME_PEOPLE: Mapping[str, str] = {"web": "rest"}
"""Platforms whose people are those of another one: the web pages know them as the API does."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """With the same key the same person has the same pseudonym, in all processes; without the key nobody can try ids
    until one fits."""

    key: bytes = field(repr=False)

    def of(self, actor: Actor) -> str:
        """HMAC-SHA256 over platform, workspace and person, as "p1:" and 64 hexadecimal digits."""
        told = json.dumps([_people_of(actor.platform), actor.workspace, actor.person]).encode()
        return f"p1:{hmac.new(self.key, told, hashlib.sha256).hexdigest()}"

    def named(self, actor: Actor) -> Actor:
        """The actor with a pseudonym in the place of the person, the same on all platforms with the same people."""
        return replace(actor, platform=_people_of(actor.platform), person=self.of(actor))

    def place(self, conversation: Conversation, actor: Actor) -> Conversation:
        """Where `actor` asks; a conversation that is kept under the person's own id is kept under the pseudonym."""
        if conversation.channel != actor.person:
            return conversation
        return replace(conversation, channel=self.of(actor))


def _people_of(platform: str) -> str:
    return _SAME_PEOPLE.get(platform, platform)


def is_pseudonym(person: str) -> bool:
    """Whether `Pseudonyms.of` made it."""
    return _PSEUDONYM.fullmatch(person) is not None


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
