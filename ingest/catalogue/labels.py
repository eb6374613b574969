"""Labels of a source, and the words by which people name them in questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator

_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class LabelWords:
    """Variants that are never mixed: `words` by value of the label `key`, in small letters.

    `default`: the value of a document that states none, and of a question that names none; None: neither has one.
    """

    key: str
    words: Mapping[str, tuple[str, ...]]
    default: str | None = None


def read_label_words(key: str, declared: Mapping[object, object]) -> LabelWords:
    """`{indoor: [indoor, inside], outdoor: [...], default: outdoor}`. Raises ValueError."""
    values = {_word(value): words for value, words in declared.items()}
    default = values.pop(_DEFAULT, None)
    words = {value: _words(value, given) for value, given in values.items()}
    if len(words) < 2:
        raise ValueError(f"{key} needs at least two values, each with the words that name it")
    owner: dict[str, str] = {}
    for value, named in words.items():
        for word in named:
            if owner.setdefault(word, value) != value:
                raise ValueError(f"the word {word!r} names both {owner[word]} and {value}")
    if default is not None and _word(default) not in words:
        raise ValueError(f"the default {default!r} is none of the values: {', '.join(words)}")
    return LabelWords(key, words, None if default is None else _word(default))


def _words(value: str, given: object) -> tuple[str, ...]:
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    words = tuple(dict.fromkeys(_word(each) for each in listed if each is not None))
    if not words:
        raise ValueError(f"{value} needs words that name it; list them: {value}: [{value}, ...]")
    return words


def _word(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or not str(value).strip():
        raise ValueError(f"{value!r} is no word; put it in quotation marks")
    return " ".join(str(value).lower().split())


def _labels(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError("write labels as {name: value}")
    read: dict[str, str | LabelWords] = {}
    for name, given in value.items():
        key = _word(name)
        read[key] = read_label_words(key, given) if isinstance(given, Mapping) else _word(given)
    return read


def _declared(value: object) -> object:
    labels = _labels(value)
    if isinstance(labels, dict):
        for key, given in labels.items():
            if not isinstance(given, LabelWords):
                raise ValueError(
                    f"{key} needs its values and the words that name them; a plain value belongs to a source"
                )
    return labels


SourceLabels = Annotated[dict[str, str | LabelWords], BeforeValidator(_labels)]
DeclaredLabels = Annotated[dict[str, LabelWords], BeforeValidator(_declared)]
