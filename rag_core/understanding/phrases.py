"""Which words of a question say what it is about, and which only tell more of it or of its circumstances.

"A small family-run hotel chain" is about hotels; "car insurance" about a kind of insurance. A rule that speaks of
insurance bears on car insurance, one that speaks of cars does not: what a phrase is about stands last in it.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from rag_core.place_names import ADJECTIVES
from rag_core.questions import QueryTerm
from rag_core.understanding.words import stem

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PARTS = re.compile(r"[^\w\s/-]")

CIRCUMSTANCES = frozenset(
    stem(word)
    for word in """
    shop shops store stores chain chains retailer retailers outlet outlets dealer dealers dealership vendor vendors
    seller sellers supplier suppliers provider providers operator operators firm firms maker makers manufacturer
    manufacturers producer producers distributor distributors importer importers wholesaler startup startups start-up
    merchant merchants portal portals franchise group organisation organisations organization organizations office
    branch centre centres center centers clinic clinics practice broker brokers advisor advisors adviser advisers
    consultant consultants specialist specialists expert experts
    channel channels bot bots newsletter newsletters blog blogs podcast podcasts webshop eshop e-shop ecommerce
    e-commerce homepage domain affiliate affiliates link links sale sales direct style category industry vertical
    adults men women guys ladies students seniors pensioners punters gamers fans players parents families
    professionals freelancers expats tourists travellers travelers shoppers consumers buyers subscribers viewers
    readers visitors members citizens locals millennials owners
    small big large little local best cheap cheapest premium luxury exclusive popular famous great quality top leading
    trusted independent family-run handmade fresh modern trendy cool fun limited-edition special seasonal summer winter
    spring autumn christmas easter upcoming quick simple serious normal regular standard general typical ordinary common
    various whole entire certain particular well-known renowned established traditional classic
    issuer issuers agent agents desk box boxes pack packs set sets version versions range line spot spots team staff
    interested book booking launching planning doing upscale mid-range high-end style styled like
    """.split()
)
"""Stems of words for who sells, through what, to whom, and how well: rules hardly ever tell by them."""

_TURNS_IT_ROUND = frozenset(
    stem(word)
    for word in """
    free non anti no without fake toy replica imitation mock virtual dummy simulated substitute alternative former
    counterfeit synthetic artificial pretend demo social unlicensed unregistered illegal unauthorised unauthorized
    """.split()
)
"""What stands before its noun and makes another thing of it: a toy gun is no gun."""

_FORMS = frozenset(
    stem(word)
    for word in """
    gummy gummies oil oils drops capsule capsules tablet tablets pill pills powder powders cream creams balm balms
    lotion lotions tincture tinctures patch patches tea teas softgels lozenges injections pen pens spray sprays
    ointment ointments salve salves serum
    """.split()
)
"""Shapes that a substance comes in: "cbd gummies" are of cbd, whatever a rule says of their shape."""

_STANDING = frozenset(
    stem(word) for word in "licensed licenced registered certified authorised authorized approved verified".split()
)
"""Before its noun such a word says who the advertiser is; whether that is asked for, the rule says."""

_JOINS = frozenset("product products service services brand brands app apps site sites website company".split())
"""Fillers that stand inside of a phrase without ending it."""


class Role(StrEnum):
    """What a word does in a question: it is what is asked about (THING), narrows the thing that follows (MODIFIER),
    is the shape of the thing before it (FORM), or tells of the circumstances (CIRCUMSTANCE)."""

    THING = "thing"
    MODIFIER = "modifier"
    FORM = "form"
    CIRCUMSTANCE = "circumstance"


def roles_of(text: str, terms: Sequence[QueryTerm]) -> dict[QueryTerm, Role]:
    """The role of each of `terms`, which are the content words of `text`.

    A word of the trade is a thing, or the form of one, but "target" where there is another; where all words would
    be circumstances, all are things.
    """
    roles = dict.fromkeys(terms, Role.THING)
    for phrase in _phrases(text, terms):
        roles |= _roles_in(phrase)
    things = [term for term, role in roles.items() if role is Role.THING]
    if any(_is_of_the_trade(each) and each.text.lower() != _AIM for each in things):
        roles |= {each: Role.CIRCUMSTANCE for each in things if each.text.lower() == _AIM}
    if things:
        return roles
    return dict.fromkeys(terms, Role.THING)


def _roles_in(phrase: Sequence[QueryTerm]) -> dict[QueryTerm, Role]:
    """What stands before a word of the trade narrows it; before another word it may be what makes the thing."""
    roles: dict[QueryTerm, Role] = {}
    follows = False
    for position in reversed(range(len(phrase))):
        term = phrase[position]
        if stem(term.text) in _FORMS and any(_is_of_the_trade(each) for each in phrase[:position]):
            roles[term] = Role.FORM
        elif follows and stem(term.text) in _STANDING:
            roles[term] = Role.MODIFIER
        elif _is_of_the_trade(term):
            roles[term] = Role.THING
            follows = True
        elif _is_circumstance(term.text):
            roles[term] = Role.CIRCUMSTANCE
        elif follows and not turns_it_round(term.text):
            roles[term] = Role.MODIFIER
        else:
            roles[term] = Role.THING
            follows = False
    return roles


def _is_of_the_trade(term: QueryTerm) -> bool:
    return bool(term.synonyms or term.broader or term.akin)


def _is_circumstance(word: str) -> bool:
    return stem(word) in CIRCUMSTANCES or country_named(word) is not None


def country_named(word: str) -> str | None:
    """The place whose people a word names: "Indians"; None if it names none."""
    return ADJECTIVES.get(word.lower().removesuffix("s"))


def turns_it_round(phrase: str) -> bool:
    """Whether it makes another thing of what it stands before, or holds a word that does."""
    words = phrase.lower().replace("-", " ").split()
    return any(word.startswith(("non", "anti")) or stem(word) in _TURNS_IT_ROUND for word in words)


def _phrases(text: str, terms: Sequence[QueryTerm]) -> list[list[QueryTerm]]:
    """The terms that stand in one phrase, with nothing but spaces and words such as "brand" between them."""
    found: list[list[QueryTerm]] = []
    end = -1
    for first, last, term in sorted(_located(text, terms), key=lambda each: each[:2]):
        if end >= 0 and _goes_on(text[end:first]):
            found[-1].append(term)
        else:
            found.append([term])
        end = last
    return found


def _goes_on(between: str) -> bool:
    joins = all(match[0].lower() in _JOINS for match in _TOKEN.finditer(between))
    return joins and not _PARTS.search(between)


def _located(text: str, terms: Sequence[QueryTerm]) -> Iterator[tuple[int, int, QueryTerm]]:
    """Where each term first stands."""
    for term in terms:
        if match := re.search(rf"(?<!\w){re.escape(term.text)}(?!\w)", text, re.IGNORECASE):
            yield match.start(), match.end(), term


_AIM = "target"
"""To "target" people in a place is to advertise there; whom else, another word says."""

_DETAIL = re.compile(
    r"\b(?:who|whom|whose|which|when|where|why|max(?:imum)?|min(?:imum)?|exact(?:ly)?"
    r"|how\s+(?:many|much|long|old|often|big|fast|soon|far|large|high|small|recent|quickly|do(?:es)?|can|should)"
    r"|(?:list|number|name|amount|date|size|price|cost)\s+(?:of|for)"
    r"|what(?!\s+(?:about|if)\b)(?!\s+(?:(?:is|are)\s+(?:the|your|their)\s+)?(?:rules?|polic\w+|restrictions?)\b))\b",
    re.IGNORECASE,
)
"""Of "what" questions, those on the rules themselves ask for no detail."""


def asks_for_a_detail(text: str) -> bool:
    """Whether `text` wants to know something about a rule ("how long", "which licence") and not only whether."""
    return bool(_DETAIL.search(text))


_NUMBER = re.compile(
    r"\b(?:how\s+(?:many|much|long|often|big|large|high|small|fast|soon|recent)|(?:between\s+)?what\s+hours?"
    r"|what\s+percentage|max(?:imum)?|min(?:imum)?(?!\s+age))\b",
    re.IGNORECASE,
)


def asks_for_a_number(text: str) -> str | None:
    """The words of `text` that ask how many, how long or up to what; None where it asks for no number. An age is none:
    "the legal drinking age" says it."""
    match = _NUMBER.search(text)
    return match[0] if match else None
