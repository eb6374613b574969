"""Labels of a source as the catalogue states them."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator

from ingest.model.labels import LabelWords, label_word, read_label_words


def _labels(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError("write labels as {name: value}")
    read: dict[str, str | LabelWords] = {}
    for name, given in value.items():
        key = label_word(name)
        read[key] = read_label_words(key, given) if isinstance(given, Mapping) else label_word(given)
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
