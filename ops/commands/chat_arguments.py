"""Arguments of the commands for Slack and Teams. Imports none of their libraries."""

from pathlib import Path
from typing import Any

from ops.wording import slack as wording_slack
from ops.wording import teams_package as wording_teams_package


def add_slack(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = wording_slack.help_texts()
    making = commands.add_parser("slack-manifest", help=texts["slack-manifest"], description=texts["slack-manifest"])
    making.add_argument("--url", default="", help=texts["url"])
    making.add_argument("--socket", action="store_true", help=texts["socket"])
    making.add_argument("--many", action="store_true", help=texts["many"])
    making.add_argument("--format", choices=("yaml", "json"), default="yaml", help=texts["format"])
    about = texts["slack-workspaces"]
    what = commands.add_parser("slack-workspaces", help=about, description=about).add_subparsers(
        dest="what", required=True
    )
    listing = what.add_parser("list", help=texts["list"], description=texts["list"])
    listing.add_argument("--format", choices=("text", "json"), default="text", help=texts["format"])
    removing = what.add_parser("remove", help=texts["remove"], description=texts["remove"])
    removing.add_argument("place", help=texts["place"])


def add_teams(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = wording_teams_package.help_texts()
    making = commands.add_parser("teams-package", help=texts["teams-package"], description=texts["teams-package"])
    making.add_argument("--output", type=Path, default=Path("adpolicy-teams.zip"), help=texts["output"])
    for name in ("website", "privacy", "terms"):
        making.add_argument(f"--{name}", default="", help=texts[name])
    making.add_argument("--version", default="1.0.0", help=texts["version"])
    for name in ("read-all-thread-replies", "read-group-chats", "read-members"):
        making.add_argument(f"--{name}", action="store_true", help=texts[name])
