"""The sample policies, ingested once in a session: reading and embedding them takes five seconds, copying none."""

import atexit
import shutil
import tempfile
from pathlib import Path

from tests.fakes.program import environment, run

_made: list[Path] = []


def sample_store() -> Path:
    """A data folder with the samples in it, as `ingest run` leaves it. Not to be written to: see `sample_copy`."""
    if not _made:
        folder = Path(tempfile.mkdtemp(prefix="adpolicy_samples_"))
        atexit.register(shutil.rmtree, folder)
        ended = run("ingest", "run", "--quiet", env=environment(folder / "data"), cwd=folder)
        assert ended.returncode == 0, ended.stderr
        _made.append(folder / "data")
    return _made[0]


def sample_copy(folder: Path) -> Path:
    """The same as `folder`, which is not there yet, for one's own use. What is in it belongs to the catalogue of the
    samples, wherever that stands."""
    return Path(shutil.copytree(sample_store(), folder))
