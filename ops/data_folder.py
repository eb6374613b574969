"""The folder of the embedded default: made, checked, locked, and with a key of its own."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cryptography.fernet import Fernet
from filelock import FileLock, Timeout

from adapters.local.manifest import flush_to_disk
from adapters.local.signing import new_signing_key
from ops.config import Config
from rag_core.errors import Misconfigured

_KEY_FILE = "secret.key"
_SIGNING_KEY_FILE = "audit-signing.key"


def prepare_folder(folder: Path) -> Path:
    """The data folder, made if need be. Raises Misconfigured("data_dir_unwritable", path=...)."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / f".write-{os.getpid()}"
        probe.touch()
        probe.unlink()
        _close_to_others(folder)
    except OSError as exc:
        raise _unwritable(folder) from exc
    return folder


@contextmanager
def private_files() -> Iterator[None]:
    """What this process makes meanwhile is its owner's alone: files 0600, folders 0700."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _close_to_others(folder: Path) -> None:
    """The data folder holds what people asked. Another owner's (a volume, say) is his to close."""
    found = folder.stat()
    if found.st_uid == os.geteuid() and found.st_mode & 0o077:
        folder.chmod(0o700)


def _unwritable(folder: Path) -> Misconfigured:
    return Misconfigured("data_dir_unwritable", path=str(folder), setting="ADPOLICY_DATA_DIR")


@contextmanager
def server_lock(folder: Path) -> Iterator[None]:
    """Only one server may run on a folder. Raises Misconfigured: data_dir_in_use, data_dir_unwritable (path)."""
    lock = FileLock(prepare_folder(folder) / "server.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as exc:
        raise Misconfigured("data_dir_in_use", path=str(folder)) from exc
    except OSError as exc:
        raise _unwritable(folder) from exc
    try:
        yield
    finally:
        lock.release()


def secret_keys(config: Config) -> tuple[str, ...]:
    """The keys that encrypt at rest, newest first: from the setting, else a file in the data folder made once."""
    if config.secret_key is not None:
        return tuple(key.strip() for key in config.secret_key.get_secret_value().split(","))
    path = key_file(config)
    if not path.exists():
        _make_key(path.parent, path, Fernet.generate_key().decode())
    return tuple(_read_key(path, "ADPOLICY_SECRET_KEY").split())


def key_file(config: Config) -> Path:
    """Where the keys are without the setting: one a line, newest first; several only while one is being replaced."""
    return prepare_folder(config.data_dir) / _KEY_FILE


def write_keys(config: Config, keys: Sequence[str]) -> None:
    """In place of those in the file; it has the former or these, whatever happens. Raises Misconfigured."""
    path = key_file(config)
    try:
        made = _written(path.parent, path, "\n".join(keys))
        made.replace(path)
        flush_to_disk(path.parent)
    except OSError as exc:
        raise _unwritable(path.parent) from exc


def signing_key(config: Config) -> str:
    """The key that signs checkpoints: from the setting, else a file in the data folder made once."""
    if config.audit_key is not None:
        return config.audit_key.get_secret_value()
    folder = prepare_folder(config.data_dir)
    path = folder / _SIGNING_KEY_FILE
    if not path.exists():
        _make_key(folder, path, new_signing_key())
    return _read_key(path, "ADPOLICY_AUDIT_KEY")


def _make_key(folder: Path, path: Path, key: str) -> None:
    """Written beside it and then linked, so that a process that starts at the same moment reads a whole key or none."""
    try:
        made = _written(folder, path, key)
        try:
            with contextlib.suppress(FileExistsError):  # the other one's is as good
                os.link(made, path)
        finally:
            made.unlink()
    except OSError as exc:
        raise _unwritable(folder) from exc


def _written(folder: Path, path: Path, text: str) -> Path:
    """A file beside `path`, on the disk."""
    descriptor, made = tempfile.mkstemp(prefix=f".{path.name}-", dir=folder)  # mode 0600
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return Path(made)


def _read_key(path: Path, setting: str) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("secret_key_unreadable", path=str(path), setting=setting) from exc
