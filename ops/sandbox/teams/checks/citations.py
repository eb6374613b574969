"""Entities of a message: citations and labels, mentions ("Enhance AI-generated bot messages")."""

import re
from collections.abc import Mapping

from ops.sandbox.teams.messages import objects
from ops.sandbox.teams.refusals import TeamsRefusal, bad_argument

MESSAGE = "https://schema.org/Message"
MOST_CITATIONS = 20
MOST_NAME = 80
MOST_ABSTRACT = 160
MOST_KEYWORDS = 3
MOST_KEYWORD = 28
_CITED = re.compile(r"\[(\d+)\]")
_KNOWN = frozenset({"mention", "clientInfo", "streaminfo", "ProductInfo", MESSAGE})


def check_entities(entities: object, text: str) -> None:
    if entities is None:
        return
    if not isinstance(entities, list) or not all(isinstance(each, dict) for each in entities):
        raise bad_argument("entities must be a list of objects")
    for each in entities:
        if each.get("type") not in _KNOWN:
            raise bad_argument(f"Unknown entity type {each.get('type')}")
        if each.get("type") == "mention":
            _check_mention(each, text)
    roots = [each for each in entities if each.get("type") == MESSAGE]
    if len(roots) > 1:
        raise bad_argument("Multiple root message entities found under entities array")
    if roots:
        _check_root(roots[0], text)


def _check_mention(entity: Mapping[str, object], text: str) -> None:
    said, mentioned = str(entity.get("text") or ""), entity.get("mentioned")
    if not said or said not in text or not isinstance(mentioned, dict) or not mentioned.get("id"):
        raise bad_argument("The text of a mention must stand in the text of the message")


def _check_root(entity: Mapping[str, object], text: str) -> None:
    if entity.get("@type") != "Message" or entity.get("@context") != "https://schema.org":
        raise bad_argument("Error parsing message entity from entities array")
    if entity.get("additionalType", ["AIGeneratedContent"]) not in (["AIGeneratedContent"], []):
        raise bad_argument("additionalType must be AIGeneratedContent")
    citations = entity.get("citation", [])
    if not isinstance(citations, list) or len(objects(citations)) != len(citations):
        raise bad_argument("Error parsing message entity from entities array")
    if len(citations) > MOST_CITATIONS:
        raise bad_argument(f"Bot message with more than {MOST_CITATIONS} citations")
    shown, seen = _positions(text), set[int]()
    for each in citations:
        position = each.get("position")
        if not isinstance(position, int) or isinstance(position, bool) or position < 1 or position in seen:
            raise _unparsable(position)
        seen.add(position)
        if position not in shown:
            raise bad_argument(f"Citation {position} is not in the text as [{position}]")
        _check_citation(each, position)


def _positions(text: str) -> set[int]:
    """Numbers in brackets; those in a table are not shown as citations."""
    lines = [each for each in text.splitlines() if not each.lstrip().startswith("|")]
    return {int(each) for line in lines for each in _CITED.findall(line)}


def _check_citation(citation: Mapping[str, object], position: int) -> None:
    appearance = citation.get("appearance")
    if not isinstance(appearance, dict) or not appearance:
        raise bad_argument("The appearance object is empty")
    name, abstract, url = (appearance.get(each) for each in ("name", "abstract", "url"))
    keywords = appearance.get("keywords", [])
    is_right = (
        citation.get("@type") == "Claim"
        and appearance.get("@type") == "DigitalDocument"
        and isinstance(name, str)
        and 1 <= len(name) <= MOST_NAME
        and (abstract is None or (isinstance(abstract, str) and len(abstract) <= MOST_ABSTRACT))
        and (url is None or (isinstance(url, str) and url.startswith(("https://", "http://"))))
        and isinstance(keywords, list)
        and len(keywords) <= MOST_KEYWORDS
        and all(isinstance(each, str) and len(each) <= MOST_KEYWORD for each in keywords)
        and appearance.get("encodingFormat", _CARD) == _CARD
    )
    if not is_right:
        raise _unparsable(position)


def _unparsable(position: object) -> TeamsRefusal:
    return bad_argument(f"Error while parsing citation entity with ID: {position}")


_CARD = "application/vnd.microsoft.card.adaptive"
