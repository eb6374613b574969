"""Takes secrets out of texts and values."""

import re
from collections.abc import Iterable, Mapping
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

    def nested(self, value: Any, depth: int = 0) -> Any:
        """Mappings and sequences with every text in them redacted, keys too. What is deeper than anybody nests becomes
        its redacted text."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping) and depth < _DEEPEST:
            return {self._key(key): self._member(key, each, depth) for key, each in value.items()}
        if isinstance(value, list | tuple | set | frozenset) and depth < _DEEPEST:
            return [self.nested(each, depth + 1) for each in value]
        if isinstance(value, bytes | bytearray):
            return self.text(bytes(value).decode("utf-8", "replace"))
        return self.text(str(value))

    def _key(self, key: Any) -> Any:
        return self.text(key) if isinstance(key, str) else key

    def _member(self, key: Any, value: Any, depth: int) -> Any:
        if isinstance(key, str) and isinstance(value, str | bytes) and value and _SECRET_KEY.search(key):
            return REDACTED
        return self.nested(value, depth + 1)
