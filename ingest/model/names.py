"""Names made from file and folder names: slugs, document ids, dates."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ingest.dates.file_names import date_in_name, stem_of, version_in_name, without_dates, without_version

_ONLY_A_HASH = re.compile(r"[0-9a-f]{6,64}")
_SUFFIX = re.compile(r"\.(\d+)$")


def slug(text: str) -> str:
    """`text` in small letters, digits and underscores: "Advertising Content Policy" -> "advertising_content_policy"."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def title_from(name: str) -> str:
    """A title for a document that has none, from its file name or slug."""
    words = re.sub(r"[-_\s.]+", " ", without_dates(stem_of(name))).strip()
    return words[:1].upper() + words[1:] if words else name


def document_names(origins: Iterable[str]) -> dict[str, str]:
    """A name for the document at each origin: the slug of its file's name; date, version mark and extension left out.

    Where that is nothing, or a hash, the folder's name stands for it: its files are the versions of one document.
    Files without a date that share a name are different documents, and get their folder's name in front; unless just
    their version marks tell them apart: alcohol_v1 and alcohol_v2 of one folder are versions of `alcohol`.

    A version mark is left out even where no other version is there: what is stored of alcohol_v1 today must have the
    id that alcohol_v2 gives it tomorrow. For the same reason `alcohol` without a mark is a version of it as well.
    """
    paths = {origin: _path_of(origin) for origin in origins}
    names = {origin: _own_name(path) for origin, path in paths.items()}
    undated = {origin: _unmarked(paths[origin]) for origin in paths if date_in_name(paths[origin].name) is None}
    distinct = Counter(names[origin] for origin in {path: origin for origin, path in undated.items()}.values())
    return {
        origin: (slug(" ".join(undated[origin])) or name) if origin in undated and distinct[name] > 1 else name
        for origin, name in names.items()
    }


def oldest_first(origins: Sequence[str]) -> list[str]:
    """`origins`, but those that just version marks tell apart in the order of these: v2 before v10. Others stay where
    they are; days in names count without this.

    The one without a mark is the newest where there is a v1 (`alcohol` beside its old `alcohol_v1`), else the oldest
    (`alcohol`, then `alcohol_v2`).
    """
    places: dict[tuple[str, str], list[int]] = {}
    for at, origin in enumerate(origins):
        path = _path_of(origin)
        if date_in_name(path.name) is None:
            places.setdefault(_unmarked(path), []).append(at)
    ordered = list(origins)
    for group in places.values():
        for at, origin in zip(group, _by_version([origins[at] for at in group]), strict=True):
            ordered[at] = origin
    return ordered


def _by_version(origins: Sequence[str]) -> list[str]:
    versions = {origin: version_in_name(_path_of(origin).name) for origin in origins}
    has_first = any(version is not None and version[0] <= 1 for version in versions.values())
    unmarked = (math.inf,) if has_first else (-math.inf,)
    return sorted(origins, key=lambda origin: versions[origin] or unmarked)


def _unmarked(path: PurePosixPath) -> tuple[str, str]:
    """What tells an undated document from others: its folder, and its name without version mark and extension."""
    return str(path.parent), slug(without_version(stem_of(path.name)))


def _path_of(origin: str) -> PurePosixPath:
    """The path of a file; of a web address its path, and what tells it from others of that path."""
    if "://" not in origin:
        return PurePosixPath(origin)
    address = urlsplit(origin)
    path = unquote(address.path).strip("/") or address.hostname or origin
    return PurePosixPath(f"{path} {address.query}" if address.query else path)


def _own_name(path: PurePosixPath) -> str:
    name = slug(without_version(without_dates(stem_of(path.name))))
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
