"""Mark-up that is opened and never closed: no page shows what follows it."""

import re

from ingest.parsers.parsed import ParseWarning

_OPENED = re.compile(
    r"<(?:!--|\?|!\[CDATA\[|(script|style|textarea|template|select|iframe|noscript|title)(?![\w-]))", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")


def unclosed(markup: str) -> tuple[ParseWarning, ...]:
    """A warning "markup_unclosed" with the opening (markup) and how many words follow it; none where none do."""
    lowered, at = markup.lower(), 0
    while opened := _OPENED.search(markup, at):
        if opened[1]:
            at = lowered.find(f"</{opened[1].lower()}", opened.end())
        else:
            at = lowered.find("-->" if opened[0] == "<!--" else ">", opened.start() + 2)
        if at < 0:
            lost = len(_WORD.findall(_TAG.sub(" ", markup[opened.end() :])))
            return (ParseWarning("markup_unclosed", {"markup": opened[0], "words": lost}),) if lost else ()
    return ()
