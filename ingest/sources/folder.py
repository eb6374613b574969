"""A folder of documents."""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ingest.model.document_types import is_unread_document, mime_type_of
from ingest.model.names import oldest_first, slug, title_from
from ingest.ports import Discovered, RawDocument, SourceDefaults
from rag_core.documents import PolicySource
from rag_core.errors import Misconfigured, Rejected

_ABOUT_THE_FOLDER = frozenset(
    {"readme", "license", "licence", "copying", "contributing", "changelog", "code_of_conduct"}
)
"""Names of files that speak of the folder, not of a policy; with any extension."""
_LARGEST = 20 * 1024 * 1024
"""Bytes. The longest policies are below one megabyte."""
_NOT_UTF8 = "\\udc"
"""Stands in an origin for a byte of a file's name that is no UTF-8."""


class FolderSource:
    """`ingest.ports.Source`: the document files in a folder and below it, by path.

    Left out: names that begin with a dot or an underscore, and files about the folder itself (README, LICENSE,
    CHANGELOG ...). A folder that is missing, holds no document or has a folder that cannot be opened is an error, never
    "everything was removed": Misconfigured("source_folder_missing"), Rejected("source_empty",
    "source_folder_unreadable").

    `url` is the public address of its documents, where they do not name their own.
    """

    def __init__(self, source_id: str, folder: Path, defaults: SourceDefaults, url: str | None = None) -> None:
        self._source_id = source_id
        self._folder = folder
        self._defaults = defaults
        self._url = url

    @property
    def source_id(self) -> str:
        return self._source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._defaults

    async def discover(self) -> Sequence[Discovered]:
        return await asyncio.to_thread(self._discover)

    def _discover(self) -> list[Discovered]:
        if not os.path.isdir(self._folder):
            raise Misconfigured("source_folder_missing", source_id=self._source_id, path=str(self._folder))
        origins = document_paths(self._folder)
        if not origins:
            raise Rejected("source_empty", source_id=self._source_id, path=str(self._folder))
        unread = _paths(self._folder, is_unread)
        return [
            *(Discovered(origin, PurePosixPath(origin).name) for origin in origins),
            *(Discovered(origin, PurePosixPath(origin).name, is_read=False) for origin in sorted(unread)),
        ]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument:
        content = await asyncio.to_thread(self._read, item.origin)
        return RawDocument(item.origin, item.file_name, content, mime_type_of(item.file_name) or "", self._url)

    def _read(self, origin: str) -> bytes:
        path = self._folder / origin
        if _NOT_UTF8 in origin and not path.exists():
            raise Rejected("document_unreadable", path=str(path), problem="its name is not UTF-8")
        try:
            path.stat()  # of links that lead in a circle, `resolve` raises what is no OSError
            place, folder = path.resolve(), self._folder.resolve()
            if not place.is_relative_to(folder):
                raise Rejected("document_outside_folder", path=str(path))
            with _opened_folder(folder, place.parent.relative_to(folder).parts) as opened:
                return read_file(place, opened)
        except (OSError, RuntimeError) as error:
            raise _unreadable(path, error) from error

    async def aclose(self) -> None:
        """Nothing is open."""


@contextmanager
def _opened_folder(folder: Path, parts: Sequence[str]) -> Iterator[int]:
    """The descriptor of a folder below `folder`, of which no part is a link: one that became one leads elsewhere."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened)
            os.close(opened)
            opened = below
        yield opened
    finally:
        os.close(opened)


def read_file(path: Path, opened: int | None = None) -> bytes:
    """What the document file at `path` holds; with `opened`, the descriptor of its folder, if it is no link.

    Raises Rejected: as `open_file` does, "document_unreadable" (path, problem), "document_too_large" (size and most, in
    bytes), "document_changing" where it was written to meanwhile: half of a policy says what the whole does not.
    """
    try:
        with open_file(path, opened) as file:
            before = os.fstat(file.fileno())
            content = file.read(_LARGEST + 1)
            after = os.fstat(file.fileno())
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(content) > _LARGEST:
        raise Rejected("document_too_large", size=after.st_size, most=_LARGEST)
    if len(content) != before.st_size or before.st_mtime_ns != after.st_mtime_ns:
        raise Rejected("document_changing", path=str(path))
    return content


def open_file(path: Path, opened: int | None = None) -> BinaryIO:
    """The file at `path`, opened for reading; with `opened`, the descriptor of its folder, if it is no link.

    Raises OSError, and Rejected("document_no_file", path) for a pipe, a socket, a device or a folder: reading it may
    wait for ever, and opening it may set something off.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    place: str | Path = path
    if opened is not None:
        place, flags = path.name, flags | os.O_NOFOLLOW
    if not stat.S_ISREG(os.stat(place, dir_fd=opened, follow_symlinks=opened is None).st_mode):
        raise Rejected("document_no_file", path=str(path))
    file = os.fdopen(os.open(place, flags, dir_fd=opened), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # another since then
        file.close()
        raise Rejected("document_no_file", path=str(path))
    return file


def _unreadable(path: Path, error: OSError | RuntimeError) -> Rejected:
    problem = getattr(error, "strerror", None) or str(error)
    return Rejected("document_unreadable", path=str(path), problem=problem)


def document_paths(folder: Path) -> list[str]:
    """The documents of a folder, as paths relative to it, sorted; versions of one in their order.

    Bytes of a name that are no UTF-8, which could not be stored, are written out as `_NOT_UTF8` and two digits. Raises
    Rejected("source_folder_unreadable") for one below it that cannot be opened: its documents are not gone.
    """
    return oldest_first(sorted(_paths(folder, is_document)))


def _paths(folder: Path, is_wanted: Callable[[str], bool]) -> list[str]:
    def refuse(error: OSError) -> None:
        raise Rejected("source_folder_unreadable", path=str(error.filename), problem=error.strerror or str(error))

    found: list[str] = []
    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found.extend((Path(place) / name).relative_to(folder).as_posix() for name in files if is_wanted(name))
    return [path.encode(errors="backslashreplace").decode() for path in found]


def is_document(name: str) -> bool:
    """Whether a file of this name is read: a parser reads it, and it is neither hidden nor about the folder itself."""
    if name.startswith((".", "_")) or mime_type_of(name) is None:
        return False
    return slug(name.split(".", 1)[0]) not in _ABOUT_THE_FOLDER


def is_unread(name: str) -> bool:
    """Whether a file of this name is a document that is not read, since no parser reads its type."""
    if name.startswith((".", "_", "~")) or slug(name.split(".", 1)[0]) in _ABOUT_THE_FOLDER:
        return False
    return is_unread_document(name)


def sources_in(folder: Path, policy_source: str | None = None, display_name: str | None = None) -> list[FolderSource]:
    """The sources of a folder that no catalogue describes.

    With `policy_source` it is one source. Else, if all its documents are in sub-folders and there are several of
    those, each is a source named for its folder; if not, the folder is one. Raises Misconfigured, Rejected as above.
    """
    if not folder.is_dir():
        raise Misconfigured("source_folder_missing", source_id="", path=str(folder))
    paths = [PurePosixPath(origin) for origin in document_paths(folder)]
    if not paths:
        raise Rejected("source_empty", source_id="", path=str(folder))
    below = sorted({path.parts[0] for path in paths if len(path.parts) > 1})
    if policy_source is None and len(below) > 1 and all(len(path.parts) > 1 for path in paths):
        return [_source(folder / name, None, None) for name in below]
    return [_source(folder, policy_source, display_name)]


def _source(folder: Path, policy_source: str | None, display_name: str | None) -> FolderSource:
    """Remembered under its path: the same folder is the same source in every run."""
    place = folder.resolve()
    name = policy_source or slug(place.name) or "documents"
    digest = hashlib.sha256(place.as_posix().encode()).hexdigest()[:8]
    defaults = SourceDefaults(
        PolicySource(name, display_name or title_from(policy_source or place.name)), guessed=policy_source is None
    )
    return FolderSource(f"folder-{slug(place.name) or 'root'}-{digest}", folder, defaults)
