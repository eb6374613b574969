"""`python -m ops slack-manifest` and `slack-workspaces`."""

import argparse
import json
import sys

import aiohttp

from adapters.slack.client import called
from adapters.sql.chat.installations import SqlInstallations
from bot.access.installations import Installation
from bot.audit.entries import administration
from ingest.model.operators import operator
from ops.backends import build_vault, open_engine
from ops.commands.slack_check import client_of
from ops.config import Config
from ops.deploy.slack_manifest import PLACEHOLDER, manifest, printed
from ops.parts import new_id, utc_now
from ops.wording import slack as wording_slack
from rag_core.errors import PolicyBotError, Rejected

_SECONDS = 10.0


async def slack_manifest(args: argparse.Namespace, config: Config) -> int:
    """On standard output nothing but the manifest."""
    address = args.url or config.chat_url
    if not address and (args.many or not args.socket):
        print(wording_slack.address_is_a_placeholder(PLACEHOLDER), file=sys.stderr)
    print(printed(manifest(address, socket=args.socket, many=args.many), args.format))
    return 0


async def slack_workspaces(args: argparse.Namespace, config: Config) -> int:
    """Raises Rejected("unknown_slack_workspace")."""
    async with open_engine(config) as engine:
        store = SqlInstallations(engine, build_vault(config))
        found = await store.all()
        if args.what == "list":
            return _list(args, found)
        named = [each for each in found if each.place == args.place]
        if not named:
            raise Rejected("unknown_slack_workspace", name=args.place)
        revoked = await _revoke(config, named[0])
        entry = administration(
            new_id(), "slack_removed", utc_now(), person=operator(), target=args.place, workspace=args.place
        )
        await store.remove(named[0], entry)
    print(wording_slack.removed(args.place, revoked=revoked))
    return 0


async def _revoke(config: Config, it: Installation) -> bool:
    """Slack then tells running servers, which forget what they kept for it."""
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        try:
            await called(client_of(session, config.slack_api_url, it.token).auth_revoke())
        except Rejected as exc:
            return exc.code == "slack_not_installed"  # it is over already
        except PolicyBotError:
            return False
    return True


def _list(args: argparse.Namespace, found: tuple[Installation, ...]) -> int:
    now = utc_now()
    if args.format == "json":
        print(json.dumps([_as_json(each) for each in found]))
    else:
        print("\n".join(wording_slack.listed(found, now)) if found else wording_slack.NOBODY_INSTALLED)
    return 0


def _as_json(it: Installation) -> dict[str, object]:
    return {
        "place": it.place,
        "name": it.name,
        "organisation": it.organisation,
        "scopes": list(it.scopes),
        "installed_at": it.installed_at.isoformat(),
        "expires_at": it.expires_at.isoformat() if it.expires_at else None,
        "is_refused": it.is_refused,
    }
