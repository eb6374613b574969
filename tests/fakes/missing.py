"""What a test needs and this machine has not: without it the test is skipped, and in CI it fails."""

import os
import shutil
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Ends the test. `what`: the thing that is missing, and how it is had."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def program(name: str, package: str) -> str:
    """The path of a program that Debian has in `package`."""
    return shutil.which(name) or missing(f"{name} is not installed (apt-get install {package})")
