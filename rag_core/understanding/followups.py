"""Follow-ups: "and in France?" becomes the question it stands for, "Can I advertise alcohol in France?"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag_core.documents import ContentType
from rag_core.place_names import ADJECTIVES
from rag_core.questions import Background, Intent, NoteKind
from rag_core.regions import spoken_name
from rag_core.understanding.days import DayMention
from rag_core.understanding.leaning import Lean, Leaning, Topic, is_aspect, leaning_of, pointers, topic_of
from rag_core.understanding.places import PlaceMention
from rag_core.understanding.platforms import SourceMention
from rag_core.understanding.reading import Reading
from rag_core.vocabulary import pattern

_BEFORE_PLACE = pattern("questions", "before_place")
_BEFORE_PLATFORM = re.compile(r"\b(?:on|at|for|in|with|of|by|to)\s+(?:the\s+)?$", re.IGNORECASE)
_LEFT = pattern("questions", "left")
_CONNECTS = re.compile(r"\s*(?:,|&|/|\band\b|\bor\b|\bvs\.?|\bversus\b)\s*(?:and\s+)?", re.IGNORECASE)
_NOUN = pattern("questions", "noun")
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


_AND_WHY = ", and why"
_AND_WHY_END = re.compile(rf"{re.escape(_AND_WHY)}\W*$")
_ASKS = pattern("questions", "asks")
_ORDERS = re.compile(r"^\W*(?:compare|list|show|tell|give|send|explain|name|describe|define)\b", re.IGNORECASE)
_BACK = re.compile(r"\s*\b(?:over\s+there|there|here|then|too|as\s+well|instead|also)\b(?=\W*$)", re.IGNORECASE)
_DETERMINER = re.compile(r"\b(?:an?|the|my|our|your|some|any)\s+$", re.IGNORECASE)
_MOST_WORDS_OF_A_TOPIC = 5
"""Longer ones are a sentence of their own, and would break another one."""

_OLD_FORM = re.compile(r"(.+) \(([^()]+)\)")
"""How follow-ups were written down before they became sentences; conversations hold them for as long as they last."""


def without_why(text: str) -> str:
    """A completed "why?" as the question whose reason it asked for."""
    return _AND_WHY_END.sub("?", text)


def old_form(text: str) -> tuple[str, str] | None:
    """Question and follow-up of "alcohol ads in Spain (and in France?)"; None for any other text."""
    match = _OLD_FORM.fullmatch(text)
    return (match[1], match[2]) if match else None


def rewrite(follow: Reading, earlier: Reading) -> str | None:
    """`follow` as a question that stands alone, completed from `earlier`, which does; None if it needs nothing, or
    there is nothing to complete it from."""
    leaning = leaning_of(follow)
    topic = topic_of(earlier)
    if leaning is None or (topic is None and earlier.rule is None):
        return None
    return _sentence(_written(leaning, follow, earlier, topic))


def from_background(follow: Reading, background: Background) -> str | None:
    """`follow` completed from what the conversation was about long before; None if that is not known, too."""
    leaning = leaning_of(follow)
    if leaning is None or not background.topics:
        return None
    place = f"in {spoken_name(background.regions[0])}" if background.regions and not follow.places else ""
    platform = f"on {background.policy_sources[0]}" if background.policy_sources and not follow.platforms else ""
    body = follow.text[leaning.body_at :]
    return _sentence(joined([background.topics[0], _BACK.sub("", body).strip(" ?.!"), place, platform]))


def _written(leaning: Leaning, follow: Reading, earlier: Reading, topic: Topic | None) -> str:
    if leaning.how is Lean.WHY:
        return f"{earlier.text.rstrip(' ?.!')}{_AND_WHY}"
    if leaning.how is Lean.AUDIENCE:
        people = follow.text[follow.subject[0].start : follow.subject[-1].end]
        return joined([_same_with_slots(follow, earlier, None), "for", people])
    if leaning.how is Lean.ADDS:
        return f"{Edits().apply(earlier.text)} {follow.text.strip()}"
    if leaning.how in (Lean.SLOTS, Lean.TOPIC) or topic is None:
        if leaning.how is Lean.TOPIC and len(follow.text[leaning.body_at :].split()) > _MOST_WORDS_OF_A_TOPIC:
            return joined([follow.text[leaning.body_at :].rstrip(" ?.!,"), *missing_slots(earlier, follow)])
        return _same_with_slots(follow, earlier, topic if leaning.how is Lean.TOPIC else None)
    return _own_words(leaning, follow, earlier, topic)


def _own_words(leaning: Leaning, follow: Reading, earlier: Reading, topic: Topic) -> str:
    """The follow-up's own sentence with what it leaves open."""
    body = follow.text[leaning.body_at :]
    if leaning.how is Lean.POINTS:
        return _pointed(body, follow, earlier, topic)
    body = _BACK.sub("", body.rstrip(" ?.!,"))
    about = ["for", topic.text] if leaning.how is Lean.ASPECT or _asks_of_a_topic(follow) else []
    return joined([_asked(body) if leaning.how is Lean.ASPECT else body, *about, *missing_slots(earlier, follow)])


def _asks_of_a_topic(follow: Reading) -> bool:
    """Whether it asks for an aspect, and names nothing of the trade of which it could be one."""
    aspects = [each for each in follow.subject if is_aspect(each)]
    return bool(aspects) and not any(each.is_of_the_trade for each in follow.subject if each not in aspects)


def _same_with_slots(follow: Reading, earlier: Reading, topic: Topic | None) -> str:
    """The earlier question with what `follow` says instead; with `topic`: of another topic."""
    edits = Edits()
    replace_slots(earlier, follow, edits)
    if topic is not None:
        edits.spans.append(_new_topic(follow, earlier, topic))
    elif follow.materials:
        replace_material(earlier, follow, edits)
    return edits.apply(earlier.text)


def _new_topic(follow: Reading, earlier: Reading, topic: Topic) -> tuple[int, int, str]:
    """The new topic in the place of the old one, with its article where it has one."""
    first, last = follow.terms[0], follow.terms[-1]
    slots = [each.start for each in follow.places] + [each.start for each in follow.platforms]
    slots += [each.start for each in follow.labels] + ([follow.day.start] if follow.day else [])
    if any(first.start < start < last.end for start in slots):
        said = " ".join(each.term.text for each in follow.terms)
    else:
        said = follow.text[first.start : last.end]
    own = _DETERMINER.search(follow.text[: first.start])
    theirs = _DETERMINER.search(earlier.text[: topic.start])
    start = theirs.start() if theirs else topic.start
    return start, topic.end, f"{own[0] if own and theirs else ''}{said}"


def _pointed(body: str, follow: Reading, earlier: Reading, topic: Topic) -> str:
    """The follow-up with the words for which its pronouns stand."""
    where = place_words(earlier)
    place_said = topic_said = False
    for match in reversed(pointers(body)):
        if match["place"]:
            new = f"in {where}" if where and not follow.places else ""
            place_said = True
        elif topic_said:  # once is enough: the others still point to it
            continue
        else:
            new, topic_said = f"{topic.text}'s" if match["owner"] else topic.text, True
        body = f"{body[: match.start()]}{new}{body[match.end() :]}"
    body = body.rstrip(" ?.!,")
    if not topic_said and not follow.subject:
        body = f"{body} for {topic.text}" if not follow.terms else body
    return joined([body, *missing_slots(earlier, follow, place_said=place_said)])


def _asked(body: str) -> str:
    """Words as a question: "the age limit" becomes "What is the age limit"."""
    if _ASKS.match(body):
        return body
    verb = "What are" if re.search(r"[^s]s$", body) else "What is"
    return f"{verb} {body}" if re.match(r"(?:an?|the|any|my|our)\s", body, re.IGNORECASE) else f"{verb} the {body}"


def _sentence(text: str) -> str:
    cleaned = joined([text]).replace(" ,", ",").rstrip(" ?.!,;")
    if _ASKS.match(cleaned) or _ORDERS.match(cleaned):  # what it is about stays as it was typed
        cleaned = f"{cleaned[:1].upper()}{cleaned[1:]}"
    return cleaned if _ORDERS.match(cleaned) else f"{cleaned}?"
