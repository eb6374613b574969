"""Takes secrets out of texts and values."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
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


REDACTED = "[redacted]"

_KEEP_FIRST = rf"\g<1>{REDACTED}"


@dataclass(frozen=True, slots=True)
class Shape:
    """`hints`: one of them, in lower case, stands in every text that has such a secret."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str = REDACTED


def _shape(name: str, hints: tuple[str, ...], pattern: str, replacement: str = REDACTED) -> Shape:
    return Shape(name, hints, re.compile(pattern), replacement)


_NAMES_OF_MEMBERS = (
    r"(?:access_?|refresh_?|id_?|bot_?|client_?|api_?|secret_?|auth_?|session_?|signing_?|x-amz-)?-?"
    r"(?:token|secret|password|passwd|pwd|key|signature|credential|assertion|code)"
)

SHAPES = (
    _shape(
        "private key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\:,.-]*",
    ),
    _shape("slack token", ("xox", "xapp-"), r"\b(?:xox[a-z]\.)?(?:xox[a-z]|xapp)-[A-Za-z0-9._-]{4,}"),
    _shape("slack signature", ("v0=",), r"\bv0=[0-9a-fA-F]{16,}"),
    _shape(
        "slack address",
        ("hooks.slack",),
        r"""(?i)(\bhooks\.slack(?:-gov)?\.com)[^\s"'<>\\]+""",
        _KEEP_FIRST,
    ),
    _shape("jwt", ("eyj",), r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}"),
    _shape("own token", ("adpolicy_",), r"\badpolicy_(?=[a-z_-]{0,100}[0-9A-Z])[A-Za-z0-9_-]{16,}"),
    _shape("fernet token", ("gaaaa",), r"gAAAA[A-Za-z0-9_-]{20,}={0,2}"),
    _shape("32 bytes in base64", ("=",), r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{43}=(?![A-Za-z0-9+/=])"),
    _shape("model key", ("sk-",), r"\bsk-[A-Za-z0-9_-]{12,}"),
    _shape("aws key", ("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _shape("github token", ("gh", "github_pat_"), r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    _shape("other key", ("aiza", "hf_", "glpat-"), r"\b(?:AIza|hf_|glpat-)[A-Za-z0-9_-]{20,}"),
    _shape(
        "header",
        ("authorization", "cookie", "x-slack-signature", "x-api-key", "x-amz-security-token"),
        r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-slack-signature|x-api-key|x-amz-security-token)"
        r"""(["']{0,2}\s{0,3}[:=,]\s{0,3}[bB]?["']?)[^"'\r\n\\]+""",
        rf"\g<1>\g<2>{REDACTED}",
    ),
    _shape("bearer", ("bearer",), r"(?i)\b(bearer\s{1,3})[A-Za-z0-9._~+/=-]{6,}", _KEEP_FIRST),
    _shape("basic", ("basic",), r"\b([Bb]asic\s{1,3})(?=[a-z+/]{0,200}[0-9A-Z=])[A-Za-z0-9+/]{6,}={0,2}", _KEEP_FIRST),
    _shape(
        "login in an address",
        ("://", "%3a%2f%2f"),
        r"""(?i)((?::|%3a)(?:/|%2f){2})[^\s/?#"'<>%]{1,300}(?:%[0-9a-f]{2}[^\s/?#"'<>%]{0,300}){0,50}(?:@|%40)""",
        rf"\g<1>{REDACTED}@",
    ),
    _shape(
        "member of an address",
        ("?", "&", "="),
        rf"""(?i)([?&;]{_NAMES_OF_MEMBERS}=)(?!\[redacted)[^&\s"'<>\\;]+""",
        _KEEP_FIRST,
    ),
    _shape(
        "named value",
        ("password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "pwd"),
        r"(?i)((?<![a-z])(?:[a-z]{1,20}[_-]){0,3}(?:password|passwd|pwd|secret|token|api[_-]?key)"
        r"""["']{0,2}\s{0,2}[=:]\s{0,2}[bB]?["']?)(?!\[redacted)[^\s"',;&)}\]\\]{3,}""",
        _KEEP_FIRST,
    ),
)


def without_shapes(text: str) -> str:
    """`text` with everything that looks like a secret replaced."""
    lowered = text.lower()
    for shape in SHAPES:
        if any(hint in lowered for hint in shape.hints):
            text = shape.pattern.sub(shape.replacement, text)
    return text


_WHOLE_BELOW = 8
"""A shorter spelling counts only as a word of its own: "local" is no part of "locally"."""

_SECRET_KEY = re.compile(
    r"(?i)(?:^|[_.\-\s])(?:password|passwd|pwd|secret|token|authorization|cookie|api_?key|credentials?|"
    r"private_?key|secret_?key|signature|response_url|reply_address)$"
)
_DEEPEST = 12


class Redactor:
    """Pure, and the same for every thread. `secrets`: values of this process, in whatever form they may turn up."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        every = spellings(secrets)
        self._long = tuple(each for each in every if len(each) >= _WHOLE_BELOW)
        short = [re.escape(each) for each in every if len(each) < _WHOLE_BELOW]
        self._short = re.compile(rf"(?<!\w)(?:{'|'.join(short)})(?!\w)") if short else None

    def text(self, text: str) -> str:
        """Without the values and without what looks like a secret."""
        return without_shapes(self.values(text))

    def values(self, text: str) -> str:
        """Without the values only: for texts that may speak of tokens."""
        for secret in self._long:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return self._short.sub(REDACTED, text) if self._short else text

    def nested(self, value: Any) -> Any:
        """Mappings and sequences with every text in them redacted, keys too. What is deeper than anybody nests becomes
        its redacted text. Where there is nothing to redact, the value itself."""
        texts: list[str] = []
        if _gather(value, texts, 0):
            together = "\n".join(texts)
            if self.text(together) == together:  # once for all of them: most lines hold nothing
                return value
        return self._nested(value, 0)

    def _nested(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping) and depth < _DEEPEST:
            return {self._key(key): self._member(key, each, depth) for key, each in value.items()}
        if isinstance(value, list | tuple | set | frozenset) and depth < _DEEPEST:
            return [self._nested(each, depth + 1) for each in value]
        return self.text(_as_text(value))

    def _key(self, key: Any) -> Any:
        return self.text(key) if isinstance(key, str) else key

    def _member(self, key: Any, value: Any, depth: int) -> Any:
        return self._nested(value, depth + 1) if _is_open(key, value) else REDACTED


def _gather(value: Any, texts: list[str], depth: int) -> bool:
    """Adds every text there is to `texts`; False where more than texts must be looked at."""
    if value is None or isinstance(value, bool | int | float):
        return True
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        texts.append(_as_text(value))
        return True
    if depth >= _DEEPEST:
        return False
    if isinstance(value, Mapping):
        texts.extend(key for key in value if isinstance(key, str))
        return all(_is_open(key, each) and _gather(each, texts, depth + 1) for key, each in value.items())
    return all(_gather(each, texts, depth + 1) for each in value)


def _is_open(key: Any, value: Any) -> bool:
    return not (isinstance(key, str) and isinstance(value, str | bytes) and value and _names_a_secret(key))


def _as_text(value: Any) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, bytes | bytearray) else str(value)


@lru_cache(maxsize=1_024)
def _names_a_secret(key: str) -> bool:
    """Keys of events are always the same few."""
    return bool(_SECRET_KEY.search(key))
