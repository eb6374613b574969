"""Who somebody is, where nobody needs to know it: a keyed hash of the platform's own ids.

The record's personal fields and questions that are still being answered hold the ids themselves; everything else a
pseudonym.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.messages import Actor, Conversation

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
