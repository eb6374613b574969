"""Where the text under a heading holds."""

import re
from collections.abc import Sequence

from ingest.places.scopes import Places, country_in, within
from ingest.places.spelling import corrected
from rag_core.published_places.names import CONNECTS, Named, codes_of, listed, named, only_places, without
from rag_core.regions import GLOBAL, seen_from

_NUMBERING = re.compile(r"^(?:(?:rule|section|part|annex|§)\s*)?(?:\d+(?:\.\d+)*[a-z]?|[A-Z]|[ivxIVX]+)[.):]?\s+(?=\S)")
SCOPE_WORDS = re.compile(
    r"\b(?:rules?|requirements?|restrictions?|polic(?:y|ies)|guidelines?|conditions?|provisions?|exceptions?|notes?|"
    r"notices?|information|additions?|additional|specific|special|local|national|country|countries|regional|region|"
    r"state|states|province|provinces|territory|member|markets?|users?|residents?|consumers?|audiences?|advertisers?|"
    r"advertising|ads?|campaigns?|people|addend(?:um|a)|appendix|annex|applicable|end|all|only|for|in|of|to|within|"
    r"from|by|on|targeting|shown|running|applies|apply)\b",
    re.IGNORECASE,
)
_PEOPLE_OR_RULES = re.compile(
    r"\b(?:rules?|requirements?|restrictions?|users?|residents?|consumers?|audiences?|advertisers?|markets?|ads?)\b",
    re.IGNORECASE,
)
EXCEPT = re.compile(
    r"\s*[,(]?\s*\b(?:except(?:ing)?(?:\s+(?:for|in))?|with the exception of|excluding|excl\.|other than|"
    r"outside(?:\s+of)?|apart from|but not(?:\s+in)?|"
    r"(?:(?<=everywhere)|(?<=countries)|(?<=markets))\s+but(?:\s+in)?)(?!\w)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\s+only$", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\b(?:all|any|every|each)\s+(?:other\s+)?(?:countr(?:y|ies)|markets?|regions?|places?|locations?)\b|"
    r"\b(?:world-?wide|global(?:ly)?|everywhere|international(?:ly)?)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:(?:all\s+)?other\s+(?:member\s+)?(?:countries|markets|regions|places|locations|territories|states|provinces)|"
    r"rest of (?:the )?world|all others?|elsewhere)\b",
    re.IGNORECASE,
)
_IN_PLACE_TAIL = re.compile(
    r"\b(?:in|for|within|across|throughout|targeting|(?:to|for)\s+(?:users?|people|residents?|audiences?)\s+in)\s+"
    r"(?:the\s+)?(?:(?:users?|people|residents?|audiences?)\s+in\s+(?:the\s+)?)?$",
    re.IGNORECASE,
)
_ORIGIN_TAIL = re.compile(
    r"\b(?:made|manufactured|produced|born|located|based|registered|incorporated|domiciled|established|headquartered|"
    r"hosted|stored|licen[sc]ed|interest|interested)\s+(?:in|for)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r":\s+|\s[-–—|]\s")
_LEAVES_OUT = re.compile(r"\bexclu|\bexempt|\bexcept", re.IGNORECASE)
_ABBREVIATION = re.compile(r"[A-Z]{2,4}")
_LEAST_BESIDE = 2
"""Places that the headings beside a misspelt one must name before it is taken for a place."""


def of_heading(heading: str, around: Places, beside: Sequence[str] = ()) -> Places:
    """Where the text under `heading` holds, given where the text around the heading does.

    `beside`: the codes of the places that the headings of the same rank beside it name.
    """
    text = _NUMBERING.sub("", heading).strip()
    country = country_in(around.regions) or (country_in(tuple(beside)) if all("-" in code for code in beside) else None)
    if _is_all(text, _ELSEWHERE):
        return _elsewhere(around, beside)
    wide, *rest = EXCEPT.split(text, maxsplit=1)
    excluded = only_places(rest[0].strip(" )"), country) if rest else ()
    scope = _scope(wide.strip(), country)
    if scope is None and excluded and _ends_with_topic(wide):
        scope = around.regions
    if scope is not None and (excluded or not rest):
        return Places(within(scope, around), excluded, doubt=_is_doubtful(wide, country))
    if scope is None and not rest and len(set(beside)) >= _LEAST_BESIDE and (codes := corrected(text, country)):
        return Places(within(codes, around)) if len(codes) == 1 else Places(around.regions, around.excluded, doubt=True)
    return Places(around.regions, around.excluded, around.doubt or bool(named(text)))


def of_title(title: str, headings: Sequence[str], around: Places) -> Places:
    """Where a document holds whose title is none of its `headings`: these say for themselves where their text does.

    `around`: where its source holds. A title that leaves a doubt says nothing for a whole document.
    """
    said = around if title in headings else of_heading(title, around)
    return around if said.doubt else said


def _elsewhere(around: Places, beside: Sequence[str]) -> Places:
    """`Other countries`: everywhere around but in the places beside it."""
    if len(around.regions) == 1 and country_in(around.regions) is not None and "-" not in "".join(beside):
        return Places(doubt=True)
    return Places(around.regions, tuple(dict.fromkeys((*around.excluded, *beside))), around.doubt)


def _is_doubtful(text: str, country: str | None) -> bool:
    return any(each.doubtful for each in listed(text, country) or named(text))


def _is_all(text: str, phrase: re.Pattern[str]) -> bool:
    """Whether `phrase` is all there is beside words of scope, or where the text ends: "Rules for all countries"."""
    match = phrase.search(text)
    if match is None or named(text):
        return False
    before, after = text[: match.start()], text[match.end() :]
    if _bare(after):
        return False
    return not _bare(before) or _IN_PLACE_TAIL.search(before) is not None


def _bare(text: str) -> str:
    """What remains of `text` without words of scope and connectives."""
    return CONNECTS.sub("", SCOPE_WORDS.sub("", text)).strip(".:-–—")


def _scope(text: str, country: str | None) -> tuple[str, ...] | None:
    """The places that a heading limits its text to; None if it names none, or not clearly as a limit."""
    if _is_all(text, _EVERYWHERE):
        return (GLOBAL,)
    if (match := re.match(r"^(.*?)\s*[(\[]([^()\[\]]+)[)\]]$", text)) and not match[2].isdigit():
        return _scope_in_brackets(match[1], match[2], country)
    if codes := codes_of(listed(text, country)):
        return codes
    if codes := _scope_beside_topic(text, country):
        return codes
    found = named(text)
    return scope_in_words(text, found) if found and "?" not in text else None


def _scope_beside_topic(text: str, country: str | None) -> tuple[str, ...]:
    """`Germany: alcohol`, `Alcohol - Germany`, `Available in: US`."""
    parts = _SEPARATOR.split(text)
    if len(parts) < 2 or _LEAVES_OUT.search(parts[0]):
        return ()
    first = codes_of(listed(parts[0], country))
    last = codes_of(listed(parts[-1], country_in(first) or country))
    return _outer_and_inner(first, last) if first and last else first or last


def scope_in_words(text: str, found: Sequence[Named]) -> tuple[str, ...] | None:
    """`Rules for Germany`, `Rules for German advertisers`, `Alcohol in the United Kingdom`."""
    rest = without(text, found)
    if not _bare(rest):
        adjectives = all(each.adjective for each in found)
        return (codes_of(found) or None) if not adjectives or _PEOPLE_OR_RULES.search(rest) else None
    first = found[0].start
    if _bare(rest[first:]) or _ORIGIN_TAIL.search(text[:first]) or not _IN_PLACE_TAIL.search(text[:first]):
        return None
    return codes_of(found) or None


def _scope_in_brackets(before: str, inside: str, country: str | None) -> tuple[str, ...] | None:
    """`Texas (US)`, `Georgia (US)`, `Washington (state)`, `CBD (US only)`, `Texas (TX)`."""
    found = named(inside)
    inner = codes_of(listed(_ONLY.sub("", inside))) or (scope_in_words(inside, found) if found else ()) or ()
    outer = codes_of(listed(before, country_in(inner) or country))
    if outer and inner:
        return _outer_and_inner(outer, inner)
    if outer and (not _bare(inside) or _ABBREVIATION.fullmatch(inside)):
        return outer
    return inner or (_scope(before, country) if not found else None)


def _outer_and_inner(outer: tuple[str, ...], inner: tuple[str, ...]) -> tuple[str, ...]:
    """The narrower of the two, where one lies within the other; else both."""
    if set(inner) <= set(outer):
        return outer
    if all(set(inner) & (seen_from(code) - {GLOBAL}) for code in outer):
        return outer
    if all(set(outer) & (seen_from(code) - {GLOBAL}) for code in inner):
        return inner
    return tuple(dict.fromkeys((*outer, *inner)))


def _ends_with_topic(wide: str) -> bool:
    """`Lotteries (except in Norway)`, `Outside the EU`: no place before the exception."""
    return not named(wide)
