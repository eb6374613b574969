"""The labels with variants that a catalogue declares: all that answering needs of it, without sources and parsers."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.declared import Location, catalogue_content, invalid
from ingest.label_words import LabelWords, label_word, read_label_words
from rag_core.questions import DeclaredLabel


def declared_labels(path: Path) -> tuple[DeclaredLabel, ...]:
    """Every label with variants in the catalogue `path`, by name; those of the sources among them.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" for a file that is no YAML or labels that cannot be
    read: rather no start than variants that are mixed. What else stands in the catalogue is ingest's to check.
    """
    content, lines = catalogue_content(path)
    found: dict[str, LabelWords] = {}
    for location, given in _labels_in(content):
        try:
            key = label_word(location[-1])
            words = read_label_words(key, given)
        except ValueError as error:
            raise invalid(path, lines, location, str(error)) from error
        if found.setdefault(key, words) != words:
            raise invalid(path, lines, location, f"{key} is declared elsewhere with other values or words")
    return tuple(DeclaredLabel(key, found[key].words, found[key].default) for key in sorted(found))


def _labels_in(content: object) -> Iterator[tuple[Location, Mapping[object, object]]]:
    """Where each label with variants stands, and what is said of it. A plain value of a source declares nothing."""
    if not isinstance(content, Mapping):
        return
    places: list[tuple[Location, object]] = [(("labels",), content.get("labels"))]
    sources = content.get("sources")
    for at, source in enumerate(sources if isinstance(sources, list) else ()):
        if isinstance(source, Mapping):
            places.append((("sources", at, "labels"), source.get("labels")))
    for where, labels in places:
        if isinstance(labels, Mapping):
            yield from (((*where, key), given) for key, given in labels.items() if isinstance(given, Mapping))
