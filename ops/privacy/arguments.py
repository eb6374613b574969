"""The arguments of `python -m ops forget` and `python -m ops retention`."""

from typing import Any

from ops.privacy.wording import help_texts


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = help_texts()
    forgetting = commands.add_parser("forget", help=texts["forget"], description=texts["forget"])
    forgetting.add_argument("person", metavar="PERSON", help=texts["person"])
    forgetting.add_argument("--dry-run", action="store_true", help=texts["dry_run"])
    forgetting.add_argument("--yes", action="store_true", help=texts["yes"])
    sweeping = commands.add_parser("retention", help=texts["retention"], description=texts["retention"])
    sweeping.add_argument("--dry-run", action="store_true", help=texts["retention_dry_run"])
