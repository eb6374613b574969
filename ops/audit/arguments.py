"""The arguments of `python -m ops audit`."""

from pathlib import Path
from typing import Any

from ops.audit.wording import help_texts


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = help_texts()
    audit = commands.add_parser("audit", help=texts["audit"], description=texts["audit"])
    what = audit.add_subparsers(dest="what", required=True)
    checking = what.add_parser("verify", help=texts["verify"], description=texts["verify"])
    checking.add_argument("--workspace", help=texts["workspace"])
    checking.add_argument("--bytes-only", action="store_true", help=texts["bytes_only"])
    checking.add_argument("--head", metavar="FILE_OR_TEXT", help=texts["kept_head"])
    what.add_parser("head", help=texts["head"], description=texts["head"])
    exporting = what.add_parser("export", help=texts["export"], description=texts["export"])
    exporting.add_argument("folder", type=Path, help=texts["folder"])
    exporting.add_argument("--workspace", help=texts["workspace"])
    what.add_parser("key", help=texts["key"], description=texts["key"])
    showing = what.add_parser("show", help=texts["show"], description=texts["show"])
    showing.add_argument("answer_id", help=texts["answer_id"])
    showing.add_argument("--not-today", action="store_true", help=texts["not_today"])
