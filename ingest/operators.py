"""Who runs a command."""

import getpass
import os


def operator() -> str:
    """The operating system's name for who runs this process, or his number where he has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user has no entry anywhere
        return f"uid {os.getuid()}"
