"""What rules the items of a list: the lead-in, the sentence before "Examples:", or the headings above."""

import re
from dataclasses import dataclass

from rag_core.answering.polarity import Clause, Effect, clauses_of
from rag_core.answering.subjects import has_content
from rag_core.answering.units import EXAMPLES, Unit

_NUMBER = r"\W*(?:[\dA-Z]+(?:\.\d+)*\.?\s+)?"
_BANS = re.compile(
    _NUMBER + r"(?:prohibited|not\s+(?:allowed|permitted|accepted|welcome|ok(?:ay)?|fine)|never\s+(?:allowed|accepted)"
    r"|banned|forbidden|unacceptable"
    r"|off[- ]limits|no-?gos?|disallowed|what\s+(?:we|you)\s+(?:can(?:no|['’])t|do(?:n['’]t|\s+not)"
    r"|never)\s+(?:\w+\s+)?"
    r"(?:take|accept|allow|run|carry|advertise|promote))\b(?!\s+(?:and|or|/)\s+restricted)",
    re.IGNORECASE,
)
_RESTRICTS = re.compile(_NUMBER + r"restricted\b(?!\s+(?:and|or|/)\s+prohibited)", re.IGNORECASE)
_ALLOWS = re.compile(
    _NUMBER + r"(?:(?:what(?:['’]s|\s+is)|always)\s+)?(?:allowed|permitted|accepted|welcome|ok(?:ay)?|fine|yes)\W*$",
    re.IGNORECASE,
)
_DONTS = re.compile(_NUMBER + r"(?:do\s+not|don['’]?t(?:['’]?s)?|please\s+don['’]?t|never)\W*$", re.IGNORECASE)
"""Headings of what not to do: an item that tells to advertise something bans that, another one a way of advertising."""

_SAYS_ITS_OWN = re.compile(
    r"\b(?:except\w*|exempt\w*|allowed|permitted|acceptable|eligible|definition\w*|what\s+is|what\s+counts|overview"
    r"|how\s+to|contact|help)\b",
    re.IGNORECASE,
)
"""Headings below "Prohibited content" whose items need not be prohibited."""

_OF_BANS = re.compile(
    r"\b(?:prohibit\w*|banned|forbidden|unacceptable|disallowed|violat\w+|(?:not|never"
    r"|n['’]t)\s+(?:\w+\s+)?(?:allow\w*|permit\w*|accept\w*))\b",
    re.IGNORECASE,
)
_OF_LIMITS = re.compile(r"\b(?:restrict\w*|allowed|permitted|acceptable|accepted|eligible)\b", re.IGNORECASE)

_LISTS = re.compile(r"^[^.:]*\binclude[sd]?\b[^.:]*:\s*$", re.IGNORECASE)
"""Such a lead-in ("These toys may include:") rules nothing itself."""

_ON_PLATFORM = re.compile(r"\s+(?:on|in|at|with)\s+(?-i:[A-Z])[\w-]*(?:\s+(?-i:[A-Z])[\w-]*)?$", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"\b(?:following|below)\b|\b(?:any|all|each|one)\s+of\s+(?:these|them)$|\b(?:includ\w+|such\s+as|like)$",
    re.IGNORECASE,
)
_LEADS_TO_THINGS = re.compile(r"\b(?:for|of|to|promot\w+|advertis\w+|ads?)$", re.IGNORECASE)
_LEADS_TO_PLACES = re.compile(r"\b(?:in|from|within)\s*:\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LeadIn:
    """`clause` rules the items, which are `examples` of what it is on; `of_heading`: a heading says it, so that what
    an item says itself goes before it."""

    clause: Clause | None
    examples: bool = False
    of_heading: bool = False
    to_places: bool = False

    @property
    def enumerates(self) -> bool:
        """Whether the items are the things or places that the lead-in speaks of: "The following are allowed:", "No ads
        for:", "Our ads are not available in:"."""
        if self.clause is None:
            return False
        subject = _ON_PLATFORM.sub("", self.clause.subject.strip(" :."))
        if _FOLLOWING.search(subject) and not self.clause.about_content:
            return True
        return not has_content(subject) and (not subject or self.to_places or bool(_LEADS_TO_THINGS.search(subject)))


def lead_in_of(unit: Unit) -> LeadIn:
    """What rules the items of `unit`: the lead-in, the sentence before "Examples:", a lead-in such as "Examples of
    prohibited toys:" itself, or a heading such as "Not allowed"."""
    texts = [quote.text for quote in unit.lead]
    examples = [text for text in texts if EXAMPLES.match(text)]
    if (ruled := _ruled_by_itself(examples)) is not None:
        return LeadIn(ruled, examples=True)
    spoken = [text for text in texts if not EXAMPLES.match(text)]
    leads = [text for text in spoken if text.rstrip().endswith(":")] or spoken
    found = [clause for text in leads for clause in clauses_of(text)[:1]]
    if examples and len({clause.effect for clause in found}) > 1:
        # of which of these sentences they are examples, only a heading can tell
        return LeadIn(_heading_clause(unit) if all(_is_strict(each) for each in found) else None, examples=True)
    if found:
        to_places = found[0].effect is Effect.PROHIBITS and bool(_LEADS_TO_PLACES.search(leads[0]))
        return LeadIn(found[0], bool(examples), to_places=to_places)
    listed = not spoken or bool(_LISTS.search(spoken[-1]))
    if (examples or listed) and (heading := _heading_clause(unit)) is not None:
        return LeadIn(heading, examples=True, of_heading=True)
    return LeadIn(None, bool(examples))


def _is_strict(clause: Clause) -> bool:
    return clause.effect is Effect.PROHIBITS or clause.about_content


def _ruled_by_itself(examples: list[str]) -> Clause | None:
    """ "Examples of prohibited toys:" says what its items are. What is allowed among them is so under conditions that
    such a line does not tell."""
    if any(_OF_BANS.search(text) for text in examples):
        return Clause(Effect.PROHIBITS, "")
    return Clause(Effect.RESTRICTS, "") if any(_OF_LIMITS.search(text) for text in examples) else None


def _heading_clause(unit: Unit) -> Clause | None:
    """What the nearest telling heading states of its items: "Prohibited content > Toys > Throwing toys"."""
    for heading in reversed(unit.passage.chunk.policy_path.split(" > ")):
        if _BANS.match(heading):
            return Clause(Effect.PROHIBITS, "")
        if _RESTRICTS.match(heading):
            return Clause(Effect.RESTRICTS, "")
        if _ALLOWS.match(heading):
            return Clause(Effect.ALLOWS, "")
        if _DONTS.match(heading):
            return Clause(Effect.RESTRICTS, "", about_content=True, negative=True)
        if _SAYS_ITS_OWN.search(heading):
            return None
    return None
