"""What the wording of a line shows: rule numbers, cross references, a short label."""

import re

UNITS = "MB|KB|GB|TB|USD|EUR|GBP|Mbps|MHz|GHz|ABV|[AP]M|[AP]\\.M"
_RULE = re.compile(
    rf"^(?:(?:Rule|Section|Article|Clause|§)\s*(?P<named>(?>\d+(?:\.\d+)*[a-z]?))(?=\s*[:–—-]|\.\s|\s*$|\s+[“\"'(]?[A-Z])"
    rf"|(?P<dotted>\d{{1,3}}(?:\.\d{{1,3}})+)[.)]?\s+(?!(?:{UNITS})\b)(?=[“\"'(]?[A-Z]))"
)
_NUMBERED_HEADING = re.compile(r"^(\d{1,3})[.)]\s+(?=\S)")
_CROSS_REFERENCE = re.compile(
    r"\b(?:see(?:\s+also|\s+section)?\s+(?:our|the|section|rule|below|above|[“\"(]?(?-i:[A-Z]))"
    r"|(?:section|rule|clause|article|paragraph)s?\s+\d+(?:\.\d+)*"
    r"|(?:refer|according|subject)\s+to\s+(?:our|the|section|rule)\b[^.]{0,60}\b(?:polic|guideline|section|rule|terms)"
    r"|(?:under|follow|comply with|meet)\s+(?:our\s|section\s|rule\s|\d+\.\d+)"
    r"|rules?\s+(?:above|below)|as described (?:in|above|below)"
    r"|(?:listed|described|outlined|set out)\s+(?:above|below|in\s+(?:our|the|section)))",
    re.IGNORECASE,
)
_MOST_WORDS = 15


def rule_number(line: str, *, heading: bool = False) -> str | None:
    """The number of the rule that begins `line`: "4.2", "9.12" of "Rule 9.12"; of a heading also "5" of "5. Fees"."""
    match = _RULE.match(line)
    if match:
        return match["named"] or match["dotted"]
    numbered = _NUMBERED_HEADING.match(line) if heading else None
    return numbered[1] if numbered else None


def has_cross_reference(text: str) -> bool:
    """Whether `text` sends the reader to another section or policy."""
    return _CROSS_REFERENCE.search(text) is not None


def summary(section: str, text: str) -> str:
    """A label of at most 15 words: the section's title and the first words of its text."""
    words = re.sub(r"[|#*\\]|---", " ", text).split()
    title = section.split()[: _MOST_WORDS - 5]
    room = _MOST_WORDS - len(title)
    label = " ".join(words[:room]).removeprefix("- ")
    cut = label + "…" if len(words) > room else label
    return f"{' '.join(title)}: {cut}" if title and label else " ".join([*title, cut]).strip()
