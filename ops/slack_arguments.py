"""The arguments of `python -m ops slack-manifest` and `slack-workspaces`."""

from typing import Any

from ops import wording_slack


def add_arguments(commands: Any) -> None:
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
