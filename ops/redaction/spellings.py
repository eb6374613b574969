"""How a secret may be spelled where it turns up."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus, unquote, urlsplit

SHORTEST = 4
"""A shorter value is not looked for: it stands in every other line by chance."""

_SHORTEST_PART = 6
"""Of base64: fewer characters are left of a short secret once what depends on its neighbours is cut off."""


def spellings(secrets: Iterable[str]) -> list[str]:
    """All to look for, the longest first: what holds another one is replaced as a whole."""
    found = {
        spelling
        for secret in secrets
        for part in _parts(secret.strip())
        for spelling in _spelled(part)
        if len(spelling) >= SHORTEST
    }
    return sorted(found, key=lambda each: (-len(each), each))


def _parts(secret: str) -> Iterator[str]:
    """The secret, each of several, and the passwords within addresses."""
    if len(secret) < SHORTEST:
        return
    yield secret
    for each in filter(None, (part.strip() for part in re.split(r"[,\n]", secret))):
        if "://" in each:
            yield from _of_address(each)
        elif each != secret:
            yield each


def _of_address(address: str) -> Iterator[str]:
    """Address without its scheme's driver, the login, the password as written and as meant."""
    yield address
    try:
        netloc, query = urlsplit(address).netloc, urlsplit(address).query
    except ValueError:  # a broken one: what stands before the last @
        netloc, query = address.partition("://")[2], ""
    login, at, _ = netloc.rpartition("@")
    if at:
        password = login.partition(":")[2]
        yield from filter(None, (login if password else "", password, unquote(password)))
    for member in query.split("&"):
        name, _, value = member.partition("=")
        if name.lower() in ("password", "sslpassword", "passfile", "token"):
            yield from filter(None, (value, unquote(value)))


def _spelled(text: str) -> Iterator[str]:
    yield text
    yield from (quote(text), quote(text, safe=""), quote_plus(text))
    yield from (each.lower() for each in (quote(text, safe=""),) if "%" in each)
    yield from (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1])
    yield from (html.escape(text), text[::-1] if len(text) >= 2 * SHORTEST else text)
    yield from _in_base64(text.encode("utf-8", "surrogatepass"))
    yield text.encode("utf-8", "surrogatepass").hex()


def _in_base64(value: bytes) -> Iterator[str]:
    """As it is spelled inside a longer text, wherever its bytes begin there."""
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + value).decode().rstrip("=")
        # characters that share bits with what stands before and behind are not always these
        first = (before * 8 + 5) // 6
        last = len(encoded) if (before + len(value)) % 3 == 0 else len(encoded) - 1
        part = encoded[first:last]
        if len(part) >= _SHORTEST_PART:
            yield part
            yield part.replace("+", "-").replace("/", "_")
