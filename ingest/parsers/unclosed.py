"""Mark-up that is opened and never closed: no page shows what follows it."""

import re

from ingest.parsers.parsed import ParseWarning

_OPENED = re.compile(
    r"<(?:!--|\?|!\[CDATA\[|(script|style|textarea|template|select|iframe|noscript)(?![\w-]))",
    re.IGNORECASE | re.ASCII,
)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")


def unclosed(markup: str) -> tuple[ParseWarning, ...]:
    """A warning "markup_unclosed" with the opening (markup) and how many words follow it; none where none do."""
    at = 0
    while opened := _OPENED.search(markup, at):
        at = _closed(markup, opened)
        if at < 0:
            rest = markup[opened.start() if opened[1] else opened.end() :]
            lost = len(_WORD.findall(_TAG.sub(" ", rest)))
            return (ParseWarning("markup_unclosed", {"markup": opened[0], "words": lost}),) if lost else ()
    return ()


def _closed(markup: str, opened: re.Match[str]) -> int:
    """Where what was opened ends, or -1."""
    if not opened[1]:
        return markup.find("-->" if opened[0] == "<!--" else ">", opened.start() + 2)
    closing = re.compile(f"</{opened[1]}", re.IGNORECASE | re.ASCII).search(markup, opened.end())
    return closing.start() if closing else -1
