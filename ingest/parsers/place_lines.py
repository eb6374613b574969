"""Lines and labels that are nothing but names of places."""

import re

from rag_core.regions import find_regions, region_named

_CONNECTS = re.compile(r"[\s,;&/()*]|\b(?:and|or|the|only)\b", re.IGNORECASE)
_CODES_AS_LINES = frozenset({"US", "UK", "EU"})


def names_only_places(text: str) -> bool:
    """Whether `text` is one or several places' names and nothing else: "Sweden, Norway and Finland", "INDIA"."""
    mentions = find_regions(text)
    if not mentions and region_named(text) is not None:
        return True
    rest = list(text)
    for mention in mentions:
        rest[mention.start : mention.end] = " " * (mention.end - mention.start)
    return bool(mentions) and not _CONNECTS.sub("", "".join(rest))


def is_place_line(text: str) -> bool:
    """Whether `text`, alone on a line, is a place's name as a heading would be."""
    label = text.removesuffix(":")
    if not label[:1].isupper() or label.endswith("."):
        return False
    return region_named(label) is not None and (len(label) > 2 or label in _CODES_AS_LINES)
