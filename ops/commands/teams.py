"""`python -m ops teams-package`."""

import argparse
import asyncio
import re
import sys

from adapters.teams.app import MESSAGES_PATH
from ops.config import Config
from ops.deploy.teams_manifest import Wanted, host_of, manifest
from ops.deploy.teams_package import package
from ops.wording import teams_package as wording
from rag_core.errors import Misconfigured, Rejected

_VERSION = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}")


async def teams_package(args: argparse.Namespace, config: Config) -> int:
    """Nothing secret is in it, and nothing is asked of anybody. Raises Misconfigured, Rejected."""
    made = manifest(_wanted(args, config))
    asked = made.get("authorization", {"permissions": {"resourceSpecific": []}})["permissions"]["resourceSpecific"]
    try:
        await asyncio.to_thread(args.output.write_bytes, package(made))
    except OSError as exc:
        raise Rejected(
            "teams_package_unwritten", path=str(args.output), reason=exc.strerror or type(exc).__name__
        ) from exc
    print(wording.package_written(args.output, made["version"], [each["name"] for each in asked]))
    if host_of(config.chat_url):
        print(wording.endpoint(f"{config.chat_url.rstrip('/')}{MESSAGES_PATH}"))
    else:
        print(wording.endpoint_unknown(config.chat_url), file=sys.stderr)
    return 0


def _wanted(args: argparse.Namespace, config: Config) -> Wanted:
    app_id = config.teams_app_id.strip()
    if not app_id:
        raise Misconfigured("teams_package_without_app")
    if _VERSION.fullmatch(args.version) is None:
        raise Rejected("teams_version_invalid", value=args.version)
    return Wanted(
        app_id=app_id,
        website=args.website or config.public_url,
        privacy=args.privacy,
        terms=args.terms,
        hosts=host_of(config.chat_url),
        version=args.version,
        reads_all=args.read_all_thread_replies,
        reads_chats=args.read_group_chats,
        reads_members=args.read_members,
    )
