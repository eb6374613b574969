"""`ops/run --slack-sandbox` and `--teams-sandbox`, where they do not start."""

import subprocess
from pathlib import Path

from tests.fakes.program import environment, run


def refused(platform: str, folder: Path, port: int, **settings: str) -> subprocess.CompletedProcess[str]:
    """What became of it: a pretended `platform` on this port, with these settings."""
    arguments = [f"--{platform}-sandbox", "--sandbox-port", str(port)]
    return run("ops.sandbox.beside", *arguments, env=environment(folder, **settings), cwd=folder)
