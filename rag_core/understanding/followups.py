"""Follow-ups: "and in France?" becomes the question it stands for, "Can I advertise alcohol in France?"."""

import re

from rag_core.questions import Background
from rag_core.regions import spoken_name
from rag_core.understanding.leaning import Lean, Leaning, leaning_of, pointers
from rag_core.understanding.reading import Reading
from rag_core.understanding.slots import Edits, joined, missing_slots, place_words, replace_material, replace_slots
from rag_core.understanding.topics import Topic, is_aspect, topic_of

_AND_WHY = ", and why"
_AND_WHY_END = re.compile(rf"{re.escape(_AND_WHY)}\W*$")
_ASKS = re.compile(
    r"^\W*(?:can|could|may|do|does|did|is|are|was|were|will|would|should|must|am|have|has|what|which|who|how|when|where|why"
    r"|whose|whom)\b",
    re.IGNORECASE,
)
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
