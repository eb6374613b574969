"""Labels, kinds of material and rule numbers that a question names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag_core.documents import ContentType, PolicySource
from rag_core.questions import DeclaredLabel, NoteKind, ScopeNote
from rag_core.vocabulary import pattern


@dataclass(frozen=True, slots=True)
class LabelMention:
    """A value of a declared label named in a text, with the offsets of the word that names it."""

    key: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LabelsAsked:
    """`chosen`: the values asked about; `excluded`: those that no shown document may have."""

    chosen: Mapping[str, tuple[str, ...]]
    excluded: Mapping[str, tuple[str, ...]]
    notes: tuple[ScopeNote, ...]


def told_apart(
    declared: Sequence[DeclaredLabel], sources: Iterable[PolicySource]
) -> tuple[tuple[DeclaredLabel, ...], dict[str, tuple[str, ...]]]:
    """The labels that documents of `sources` have; and of the others the values that a question never means which does
    not name them.

    Whoever sees no document with a label is not told that there is one. Its variants are not mixed all the same, should
    the first document that has it have come a moment ago.
    """
    seen = frozenset().union(*(each.labels for each in sources))
    others = [each for each in declared if each.key not in seen and each.default]
    kept_out = {each.key: tuple(value for value in each.words if value != each.default) for each in others}
    return tuple(each for each in declared if each.key in seen), kept_out


def find_labels(text: str, declared: Sequence[DeclaredLabel]) -> list[LabelMention]:
    """Every value of a declared label that `text` names, in order; a longer word wins."""
    found: list[LabelMention] = []
    words = [(word, label.key, value) for label in declared for value, named in label.words.items() for word in named]
    for word, key, value in sorted(words, key=lambda each: (-len(each[0]), each)):
        for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE):
            if not any(match.start() < other.end and other.start < match.end() for other in found):
                found.append(LabelMention(key, value, *match.span()))
    return sorted(found, key=lambda mention: mention.start)


def labels_asked(
    text: str, mentions: Sequence[LabelMention], declared: Sequence[DeclaredLabel], explicit: Mapping[str, object]
) -> LabelsAsked:
    """The values that the words name, or the defaults; of the labels that were not filtered by `explicit`ly.

    A question that names several values of a label is about all of them.
    """
    chosen: dict[str, tuple[str, ...]] = {}
    excluded: dict[str, tuple[str, ...]] = {}
    notes: list[ScopeNote] = []
    for label in (each for each in declared if each.key not in explicit):
        named = [each for each in mentions if each.key == label.key]
        values = tuple(dict.fromkeys(each.value for each in named)) or ((label.default,) if label.default else ())
        if not values:
            continue
        chosen[label.key] = values
        excluded[label.key] = tuple(each for each in label.words if each not in values)
        notes += [
            ScopeNote(NoteKind.LABEL_WORD, text[each.start : each.end], (f"{each.key}={each.value}",)) for each in named
        ] or [ScopeNote(NoteKind.LABEL_DEFAULT, "", (f"{label.key}={label.default}",))]
    return LabelsAsked(chosen, excluded, tuple(notes))


_MATERIAL_WORDS = {
    ContentType.VIDEO: r"videos?|video\s+(?:ads?|creatives?)|clips?|footage|reels?|pre-?rolls?|tv\s+(?:ads?|spots?)",
    ContentType.IMAGE: r"(?:banner\s+ad|image|picture|pic|photo|photograph|banner|thumbnail|gif|carousel)s?",
    ContentType.LANDING_PAGE: r"landing[\s-]?pages?|destination\s+(?:page|url|site)s?|click-?through\s+pages?",
    ContentType.AD_TEXT: r"ad\s?text|(?:ad\s+)?cop(?:y|ies)(?!\s*right)|(?:headline|caption|tagline|slogan)s?",
}
_MATERIAL = re.compile(
    "|".join(rf"(?P<{kind.value}>(?<![\w-])(?:{words})(?![\w-]))" for kind, words in _MATERIAL_WORDS.items()),
    re.IGNORECASE,
)
_NOT_MATERIAL = pattern("questions", "not_material")
"""Here the word says what is advertised, not how."""


@dataclass(frozen=True, slots=True)
class MaterialMention:
    """A kind of material named in a text, with the offsets of the words that name it."""

    content_type: ContentType
    start: int
    end: int


def find_materials(text: str) -> list[MaterialMention]:
    """Every kind of material that `text` names, in order."""
    return [
        MaterialMention(ContentType(str(match.lastgroup)), match.start(), match.end())
        for match in _MATERIAL.finditer(text)
        if not _NOT_MATERIAL.match(text, match.start())
    ]


_RULE_ASKED = pattern("questions", "rule_asked")


@dataclass(frozen=True, slots=True)
class RuleMention:
    """A rule's number as it is looked up ("4.2", "3.1(b)"), with the offsets of the words that name it."""

    number: str
    start: int
    end: int


def find_rule_number(text: str) -> RuleMention | None:
    """The first rule that `text` asks for by its number."""
    match = _RULE_ASKED.search(text)
    if match is None:
        return None
    number = re.sub(r"\s", "", match["number"] or match["bare"]).lower()
    return RuleMention(number, match.start(), match.end())
