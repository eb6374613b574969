"""The labels with variants that a catalogue declares: all that answering needs of it, without sources and parsers."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.label_words import LabelWords, label_word, read_label_words
from ingest.yaml_lines import Lines, NotYaml, content_and_lines, line_of
from rag_core.errors import Misconfigured
from rag_core.questions import DeclaredLabel

_Location = tuple[str | int, ...]


def declared_labels(path: Path) -> tuple[DeclaredLabel, ...]:
    """Every label with variants in the catalogue `path`, by name; those of the sources among them.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" for a file that is no YAML or labels that cannot be
    read: rather no start than variants that are mixed. What else stands in the catalogue is ingest's to check.
    """
    content, lines = _content(path)
    found: dict[str, LabelWords] = {}
    for location, given in _labels_in(content):
        try:
            key = label_word(location[-1])
            words = read_label_words(key, given)
        except ValueError as error:
            raise _invalid(path, lines, location, str(error)) from error
        if found.setdefault(key, words) != words:
            raise _invalid(path, lines, location, f"{key} is declared elsewhere with other values or words")
    return tuple(DeclaredLabel(key, found[key].words, found[key].default) for key in sorted(found))


def _content(path: Path) -> tuple[object, Lines]:
    try:
        return content_and_lines(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise Misconfigured("catalogue_missing", path=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured("catalogue_invalid", path=str(path), line=None, key="", problem=str(error)) from error
    except NotYaml as error:
        problem = error.problem
        raise Misconfigured("catalogue_invalid", path=str(path), line=error.line, key="", problem=problem) from error


def _labels_in(content: object) -> Iterator[tuple[_Location, Mapping[object, object]]]:
    """Where each label with variants stands, and what is said of it. A plain value of a source declares nothing."""
    if not isinstance(content, Mapping):
        return
    places: list[tuple[_Location, object]] = [(("labels",), content.get("labels"))]
    sources = content.get("sources")
    for at, source in enumerate(sources if isinstance(sources, list) else ()):
        if isinstance(source, Mapping):
            places.append((("sources", at, "labels"), source.get("labels")))
    for where, labels in places:
        if isinstance(labels, Mapping):
            yield from (((*where, key), given) for key, given in labels.items() if isinstance(given, Mapping))


def _invalid(path: Path, lines: Lines, location: _Location, problem: str) -> Misconfigured:
    key = ".".join(str(each) for each in location)
    return Misconfigured("catalogue_invalid", path=str(path), line=line_of(location, lines), key=key, problem=problem)
