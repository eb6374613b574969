"""What only the whole catalogue shows: names used twice, groups and label values that nothing declares."""

from collections.abc import Iterator

from ingest.catalogue.entries import Catalogue
from ingest.catalogue.problems import Location, unknown
from ingest.model.labels import LabelWords
from rag_core.documents import Classification


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
