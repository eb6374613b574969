"""Takes secrets out of texts and values."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ops.redaction.shapes import REDACTED, without_shapes
from ops.redaction.spellings import spellings

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
