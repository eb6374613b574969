"""Text as Slack sends it made plain again: what people saw when they typed it."""

import html
import re

_MARKED = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


def as_typed(text: str) -> str:
    """Links as "label (address)", people and channels by their labels or ids, entities as characters."""
    return html.unescape(_MARKED.sub(_plain, text))


def _plain(match: re.Match[str]) -> str:
    target, label = match[1], match[2] or ""
    if target[:1] in ("@", "#"):
        return target[:1] + (label.lstrip("@#") or target[1:])
    if target[:1] == "!":
        return f"@{label.lstrip('@') or target[1:]}"
    return f"{label} ({target})" if label and label != target else target
