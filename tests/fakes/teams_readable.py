"""What a person can read in a message of Slack's and in a card of Teams': the words, without what only formats."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_SLACK_LINK = re.compile(r"<(?:https?:[^|>]*)\|([^>]*)>")
_TEAMS_LINK = re.compile(r"\[((?:[^\]\[]|\[[^\]]*\])*)\]\(https?:[^)]*\)")
_MENTION = re.compile(r"<[@#!][^>]*>")
_WORD = re.compile(r"[^\W_]+")


def words_in_slack(message: Mapping[str, Any]) -> set[str]:
    """Of the blocks of a message, or of a modal."""
    return set(said_in_slack(message).split())


def words_in_teams(message: Mapping[str, Any]) -> set[str]:
    """Of its card: texts, runs, buttons."""
    return set(said_in_teams(message).split())


def said_in_slack(message: Mapping[str, Any]) -> str:
    """The words in the order in which they are read."""
    return spelled(*(_MENTION.sub(" ", _SLACK_LINK.sub(r"\1", each)) for each in _texts(message["blocks"], ("text",))))


def said_in_teams(message: Mapping[str, Any]) -> str:
    [attached] = message["attachments"]
    return spelled(*(_TEAMS_LINK.sub(r"\1", each) for each in _texts(attached["content"], ("text", "title"))))


def spelled(*texts: str) -> str:
    """Words in small letters, a space between them."""
    plain = " ".join(texts).replace("\u2060", "").replace("\u00ad", "")
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return " ".join(each.lower() for each in _WORD.findall(plain))


def _texts(value: object, names: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key in names and isinstance(each, str):
                yield each
            elif key not in ("value", "data", "confirm", "url"):
                yield from _texts(each, names)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, names)


def weight(message: Mapping[str, object]) -> int:
    """Bytes of UTF-16, as JSON."""
    return len(json.dumps(dict(message), ensure_ascii=False).encode("utf-16-le"))
