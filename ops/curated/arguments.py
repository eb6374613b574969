"""The arguments of `python -m ops curated`."""

from typing import Any

from ops.wording.curated import help_texts


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = help_texts()
    curated = commands.add_parser("curated", help=texts["curated"], description=texts["curated"])
    what = curated.add_subparsers(dest="what", required=True)
    listing = what.add_parser("list", help=texts["list"], description=texts["list"])
    showing = what.add_parser("show", help=texts["show"], description=texts["show"])
    for name in ("import", "export"):
        what.add_parser(name, help=texts[name], description=texts[name]).add_argument("file", help=texts["file"])
    approving = what.add_parser("approve", help=texts["approve"], description=texts["approve"])
    approving.add_argument("--by", default="", help=texts["by"])
    others = [what.add_parser(name, help=texts[name], description=texts[name]) for name in ("suspend", "retire")]
    for each in (showing, approving, *others):
        each.add_argument("name", help=texts["name"])
    for each in (listing, showing):
        each.add_argument("--format", choices=("text", "json"), default="text", help=texts["format"])
