"""A catalogue file, read and checked: what is wrong is named with its line and key."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from ingest.catalogue.entries import Catalogue
from ingest.catalogue.problems import Location, key_of, located, unknown
from ingest.model.labels import LabelWords
from ingest.model.yaml_lines import NotYaml, content_and_lines, line_of
from rag_core.documents import Classification
from rag_core.errors import Misconfigured


def faults(catalogue: Catalogue) -> Iterator[tuple[Location, str]]:
    """(where, what) of every fault."""
    yield from _ids_used_twice(catalogue)
    yield from _unknown_groups(catalogue)
    yield from _groups_of_everybody(catalogue)
    yield from _labels(catalogue)
    yield from _names_that_differ(catalogue)


def _ids_used_twice(catalogue: Catalogue) -> Iterator[tuple[Location, str]]:
    seen: set[str] = set()
    for at, entry in enumerate(catalogue.sources):
        if entry.id in seen:
            yield ("sources", at, "id"), f"the id {entry.id} is used twice"
        seen.add(entry.id)


def _unknown_groups(catalogue: Catalogue) -> Iterator[tuple[Location, str]]:
    """Where the catalogue names its groups at all: one that it does not name has no members."""
    for at, entry in enumerate(catalogue.sources if catalogue.groups else ()):
        for group in sorted(entry.allowed_groups - catalogue.groups.keys()):
            yield ("sources", at, "allowed_groups"), unknown("group", group, catalogue.groups)


def _groups_of_everybody(catalogue: Catalogue) -> Iterator[tuple[Location, str]]:
    """What is public is for everybody: whoever names groups beside it means something else."""
    for at, entry in enumerate(catalogue.sources):
        if entry.allowed_groups and entry.defaults().classification is Classification.PUBLIC:
            yield (
                ("sources", at, "classification"),
                "public is for everybody, but allowed_groups names groups; drop one of the two",
            )


def _labels(catalogue: Catalogue) -> Iterator[tuple[Location, str]]:
    declared = {words.key: words for words in catalogue.label_words()}
    for at, entry in enumerate(catalogue.sources):
        for key, given in entry.labels.items():
            words = declared.get(key)
            if isinstance(given, LabelWords):
                if given != words:
                    yield ("sources", at, "labels", key), f"{key} is declared elsewhere with other values or words"
            elif words is not None and given not in words.words:
                yield ("sources", at, "labels", key), unknown("value", given, words.words)


def _names_that_differ(catalogue: Catalogue) -> Iterator[tuple[Location, str]]:
    """One policy source has one name; the sources of it may add aliases."""
    names: dict[str, str] = {}
    for at, entry in enumerate(catalogue.sources):
        name = names.setdefault(entry.policy_source, entry.display_name)
        if name != entry.display_name:
            yield (
                ("sources", at, "display_name"),
                f"{entry.policy_source} is called {name} above; use one name, and aliases for others",
            )


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue in the file `path`.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" with path, line, key and problem.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise Misconfigured("catalogue_missing", path=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise _invalid(path, None, "", str(error)) from error
    try:
        content, lines = content_and_lines(text)
    except NotYaml as error:
        raise _invalid(path, error.line, "", error.problem) from error
    try:
        catalogue = Catalogue.model_validate(content)
    except ValidationError as error:
        location, problem = located(error.errors(include_url=False))
        raise _invalid(path, line_of(location, lines), key_of(location), problem) from error
    for location, problem in faults(catalogue):
        raise _invalid(path, line_of(location, lines), key_of(location), problem)
    return catalogue


def _invalid(path: Path, line: int | None, key: str, problem: str) -> Misconfigured:
    return Misconfigured("catalogue_invalid", path=str(path), line=line, key=key, problem=problem)
