"""What a language model wrote -> a reading of the rules, or the reason why it is none. Nothing here raises."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from rag_core.generation.prompt import MOST_SENTENCES
from rag_core.rules.reader import Effect
from rag_core.text.injections import speaks_to_machines
from rag_core.understanding.cleaning import strip_controls
from rag_core.vocabulary import pattern

LONGEST_OUTPUT = 50_000
"""Characters that are read at all."""

LONGEST_SENTENCE = 400
LONGEST_PHRASE = 160
_MOST_UNFIT = 20

_STRICTNESS = {Effect.PROHIBITS: 2, Effect.LIMITS: 1, Effect.REQUIRES: 1, Effect.ALLOWS: 0, Effect.INFORMS: 0}

_LINK = pattern("sentences", "link")
_MARKUP = re.compile(r"[<>\[\]{}`*_|~\\#^=]|&\w+;|^\s*[-+@]|!\(|^\(.*\)\W*$")
"""Mark-up, formulas, and what stands in brackets as a whole: a reference or a stage direction, no sentence."""

_INSTRUCTION = pattern("sentences", "instruction")
"""What a model says when it obeys a text, where `speaks_to_machines` spares what a document may say of such things."""

_NUMBERS = pattern("sentences", "numbers")
"""References to rules, which are given beside the text."""

_SENTENCES = re.compile(r'"sentences"\s*:\s*\[')
_NEXT = re.compile(r"[\s,]*(?=\{)")

_NOTHING = frozenset({"", "null", "none", "nothing", "n/a", "na", "no"})
_THOUGHTS_END = "</think>"
"""Where models that think aloud begin to answer."""


class Unreadable(StrEnum):
    """Why an output is no reading."""

    NO_JSON = "no_json"
    FIELD_MISSING = "field_missing"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_EFFECT = "unknown_effect"


class Unfit(StrEnum):
    """Why a sentence is never shown, whatever its rules say."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    LINK = "link"
    MARKUP = "markup"
    INSTRUCTION = "instruction"
    NO_RULE = "no_rule"


@dataclass(frozen=True, slots=True)
class UnfitSentence:
    """A sentence that was dropped at once; `text` is cut, and for the trace only."""

    text: str
    reason: Unfit


@dataclass(frozen=True, slots=True)
class ModelSentence:
    """A sentence of the answer and the numbers of the rules that say it, as the model has it: nobody checked it."""

    text: str
    rules: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModelReading:
    """Rules by number, from 1, as a model read them. `deciding`: what each does to the thing asked; `conditions` and
    `exceptions`: further rules; `not_stated`: what was asked and no rule says; `unfit`: sentences that were dropped."""

    deciding: dict[int, Effect]
    conditions: tuple[int, ...] = ()
    exceptions: tuple[int, ...] = ()
    not_stated: str | None = None
    sentences: tuple[ModelSentence, ...] = ()
    unfit: tuple[UnfitSentence, ...] = field(default=(), compare=False)


def is_stricter(effect: Effect, than: Effect) -> bool:
    """Whether `effect` leaves less room: prohibiting, then limiting or requiring, then the others."""
    return _STRICTNESS[effect] > _STRICTNESS[than]


def parse_reading(text: str, shown: Collection[int]) -> ModelReading | Unreadable:
    """The reading in a model's output. Numbers that are not among `shown` are dropped, and sentences without any of
    these; so are sentences with links, mark-up or orders to machines, with the reason. A rule named twice has its
    stricter effect."""
    read = _object(text[:LONGEST_OUTPUT])
    if read is None:
        return Unreadable.NO_JSON
    try:
        return _reading(read, shown)
    except KeyError:
        return Unreadable.FIELD_MISSING
    except TypeError:
        return Unreadable.WRONG_TYPE
    except ValueError:
        return Unreadable.UNKNOWN_EFFECT


def parse_begun(text: str, shown: Collection[int]) -> ModelReading | None:
    """The reading in an output that is not whole yet, with the sentences that are; None before the first one is, or
    where the sentences do not come last."""
    answer = text[:LONGEST_OUTPUT].rpartition(_THOUGHTS_END)[2]
    begun = _SENTENCES.search(answer)
    if begun is None:
        return None
    end, decoder = begun.end(), json.JSONDecoder(strict=False)
    while opened := _NEXT.match(answer, end):
        try:
            end = decoder.raw_decode(answer, opened.end())[1]
        except (ValueError, RecursionError):
            break
    read = parse_reading(f"{answer[:end]}]}}", shown)
    return read if isinstance(read, ModelReading) and read.sentences else None


def _reading(read: dict[str, object], shown: Collection[int]) -> ModelReading:
    """Raises KeyError, TypeError, and ValueError for an unknown effect."""
    deciding: dict[int, Effect] = {}
    for each in _dicts(read["deciding"]):
        (number,), effect = _numbers([each["rule"]], None), Effect(_text(each["effect"]))
        if number in shown and (number not in deciding or is_stricter(effect, deciding[number])):
            deciding[number] = effect
    conditions = _others(read["conditions"], shown, deciding)
    exceptions = _others(read["exceptions"], shown, [*deciding, *conditions])
    not_stated = None if read["not_stated"] is None else _phrase(_text(read["not_stated"]))
    sentences, unfit = _sentences(read["sentences"], shown)
    return ModelReading(deciding, conditions, exceptions, not_stated, sentences, unfit)


def _others(value: object, shown: Collection[int], known: Collection[int]) -> tuple[int, ...]:
    return tuple(number for number in _numbers(value, shown) if number not in known)


def _sentences(value: object, shown: Collection[int]) -> tuple[tuple[ModelSentence, ...], tuple[UnfitSentence, ...]]:
    """Those that are fit to be checked, each once and MOST_SENTENCES at most, and the others."""
    kept: dict[str, ModelSentence] = {}
    unfit: list[UnfitSentence] = []
    for each in _dicts(value):
        text, rules = _one_line(_text(each["text"])), _numbers(each["rules"], shown)
        reason = _unfit(text) or (None if rules else Unfit.NO_RULE)
        if reason is not None:
            unfit.append(UnfitSentence(text[:LONGEST_SENTENCE], reason))
        else:
            kept.setdefault(text.casefold(), ModelSentence(text, rules))
    return tuple(kept.values())[:MOST_SENTENCES], tuple(unfit[:_MOST_UNFIT])


def _phrase(text: str) -> str | None:
    """What is not stated; None where it says that all is, or is no phrase."""
    phrase = _one_line(text)
    if _unfit(phrase) or len(phrase) > LONGEST_PHRASE or phrase.casefold().rstrip(".") in _NOTHING:
        return None
    return phrase


def _one_line(text: str) -> str:
    """`text` on one line, without references to rules and hidden characters."""
    return " ".join(strip_controls(_NUMBERS.sub("", text)).split())


def _unfit(line: str) -> Unfit | None:
    """Whether nothing like this is ever shown."""
    if not any(letter.isalpha() for letter in line):
        return Unfit.EMPTY
    if len(line) > LONGEST_SENTENCE:
        return Unfit.TOO_LONG
    if _LINK.search(line):
        return Unfit.LINK
    if _MARKUP.search(line):
        return Unfit.MARKUP
    return Unfit.INSTRUCTION if speaks_to_machines(line) or _INSTRUCTION.search(line) else None


def _object(text: str) -> dict[str, object] | None:
    """The JSON object in `text`, also behind thoughts and between marks of code. Line breaks may stand in strings:
    llama.cpp's grammar lets them."""
    answer = text.rpartition(_THOUGHTS_END)[2]
    start = answer.find("{")
    try:
        read = json.JSONDecoder(strict=False).raw_decode(answer[start:])[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _dicts(value: object) -> Iterator[dict[str, object]]:
    """Raises TypeError where `value` is no list of objects."""
    if not isinstance(value, list):
        raise TypeError
    for each in value:
        if not isinstance(each, dict):
            raise TypeError
        yield each


def _numbers(value: object, shown: Collection[int] | None) -> tuple[int, ...]:
    """The numbers, each once, that are `shown` (None: all). Raises TypeError where `value` is no list of integers."""
    if not isinstance(value, list):
        raise TypeError
    found: dict[int, None] = {}
    for each in value:
        if not isinstance(each, int) or isinstance(each, bool):
            raise TypeError
        if shown is None or each in shown:
            found[each] = None
    return tuple(found)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
