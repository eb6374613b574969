"""The answer to a question that a heading asks: "Can I advertise kites?" > "No, not anywhere."."""

import re

from rag_core.answering.polarity import Clause, Effect, clauses_of, split_exception
from rag_core.answering.units import Unit, UnitKind

_GOOD = r"(?:allowed|permitted|accepted|acceptable|ok(?:ay)?|fine|welcome|possible|eligible)"
_WHETHER = re.compile(
    r"^(?!.*\b(?:prohibited|banned|forbidden|restricted|refused|rejected|not|need|have\s+to|must|require\w*|limits?"
    r"|who|when|where|why|which|how)\b)(?!.*n['’]t\b)"
    r"\W*(?:(?:\d+(?:\.\d+)*|q\d*)[.:)]?\s+)?(?:(?:so|and|but)[,\s]+)?"
    r"(?:(?:can|may|could|should)\s+(?:i|we|you|one|an?|my|our|the|advertisers|ads?|\w+s)\b"
    r"|(?:do|does|will|would)\s+(?:you|\w+)\s+(?:\w+\s+)?(?:take|accept|allow|run|carry|permit|publish|show|sell)\b"
    rf"|(?:is|are)\b.*\b{_GOOD}\b|(?:what|how)\s+about\b|[\w-]+(?:\s+[\w-]+){{0,4}}\?\W*$)",
    re.IGNORECASE,
)
"""A heading that asks whether something may be advertised; one that asks whether it is forbidden, or what is needed, is
none: a "yes" to it is no permission."""

_NO = re.compile(
    r"^\W*(?:(?:i['’]?m\s+)?(?:sorry|afraid)\W+)?(?:no|nope|never|not\s+(?:on|in|with|here|at|anywhere|any\s+more"
    r"|yet|now|for)\b|unfortunately\s+not|absolutely\s+not|certainly\s+not)(?=\W|\s|$)(?P<more>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_OF_SOMETHING = re.compile(r"^\s+(?:[\w-]+)", re.IGNORECASE)
_YES = re.compile(
    r"^\W*(?:yes|yep|sure|of\s+course|certainly|absolutely|you\s+can)\b(?P<more>.*)", re.IGNORECASE | re.DOTALL
)
_ONLY = re.compile(
    r"^\W*(?:only\b|it\s+depends|that\s+depends|in\s+(?:some|certain|most)\b|mostly|sometimes|partly|on\s+condition"
    r"|with\s+(?:our|prior)\b|if\b|as\s+long\s+as\b)",
    re.IGNORECASE,
)
_NOTHING_MORE = re.compile(
    r"^\W*(?:you\s+can|they\s+are|it\s+is|they['’]re|it['’]s|gladly|always|everywhere|in\s+(?:all|every"
    r"|any)\s+\w+)?\W*$",
    re.IGNORECASE,
)
_LEAVES_ROOM = re.compile(
    r"\b(?:unless|if|when|where|without|only|until|except\w*|must|needs?|require\w*|provided|as\s+long\s+as|ha(?:s"
    r"|ve)\s+to)\b",
    re.IGNORECASE,
)
_FROM_START = 3


def asked_by_heading(unit: Unit) -> bool:
    """Whether the innermost heading asks whether something may be advertised."""
    heading = unit.passage.chunk.policy_path.split(" > ")[-1].strip()
    return heading.endswith("?") and bool(_WHETHER.match(heading))


def answer_of(unit: Unit) -> Clause | None:
    """What the first words of the first sentence below such a heading rule of what the heading asks about; None where
    the unit is another one. A "yes" with anything behind it is a yes with a condition, or leaves that to what it says.
    """
    if unit.kind is not UnitKind.SENTENCE or not _is_first(unit) or not asked_by_heading(unit):
        return None
    first = unit.body[0].text
    if _ONLY.match(first):
        return Clause(Effect.RESTRICTS, "")
    if (no := _NO.match(first)) and not (
        first.strip().lower().startswith("no ") and _NO_OF_SOMETHING.match(no["more"])
    ):
        _, excepted = split_exception(no["more"])
        effect = Effect.RESTRICTS if _LEAVES_ROOM.search(no["more"]) else Effect.PROHIBITS
        return Clause(effect, "", exception=excepted)
    if yes := _YES.match(first):
        return _yes(unit, yes["more"])
    return None


def _yes(unit: Unit, more: str) -> Clause:
    behind = [clause for quote in unit.body[1:] for clause in clauses_of(quote.text)]
    plain = _NOTHING_MORE.match(more) or any(each.effect is Effect.ALLOWS for each in clauses_of(more.strip(" ,.:–-")))
    limited = any(each.effect is not Effect.ALLOWS for each in behind) or any(
        _LEAVES_ROOM.search(quote.text) for quote in unit.body[1:]
    )
    return Clause(Effect.ALLOWS if plain and not limited else Effect.RESTRICTS, "")


def _is_first(unit: Unit) -> bool:
    return not unit.lead and not unit.passage.chunk.chunk_text[: unit.body[0].start].strip(" \n\r\t#*_>-")
