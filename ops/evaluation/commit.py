"""Which code was measured."""

import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent


def commit_here() -> str:
    """The short hash of the commit, with "+" where something is changed since; "" without git."""
    try:
        head = _git("rev-parse", "--short=9", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
