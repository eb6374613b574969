"""Where `ops evaluate` keeps what it ingested, for all tests of a session that measure over the same documents."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def evaluation_cache() -> Path:
    """What is in it is known by the documents and by the code that reads them: a test that changes either ingests
    anew."""
    folder = Path(tempfile.mkdtemp(prefix="adpolicy_corpora_"))
    atexit.register(shutil.rmtree, folder)
    return folder
