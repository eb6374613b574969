"""What pydantic says of a catalogue, in words about the file."""

import difflib
import re
from collections.abc import Iterable, Sequence

from pydantic_core import ErrorDetails

from ingest.catalogue.entries import ENTRY_TYPES, Catalogue, Selectors

Location = tuple[str | int, ...]


def located(errors: Sequence[ErrorDetails]) -> tuple[Location, str]:
    """Where the first mistake stands, and what it is. An unknown key comes first: it explains the missing one that it
    was meant to be."""
    first = min(errors, key=lambda error: error["type"] != "extra_forbidden")
    where = _without_tags(first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return where, unknown("key", str(where[-1]), _known_keys(first["loc"]))
        case "union_tag_invalid":
            return (*where, "type"), unknown("type", str(first["ctx"]["tag"]), ENTRY_TYPES)
        case "union_tag_not_found":
            return (*where, "type"), f"missing; one of {', '.join(ENTRY_TYPES)}"
        case "literal_error" | "enum":
            return where, unknown("value", str(first["input"]), _expected(first))
    return where, first["msg"].removeprefix("Value error, ")


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """`what` called `name` is not there; the nearest one that is, else all of them."""
    listed = list(known)
    near = difflib.get_close_matches(name, listed, n=1)
    return f"unknown {what} {name}; " + (f"did you mean {near[0]}?" if near else f"known: {', '.join(listed)}")


def key_of(location: Sequence[str | int]) -> str:
    """("sources", 0, "path") -> "sources[0].path"."""
    return re.sub(r"\.?\[", "[", ".".join(f"[{part}]" if isinstance(part, int) else str(part) for part in location))


def _without_tags(location: Location) -> Location:
    """The type of a source is no part of where something stands: ("sources", 0, "website", "start_urls")."""
    if len(location) > 2 and location[0] == "sources" and location[2] in ENTRY_TYPES:
        return (*location[:2], *(part for part in location[3:] if not _is_variant(part)))
    return location


def _is_variant(part: str | int) -> bool:
    """What pydantic adds for `bool | addresses`."""
    return isinstance(part, str) and (part == "bool" or "[" in part)


def _known_keys(location: Location) -> list[str]:
    if "selectors" in location:
        return list(Selectors.model_fields)
    if len(location) > 2 and location[0] == "sources":
        return list(ENTRY_TYPES[str(location[2])].model_fields)
    return list(Catalogue.model_fields)


def _expected(error: ErrorDetails) -> list[str]:
    return re.findall(r"'([^']+)'", str(error["ctx"]["expected"]))
