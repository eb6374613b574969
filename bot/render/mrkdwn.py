"""Slack's mrkdwn: text that was written by others made inert, and links made whole.

Slack has no escape for its formatting characters, so those that would format are replaced by look-alikes, as
jsx-slack does: a zero-width character beside them is a word border to Slack, and would start formatting inside words.
"""

import re
from collections.abc import Callable

from bot.model.visible import clean, one_line, shorten

LONGEST_LINK = 1_500
"""Characters of an address that is still shown as a link: a section takes 3,000 in all."""

_LOOK_ALIKES = str.maketrans({"*": "∗", "~": "∼", "`": "ˋ", "＊": "∗", "～": "∼", "｀": "ˋ"})
_EMPHASIS_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)|(?<=_)_|_(?=_)|＿")
_QUOTE_AT_START = re.compile(r"(?m)^(\s*)(?=&gt;|＞)")
_EMOJI = re.compile(r":(?=[\w+'-]+:)")
_BROADCAST = re.compile(r"[@＠](?=(?:channel|here|everyone)\b)", re.IGNORECASE)
_JOINER = "\u2060"
_SOFT_HYPHEN = "\u00ad"

_SCHEME = re.compile(r"(?<=:)//")
_DOT_IN_NAME = re.compile(r"(?<=\w)\.(?=[^\W\d_]{2})")
_AT_IN_ADDRESS = re.compile(r"(?<=\w)@(?=\w)")


def escape(text: str) -> str:
    """`text` so that Slack shows it and does nothing else: no formatting, mention, link, emoji or quote block."""
    escaped = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = _EMPHASIS_UNDERSCORE.sub("ˍ", escaped.translate(_LOOK_ALIKES))
    escaped = _QUOTE_AT_START.sub(rf"\1{_SOFT_HYPHEN}", escaped)
    return _BROADCAST.sub(rf"\g<0>{_JOINER}", _EMOJI.sub(rf":{_JOINER}", escaped))


def escape_unlinked(text: str) -> str:
    """`escape`, and addresses broken up: for a message's `text`, which has no `verbatim` to keep Slack from linking."""
    return unlinked(escape(text))


def unlinked(text: str) -> str:
    """`text` with whatever a client would make a link of broken up by characters that nobody sees."""
    broken = _SCHEME.sub(f"{_JOINER}//", text)
    broken = _DOT_IN_NAME.sub(f".{_JOINER}", broken)
    return _AT_IN_ADDRESS.sub(f"@{_JOINER}", broken)


def shortened(text: str, limit: int, escaped: Callable[[str], str] = escape) -> str:
    """`text` on one line and escaped, cut at a word's end so that it has at most `limit` characters escaped."""
    plain = one_line(text)
    while len(shown := escaped(plain)) > limit:
        plain = shorten(plain, max(1, min(limit, len(plain) * 3 // 4)))
    return shown


def bold(text: str) -> str:
    """`text`, escaped, in bold."""
    return f"*{escape(text).strip()}*"


def link(url: str, label: str, limit: int = 300) -> str:
    """A link with an escaped label of at most `limit` characters; the label alone if the address is too long."""
    shown = shortened(label.replace("|", "¦"), limit)
    address = url.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"<{address}|{shown}>" if len(address) <= LONGEST_LINK else shown


def pieces(text: str, limit: int) -> list[str]:
    """`text` cut at spaces into escaped pieces of at most `limit` characters each."""
    escaped = escape(text)
    if len(escaped) <= limit or len(text) < 2:
        return [escaped] if escaped else []
    middle = len(text) // 2
    border = text.rfind(" ", 1, middle + 1)
    cut = border if border > 0 else middle
    return [*pieces(text[:cut].strip(), limit), *pieces(text[cut:].strip(), limit)]
