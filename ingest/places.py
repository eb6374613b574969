"""Where a part of a document holds, read from its headings and from labels such as `Germany: ...`.

A wrong place is worse than none: where the wording leaves a doubt, the part stays where it was, marked as doubtful.
"""

import re
from dataclasses import dataclass

from rag_core.place_names import ADJECTIVES
from rag_core.regions import GLOBAL, country_of, find_regions, region_named


@dataclass(frozen=True, slots=True)
class Places:
    """The regions that a part of a document speaks for. `doubt`: a place is named, but perhaps not as its scope."""

    regions: tuple[str, ...] = (GLOBAL,)
    excluded: tuple[str, ...] = ()
    doubt: bool = False


@dataclass(frozen=True, slots=True)
class _Named:
    """A place named in a heading: `codes` are several for a group such as the EEA."""

    codes: tuple[str, ...]
    start: int
    end: int
    adjective: bool = False


_EEA = ("eu", "is", "li", "no")
_EUROPE = (*_EEA, *"uk ch al ad ba by fo gg gi im je mc md me mk rs ru sm ua va xk".split())
_GROUPS = {
    "european economic area": _EEA,
    "eea": _EEA,
    "europe": _EUROPE,
    "dach": ("de", "at", "ch"),
    "benelux": ("be", "nl", "lu"),
    "nordics": ("dk", "fi", "is", "no", "se"),
    "nordic countries": ("dk", "fi", "is", "no", "se"),
    "baltics": ("ee", "lv", "lt"),
    "baltic states": ("ee", "lv", "lt"),
}
_GROUP = re.compile(r"\b(" + "|".join(sorted(_GROUPS, key=len, reverse=True)) + r")\b", re.IGNORECASE)
_NUMBERING = re.compile(r"^(?:(?:rule|section|part|annex|§)\s*)?(?:\d+(?:\.\d+)*[a-z]?|[A-Z]|[ivxIVX]+)[.):]?\s+(?=\S)")
_NUMBER_BEFORE_LABEL = re.compile(r"^(?:(?:rule|section|§)\s*)?\d+(?:\.\d+)*[.)]?\s+", re.IGNORECASE)
_CONNECTS = re.compile(r"[\s,;&/()+*\[\]]|\b(?:and|or|the)\b", re.IGNORECASE)
_SCOPE_WORDS = re.compile(
    r"\b(?:rules?|requirements?|restrictions?|polic(?:y|ies)|guidelines?|conditions?|provisions?|exceptions?|notes?|"
    r"notices?|information|additions?|additional|specific|special|local|national|country|countries|regional|region|"
    r"state|states|province|territory|member|markets?|users?|residents?|consumers?|audiences?|advertisers?|"
    r"advertising|ads?|campaigns?|people|addend(?:um|a)|appendix|annex|applicable|end|all|only|for|in|of|to|within|from|by|on|targeting|shown|running)\b",
    re.IGNORECASE,
)
_PEOPLE_OR_RULES = re.compile(
    r"\b(?:rules?|requirements?|restrictions?|users?|residents?|consumers?|audiences?|advertisers?|market|ads?)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\s*[,(]?\s*\b(?:except(?:ing)?(?:\s+(?:for|in))?|excluding|excl\.|other than|outside(?:\s+of)?|apart from)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\s+only$", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\b(?:all|any|every|each)\s+(?:other\s+)?(?:countr(?:y|ies)|markets?|regions?|places?|locations?)\b|"
    r"\b(?:worldwide|globally?|everywhere|international(?:ly)?)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\b(?:other countries|rest of (?:the )?world|all others?|elsewhere)\b", re.IGNORECASE)
_IN_PLACE_TAIL = re.compile(
    r"\b(?:in|for|within|to|from|across)\s+(?:the\s+)?(?:(?:users?|people|residents?|audiences?)\s+in\s+(?:the\s+)?)?$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^([^:.!?]{2,80}):(?:\s+(.*))?$", re.DOTALL)
_IN_PLACE = re.compile(r"^(?:In|For|Within)\s+")
_LONGEST_OPENING = 120
_SENTENCE_GOES_ON = re.compile(r"[.!?]['”\")]?\s+[A-Z0-9“(]")
_BEFORE_LANGUAGE = re.compile(r"\b(?:in|into|to|and|or)\s+$|[,/]\s*$", re.IGNORECASE)
_AFTER_LANGUAGE = re.compile(r"\s*[.,;:)]|\s*$|[-\s]+(?:language|translation|text|or|and)\b", re.IGNORECASE)
_PRONOUN = "Us"
"""In a title such as "Contact Us"; the country is never written so."""
_STATES_LIKE_COUNTRIES = {("us", "ge"): "us-ga"}
"""(country around, country read) -> the state that is meant: Georgia under a heading "United States"."""


def of_heading(heading: str, around: Places) -> Places:
    """Where the text under `heading` holds, given where the text around the heading does."""
    text = _NUMBERING.sub("", heading).strip()
    wide, *rest = _EXCEPT.split(text, maxsplit=1)
    excluded = _only_places(rest[0].strip(" )")) if rest else ()
    scope = _scope(wide.strip())
    if scope is None and excluded and _ends_with_topic(wide):
        scope = around.regions
    if scope is not None and (excluded or not rest):
        return Places(_within(scope, around), excluded or (), doubt=False)
    if _ELSEWHERE.search(text):
        return Places((GLOBAL,), doubt=around.regions != (GLOBAL,))
    doubt = around.doubt or bool(_named(text))
    return Places(around.regions, around.excluded, doubt)


def of_label(line: str, around: Places) -> Places | None:
    """Where a paragraph or list item holds that begins with a place as its label: `Germany: ads must ...`.

    Also `In Germany, ads must ...`, if that is one sentence. None where there is no such label, and for a list of
    places behind a label (`Europe: France, Spain`), which says where something holds, not for whom it was written.
    """
    text = _NUMBER_BEFORE_LABEL.sub("", line)
    match = _LABEL.match(text)
    if match and (codes := _only_places(match[1])):
        return None if match[2] and _only_places(match[2].rstrip(".")) else Places(_within(codes, around))
    codes = _places_it_opens_with(text)
    return Places(_within(codes, around)) if codes else None


def _places_it_opens_with(text: str) -> tuple[str, ...]:
    """`In the European Union, Norway and Turkey, ads must ...`: all three, if that is one sentence."""
    opening = _IN_PLACE.match(text)
    if opening is None or _SENTENCE_GOES_ON.search(text):
        return ()
    commas = [match.start() for match in re.finditer(",", text[: opening.end() + _LONGEST_OPENING])]
    listed = (_only_places(text[opening.end() : comma]) for comma in reversed(commas) if comma > opening.end())
    return next((codes for codes in listed if codes), ())


def mentioned(text: str) -> tuple[str, ...]:
    """Every place named in `text`, sorted; a language ("in Spanish") is none."""
    found = (each for each in find_regions(text) if not _is_language(text, each.start, each.end))
    return tuple(sorted({each.code for each in found if text[each.start : each.end] != _PRONOUN}))


def _is_language(text: str, start: int, end: int) -> bool:
    if text[start:end].lower() not in ADJECTIVES:
        return False
    return (
        _BEFORE_LANGUAGE.search(text[max(0, start - 8) : start]) is not None
        and _AFTER_LANGUAGE.match(text[end : end + 16]) is not None
    )


def _scope(text: str) -> tuple[str, ...] | None:
    """The places that a heading limits its text to; None if it names none, or not clearly as a limit."""
    if _EVERYWHERE.search(text) and not _named(text):
        return (GLOBAL,)
    if match := re.match(r"^(.*?)\s*[(\[]([^()\[\]]+)[)\]]$", text):
        return _scope_in_brackets(match[1], match[2])
    if codes := _only_places(text):
        return codes
    if codes := _scope_beside_topic(text):
        return codes
    named = _named(text)
    return _scope_in_words(text, named) if named and "?" not in text else None


def _scope_beside_topic(text: str) -> tuple[str, ...]:
    """`Germany: alcohol`, `Alcohol - Germany`."""
    for separator in (":", " - ", " – ", " — ", " | "):
        first, found, last = text.partition(separator)
        if found and (codes := _only_places(first) or _only_places(last)):
            return codes
    return ()


def _scope_in_words(text: str, named: list[_Named]) -> tuple[str, ...] | None:
    """`Rules for Germany`, `Rules for German advertisers`, `Alcohol in the United Kingdom`."""
    rest = _without(text, named)
    if not _CONNECTS.sub("", _SCOPE_WORDS.sub("", rest)):
        adjectives = all(each.adjective for each in named)
        return _codes(named) if not adjectives or _PEOPLE_OR_RULES.search(rest) else None
    first = named[0].start
    ends = not _CONNECTS.sub("", _SCOPE_WORDS.sub("", rest[first:]))
    return _codes(named) if ends and _IN_PLACE_TAIL.search(text[:first]) else None


def _scope_in_brackets(before: str, within: str) -> tuple[str, ...] | None:
    """`Texas (US)`, `Washington (state)`, `CBD (US only)`."""
    outer = _only_places(before)
    named = _named(within)
    inner = _only_places(_ONLY.sub("", within)) or (_scope_in_words(within, named) if named else ()) or ()
    if outer and (inner or not _CONNECTS.sub("", _SCOPE_WORDS.sub("", within))):
        return outer
    return inner or (_scope(before) if not named else None)


def _ends_with_topic(wide: str) -> bool:
    return bool(wide.strip()) and not _named(wide)


def _within(codes: tuple[str, ...], around: Places) -> tuple[str, ...]:
    """`codes` as they are meant below a heading for `around`."""
    if len(around.regions) != 1:
        return codes
    country = country_of(around.regions[0])
    return tuple(_STATES_LIKE_COUNTRIES.get((country, code), code) for code in codes)


def _only_places(text: str) -> tuple[str, ...]:
    """The places that `text` lists, if it is nothing else; adjectives alone are languages as well, and no place."""
    text = _ONLY.sub("", text.strip(" .:*"))
    named = _named(text)
    if not named or all(each.adjective for each in named) or _CONNECTS.sub("", _without(text, named)):
        return ()
    return _codes(named)


def _named(text: str) -> list[_Named]:
    groups = [_Named(_GROUPS[match[1].lower()], match.start(), match.end()) for match in _GROUP.finditer(text)]
    free = _without(text, groups)
    found = [
        _Named((each.code,), each.start, each.end, text[each.start : each.end].lower() in ADJECTIVES)
        for each in find_regions(free)
        if free[each.start : each.end] != _PRONOUN
    ]
    if not found and not groups and text != _PRONOUN and (code := region_named(text)) is not None:
        found = [_Named((code,), 0, len(text), text.lower() in ADJECTIVES)]
    return sorted([*groups, *found], key=lambda each: each.start)


def _without(text: str, named: list[_Named]) -> str:
    rest = list(text)
    for each in named:
        rest[each.start : each.end] = " " * (each.end - each.start)
    return "".join(rest)


def _codes(named: list[_Named]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for each in named for code in each.codes))
