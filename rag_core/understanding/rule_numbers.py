"""The rule or section that a question asks for by its number: "rule 4.2", "section 3.1(b)", "§ 7"."""

import re
from dataclasses import dataclass

_NUMBER = r"\d{1,3}(?:\.\d{1,3})*(?:\s?\([a-z0-9]{1,3}\)|[a-z](?![a-z]))?"
_ASKED = re.compile(
    rf"(?:\b(?:rule|section|clause|paragraph|para|article|chapter|point|guideline|policy|subsection|sub-section|item)s?"
    rf"\s*(?:no\.?|number|nr\.?|\#)?|§+)\s*(?P<number>{_NUMBER})(?![\w%+]|\.\d|\s*(?:years?|yrs?|days?|hours?|min(?:ute)?s?|sec(?:ond)?s?|percent|pm|am|countries|or\s+(?:older|over|more))\b)"
    rf"|^\W*(?P<bare>\d{{1,3}}(?:\.\d{{1,3}})+[a-z]?)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RuleMention:
    """A rule's number as it is looked up ("4.2", "3.1(b)"), with the offsets of the words that name it."""

    number: str
    start: int
    end: int


def find_rule_number(text: str) -> RuleMention | None:
    """The first rule that `text` asks for by its number."""
    match = _ASKED.search(text)
    if match is None:
        return None
    number = re.sub(r"\s", "", match["number"] or match["bare"]).lower()
    return RuleMention(number, match.start(), match.end())
