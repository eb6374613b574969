"""Place, platform, day and material of a question as words: replaced in one sentence, carried over to another."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag_core.documents import ContentType
from rag_core.place_names import ADJECTIVES
from rag_core.questions import Intent, NoteKind
from rag_core.regions import spoken_name
from rag_core.understanding.days import DayMention
from rag_core.understanding.places import PlaceMention
from rag_core.understanding.platforms import SourceMention
from rag_core.understanding.reading import Reading

_BEFORE_PLACE = re.compile(
    r"\b(?:in|for|to|from|across|within|into|throughout|outside|of|at)\s+(?:the\s+)?$", re.IGNORECASE
)
_BEFORE_PLATFORM = re.compile(r"\b(?:on|at|for|in|with|of|by|to)\s+(?:the\s+)?$", re.IGNORECASE)
_LEFT = re.compile(
    r"(?:\s*(?:,|&|\band\b|\bor\b|\bvs\.?|\bversus\b)\s*)?(?:\b(?:in|on|for|to|from|across|within|at)\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
_CONNECTS = re.compile(r"\s*(?:,|&|/|\band\b|\bor\b|\bvs\.?|\bversus\b)\s*(?:and\s+)?", re.IGNORECASE)
_NOUN = re.compile(
    r"\s+(?!(?:and|or|vs|versus|in|on|for|to|as|at|since|before|after|with|if|when|is|are|now|today|ok|allowed)\b)\w",
    re.IGNORECASE,
)
_IN = re.compile(r"\b(?:in|on|for|to|from|across|within|at)\s+(?:the\s+)?$", re.IGNORECASE)
_ARTICLE = re.compile(r"\bthe\s+$", re.IGNORECASE)
_INDEFINITE = re.compile(r"\ban?\s+$", re.IGNORECASE)
_NO_ARTICLE = re.compile(r"(?:s|copy|text|footage)$", re.IGNORECASE)


@dataclass(slots=True)
class Edits:
    """Changes to a sentence: spans of it with their new words, and words to add at its end."""

    spans: list[tuple[int, int, str]] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    def apply(self, text: str) -> str:
        """The changed sentence, without its last punctuation."""
        done = len(text)
        for start, end, new in sorted(self.spans, reverse=True):
            if end <= done:
                text, done = f"{text[:start]}{new}{text[end:]}", start
        return " ".join([text.rstrip(" ?.!,;"), *self.added])


def replace_slots(earlier: Reading, follow: Reading, edits: Edits) -> None:
    """What `follow` says of place, platform, day and label, instead of what `earlier` says."""
    compared = earlier.question.intent is Intent.COMPARISON
    if places := place_words(follow):
        _replace(earlier.text, _settled(earlier), _BEFORE_PLACE, f"in {places}", places, edits, compared=compared)
    if platforms := platform_words(follow):
        _replace(
            earlier.text, earlier.platforms, _BEFORE_PLATFORM, f"on {platforms}", platforms, edits, compared=compared
        )
    if follow.day is not None:
        words = day_words(follow.day, follow.text)
        if earlier.day is not None:
            edits.spans.append((earlier.day.start, earlier.day.end, words))
        else:
            edits.added.append(words)
    if follow.labels:
        words = " and ".join(follow.text[each.start : each.end] for each in follow.labels)
        if earlier.labels:
            edits.spans.append((earlier.labels[0].start, earlier.labels[0].end, words))
        else:
            edits.added.append(words)


def replace_material(earlier: Reading, follow: Reading, edits: Edits) -> None:
    """The material of `follow` instead of that of `earlier`."""
    mention = follow.materials[0]
    said = follow.text[mention.start : mention.end]
    article = "" if _NO_ARTICLE.search(said) else "an " if said[0].lower() in "aeiou" else "a "
    if earlier.materials:
        theirs = earlier.materials[0]
        before = _INDEFINITE.search(earlier.text[: theirs.start])
        edits.spans.append((before.start(), theirs.end, article + said) if before else (theirs.start, theirs.end, said))
        return
    edits.added.append(f"{'on' if mention.content_type is ContentType.LANDING_PAGE else 'in'} {article}{said}")


def missing_slots(earlier: Reading, follow: Reading, *, place_said: bool = False) -> list[str]:
    """Place, platform, day and label of `earlier` as words, as far as `follow` leaves them open."""
    words: list[str] = []
    if not place_said and not _settled(follow) and (places := place_words(earlier)):
        words.append(f"in {places}")
    if not follow.platforms and (platforms := platform_words(earlier)):
        words.append(f"on {platforms}")
    if follow.day is None and earlier.day is not None:
        words.append(day_words(earlier.day, earlier.text))
    if not follow.labels:
        words += [earlier.text[each.start : each.end] for each in earlier.labels]
    return words


def place_words(reading: Reading) -> str:
    """The places as they stand in a sentence: "the UK and France"; "" if none is named."""
    return " and ".join(_place_word(each, reading.text) for each in _settled(reading))


def platform_words(reading: Reading) -> str:
    """The platforms as they stand in a sentence; "" if none is named."""
    return " and ".join(dict.fromkeys(_platform_word(each, reading.text) for each in reading.platforms))


def day_words(mention: DayMention, text: str) -> str:
    """The day as it was typed, or as a date where the words would mean another day tomorrow."""
    said = text[mention.start : mention.end]
    if re.search(r"\d{4}", said):
        return said
    if mention.is_range and mention.first is not None:
        return f"since {mention.first.isoformat()}"
    return f"as of {mention.day.isoformat()}"


def _settled(reading: Reading) -> list[PlaceMention]:
    return [each for each in reading.places if each.kind is not NoteKind.UNCLEAR_PLACE]


def _place_word(mention: PlaceMention, text: str) -> str:
    said = text[mention.start : mention.end]
    if mention.kind is NoteKind.PLACE_GROUP:
        return f"the {said}" if said.lower().endswith("s") else said
    if mention.kind is NoteKind.CITY:
        return said if said[:1].isupper() else said.title()
    return spoken_name(mention.codes[0])


def _platform_word(mention: SourceMention, text: str) -> str:
    if mention.kind is NoteKind.MISSPELT_PLATFORM:
        return mention.slug
    said = text[mention.start : mention.end].removesuffix("'s").removesuffix("’s")
    return said.capitalize() if said.islower() and len(said) > 2 else said


def _replace(
    text: str,
    mentions: Sequence[PlaceMention | SourceMention],
    preposition: re.Pattern[str],
    added: str,
    bare: str,
    edits: Edits,
    *,
    compared: bool,
) -> None:
    if compared and len(mentions) > 1:  # one more beside them
        edits.spans.append((mentions[-1].end, mentions[-1].end, f" and {bare}"))
        return
    only = mentions[0] if len(mentions) == 1 else None
    if only is not None and not _describes(only, text):
        before = text[: only.start]
        article = _ARTICLE.search(before)
        start = article.start() if article else only.start
        edits.spans.append((start, only.end, bare if preposition.search(before) else added))
        return
    spans = [_removed(each, text) for each in mentions]
    for (_, end, _), (start, _, _) in pairwise(spans):
        if _CONNECTS.fullmatch(text[end:start]):  # "on Acme and Brim": nothing is left of the "and"
            edits.spans.append((end, start, ""))
    edits.spans += spans
    edits.added.append(added)


def _describes(mention: PlaceMention | SourceMention, text: str) -> bool:
    """Whether the word stands before what it describes: "German users", "uk lottery ads", "Reddit's rules"."""
    said = text[mention.start : mention.end].lower()
    if said in ADJECTIVES or said.endswith(("'s", "’s")):
        return True
    return bool(_NOUN.match(text[mention.end :])) and not _IN.search(text[: mention.start])


def _removed(mention: PlaceMention | SourceMention, text: str) -> tuple[int, int, str]:
    if _describes(mention, text):
        after = text[mention.end :]
        return mention.start, mention.end + len(after) - len(after.lstrip()), ""
    left = _LEFT.search(text[: mention.start])
    return (left.start() if left else mention.start), mention.end, ""


def joined(parts: Iterable[str]) -> str:
    """Words of a sentence with one space between them."""
    return " ".join(" ".join(parts).split())
