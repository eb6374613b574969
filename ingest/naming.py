"""Names made from file and folder names: slugs, document ids, dates."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_ONLY_A_HASH = re.compile(r"[0-9a-f]{6,64}")
_SUFFIX = re.compile(r"\.(\d+)$")


def slug(text: str) -> str:
    """`text` in small letters, digits and underscores: "Advertising Content Policy" -> "advertising_content_policy"."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def title_from(name: str) -> str:
    """A title for a document that has none, from its file name or slug."""
    words = re.sub(r"[-_\s.]+", " ", _DATE.sub("", PurePosixPath(name).stem)).strip()
    return words[:1].upper() + words[1:] if words else name


def date_in_name(file_name: str) -> date | None:
    """The day in "2026-02-26_ab12.md" or "alcohol.2025-03-01.md"; None if there is none, or no such day."""
    match = _DATE.search(PurePosixPath(file_name).name)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def document_names(origins: Iterable[str]) -> dict[str, str]:
    """A name for the document at each origin: the slug of its file's name, date and extension left out.

    Where that is nothing, or a hash, the folder's name stands for it: its files are the versions of one document.
    Files without a date that share a name are different documents, and get their folder's name in front.
    """
    paths = {origin: _path_of(origin) for origin in origins}
    names = {origin: _own_name(path) for origin, path in paths.items()}
    undated = {origin for origin, path in paths.items() if date_in_name(path.name) is None}
    shared = Counter(names[origin] for origin in undated)
    return {
        origin: slug(f"{paths[origin].parent} {paths[origin].stem}") if origin in undated and shared[name] > 1 else name
        for origin, name in names.items()
    }


def _path_of(origin: str) -> PurePosixPath:
    """The path of a file; of a web address its path, and what tells it from others of that path."""
    if "://" not in origin:
        return PurePosixPath(origin)
    address = urlsplit(origin)
    path = unquote(address.path).strip("/") or address.hostname or origin
    return PurePosixPath(f"{path} {address.query}" if address.query else path)


def _own_name(path: PurePosixPath) -> str:
    name = slug(_DATE.sub("", path.stem))
    return (slug(path.parent.name) or "policy") if not name or _ONLY_A_HASH.fullmatch(name) else name


def document_id(policy_source: str, name: str) -> str:
    """`{policy_source}_{name}`; a name that is or begins with the source's is not written twice."""
    if name == policy_source:
        return f"{policy_source}_policy"
    return name if name.startswith(f"{policy_source}_") else f"{policy_source}_{name}"


def version_id(document: str, day: date, number: int) -> str:
    """The doc_id of the `number`-th version (from 1) of a document that holds from `day`."""
    return f"{document}_{day.isoformat()}" + (f".{number}" if number > 1 else "")


def version_number(doc_id: str) -> int:
    """Which version of its day a doc_id names: 1, or what follows the dot."""
    match = _SUFFIX.search(doc_id)
    return int(match[1]) if match else 1
