"""What an attempt is, and when something came out."""

import html
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import unquote_plus

from tests.security.access.library import PUBLIC_WORD
from tests.security.access.people import Asker
from tests.security.access.world import Door, Secret, World

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_VOLATILE = frozenset(
    {
        *("answer_id", "timings_ms", "checked_at", "seen_at", "score", "confidence", "cosine", "reference"),
        *("change_id", "cursor"),  # numbers of all changes there are: see ops/docs/security.md
    }
)


class Proof(StrEnum):
    """What shows that an attempt is one: a member gets what is hidden; or, where nobody may, the asker gets something
    public; or nothing does, because what is asked says nothing of documents, or nobody at all is answered."""

    HIDDEN = "hidden"
    PUBLIC = "public"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to get the hidden version `of` out. `take`: all that comes back, as text. `said`: what the asker himself
    puts in, which is no news to him; nor is what those of `before_by` said `before`. `alike`: the same comes back where
    there are no hidden documents."""

    name: str
    of: str
    take: Callable[[Door], Awaitable[str]]
    said: str = ""
    proof: Proof = Proof.HIDDEN
    alike: bool = True
    before: str = ""
    before_by: frozenset[str] = frozenset()

    def own_words(self, asker: Asker) -> str:
        return f"{self.said} {self.before if asker.name in self.before_by else ''}"


HELD_APART = "\u2060"
"""What holds apart in a message what a client would read as more than text: a word with it is that word."""


@dataclass(frozen=True, slots=True)
class Road:
    """A way on which documents come out. `routes` of the web listener ("GET /x"), `intents` and `invokes` of Teams that
    it takes. `around`: what has to be so meanwhile."""

    name: str
    attempts: Callable[[World], Iterable[Attempt]]
    routes: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    invokes: tuple[str, ...] = ()
    around: Callable[[World], AbstractAsyncContextManager[World]] = nullcontext


@dataclass(frozen=True, slots=True)
class Leak:
    """What came out that should not have: words of hidden versions, or another reply than without them."""

    road: str
    attempt: str
    asker: str
    words: tuple[str, ...]
    reply: str


def plain(text: str) -> str:
    """`text` without the ways in which letters are written otherwise: JSON, HTML, addresses."""
    unescaped = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return html.unescape(unquote_plus(unescaped)).casefold() + "\n" + text.casefold()


def words_out(text: str, secrets: Iterable[Secret], said: str) -> tuple[str, ...]:
    """The words of `secrets` that stand in `text`, apart from those that the asker `said`."""
    shown, own = plain(text), plain(said)
    return tuple(sorted({word for secret in secrets for word in secret.words if word in shown and word not in own}))


def is_public(text: str) -> bool:
    return PUBLIC_WORD in plain(text)


def settled(text: str) -> str:
    """A reply without what differs from one time to the next."""
    whole = _settled_line(text) if text.startswith("{") else text
    return whole if whole != text else "\n".join(_settled_line(line) for line in text.splitlines())


def _settled_line(line: str) -> str:
    head, _, rest = line.partition("data: ") if line.startswith("data: ") else ("", "", line)
    try:
        return head + json.dumps(_without_volatile(json.loads(rest)), sort_keys=True)
    except ValueError:
        return line


def _without_volatile(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_volatile(each) for key, each in value.items() if key not in _VOLATILE}
    return [_without_volatile(each) for each in value] if isinstance(value, list) else value
