"""A regular expression for any of many names."""

import re
from collections.abc import Iterable


def longest_of(names: Iterable[str]) -> str:
    """A pattern for the longest of `names` that fits, letter by letter.

    Names tried one after the other at every word, five hundred of them, took half of the time that a chunk took.
    """
    following: dict[str, list[str]] = {}
    for name in names:
        following.setdefault(name[:1], []).append(name[1:])
    ends = following.pop("", None) is not None
    branches = [re.escape(letter) + longest_of(rest) for letter, rest in sorted(following.items())]
    if not ends and len(branches) == 1:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}" if branches else ""
