"""The arguments of `python -m ops rotate-keys`."""

from typing import Any

from ops.keys.wording import help_texts


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = help_texts()
    rotate = commands.add_parser("rotate-keys", help=texts["rotate-keys"], description=texts["rotate-keys"])
    rotate.add_argument("--check", action="store_true", help=texts["check"])
