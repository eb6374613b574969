"""The arguments of `python -m ops tokens`."""

import argparse
from typing import Any

from bot.access.tokens import MOST_DAYS, Permission
from ops.tokens.wording import days_out_of_range, help_texts, no_permission, unknown_permission

DEFAULT_DAYS = 90


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = help_texts()
    tokens = commands.add_parser("tokens", help=texts["tokens"], description=texts["tokens"])
    what = tokens.add_subparsers(dest="what", required=True)
    creating = what.add_parser("create", help=texts["create"], description=texts["create"])
    creating.add_argument("name", help=texts["name"])
    creating.add_argument(
        "--permissions", type=_permissions, default=_permissions("ask,read"), help=texts["permissions"]
    )
    creating.add_argument("--groups", type=_names, default=frozenset(), help=texts["groups"])
    creating.add_argument("--days", type=_days, default=DEFAULT_DAYS, help=texts["days"])
    listing = what.add_parser("list", help=texts["list"], description=texts["list"])
    listing.add_argument("--all", action="store_true", help=texts["all"])
    revoking = what.add_parser("revoke", help=texts["revoke"], description=texts["revoke"])
    revoking.add_argument("token", metavar="NAME_OR_ID", help=texts["name_or_id"])
    for each in (creating, listing, revoking):
        each.add_argument("--format", choices=("text", "json"), default="text", help=texts["format"])


def _names(value: str) -> frozenset[str]:
    return frozenset(each.strip() for each in value.split(",") if each.strip())


def _permissions(value: str) -> frozenset[Permission]:
    names = _names(value)
    if unknown := names - frozenset(Permission):
        raise argparse.ArgumentTypeError(unknown_permission(sorted(unknown)[0], [each.value for each in Permission]))
    if not names:
        raise argparse.ArgumentTypeError(no_permission([each.value for each in Permission]))
    return frozenset(Permission(each) for each in names)


def _days(value: str) -> int:
    if not value.isdecimal() or not 1 <= int(value) <= MOST_DAYS:
        raise argparse.ArgumentTypeError(days_out_of_range(MOST_DAYS))
    return int(value)
