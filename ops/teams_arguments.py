"""The arguments of `python -m ops teams-package`."""

from pathlib import Path
from typing import Any

from ops import wording_teams_package


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = wording_teams_package.help_texts()
    making = commands.add_parser("teams-package", help=texts["teams-package"], description=texts["teams-package"])
    making.add_argument("--output", type=Path, default=Path("adpolicy-teams.zip"), help=texts["output"])
    for name in ("website", "privacy", "terms"):
        making.add_argument(f"--{name}", default="", help=texts[name])
    making.add_argument("--version", default="1.0.0", help=texts["version"])
    for name in ("read-all-thread-replies", "read-group-chats", "read-members"):
        making.add_argument(f"--{name}", action="store_true", help=texts[name])
