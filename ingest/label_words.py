"""Labels with variants, and the words by which people name them in questions."""

from collections.abc import Mapping
from dataclasses import dataclass

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
    values = {label_word(value): words for value, words in declared.items()}
    default = values.pop(_DEFAULT, None)
    words = {value: _words(value, given) for value, given in values.items()}
    if len(words) < 2:
        raise ValueError(f"{key} needs at least two values, each with the words that name it")
    owner: dict[str, str] = {}
    for value, named in words.items():
        for word in named:
            if owner.setdefault(word, value) != value:
                raise ValueError(f"the word {word!r} names both {owner[word]} and {value}")
    if default is not None and label_word(default) not in words:
        raise ValueError(f"the default {default!r} is none of the values: {', '.join(words)}")
    return LabelWords(key, words, None if default is None else label_word(default))


def _words(value: str, given: object) -> tuple[str, ...]:
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    words = tuple(dict.fromkeys(label_word(each) for each in listed if each is not None))
    if not words:
        raise ValueError(f"{value} needs words that name it; list them: {value}: [{value}, ...]")
    return words


def label_word(value: object) -> str:
    """A name, value or word as it is compared. Raises ValueError for what is no text or number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or not str(value).strip():
        raise ValueError(f"{value!r} is no word; put it in quotation marks")
    return " ".join(str(value).lower().split())
