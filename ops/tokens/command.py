"""`python -m ops tokens`: who does what."""

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from datetime import datetime, timedelta

from adapters.sql.people.api_tokens import SqlApiTokens
from adapters.web.credentials import FRESH_SECONDS
from bot.access.tokens import ApiToken, hash_of, is_name, new_token
from bot.audit.entries import AuditEntry, administration
from ingest.model.labels import declared_groups
from ingest.model.operators import operator
from ops.config import Config
from ops.parts import new_id, utc_now
from ops.tokens import wording
from ops.wiring import open_engine
from rag_core.errors import Rejected


async def tokens(args: argparse.Namespace, config: Config) -> int:
    """Raises Rejected, which says what cannot be."""
    if args.what == "create":
        return await _create(args, config)
    async with open_engine(config) as engine:
        kept = SqlApiTokens(engine)
        if args.what == "list":
            return _list(args, [each for each in await kept.all() if args.all or each.revoked_at is None])
        return await _revoke(args, kept)


async def _create(args: argparse.Namespace, config: Config) -> int:
    if not is_name(args.name):
        raise Rejected("token_name_invalid", name=args.name)
    known = await asyncio.to_thread(declared_groups, config.catalogue)
    if unknown := args.groups - known.keys():
        raise Rejected("unknown_group", group=sorted(unknown)[0], known=sorted(known))
    now, secret = utc_now().replace(microsecond=0), new_token()
    token = ApiToken(new_id(), args.name, args.permissions, args.groups, now, now + timedelta(days=args.days))
    async with open_engine(config) as engine:
        await SqlApiTokens(engine).create(token, hash_of(secret), _entry("token_created", token, now))
    if args.format == "json":
        print(json.dumps({"token": secret, **_as_json(token, now)}))
    else:
        print("\n".join(wording.created(token, asked_for=config.web_tokens)), file=sys.stderr)
        print(secret)
    return 0


def _list(args: argparse.Namespace, found: list[ApiToken]) -> int:
    now = utc_now()
    if args.format == "json":
        print(json.dumps([_as_json(each, now) for each in found]))
    else:
        print("\n".join(wording.listed(found, now)) if found else wording.NONE_THERE)
    return 0


async def _revoke(args: argparse.Namespace, kept: SqlApiTokens) -> int:
    live = [each for each in await kept.all() if each.revoked_at is None]
    found = [each for each in live if args.token in (each.name, each.token_id)]
    if not found:
        raise Rejected("unknown_token", name=args.token)
    token, now = found[0], utc_now()
    await kept.revoke(token.token_id, now, _entry("token_revoked", token, now))
    if args.format == "json":
        print(json.dumps({"token_id": token.token_id, "name": token.name, "revoked_at": now.isoformat()}))
    else:
        print(wording.revoked(token, FRESH_SECONDS))
    return 0


def _entry(act: str, token: ApiToken, at: datetime) -> AuditEntry:
    facts = {
        "permissions": sorted(token.permissions),
        "groups": sorted(token.groups),
        "expires_at": token.expires_at.isoformat(),
    }
    entry = administration(new_id(), act, at, person=operator(), target=token.token_id, facts=facts)
    return replace(entry, personal={**entry.personal, "name": token.name})  # it may be somebody's


def _as_json(token: ApiToken, now: datetime) -> dict[str, object]:
    return {
        "token_id": token.token_id,
        "name": token.name,
        "state": wording.state(token, now).replace(" ", "_"),
        "permissions": sorted(token.permissions),
        "groups": sorted(token.groups),
        "created_at": token.created_at.isoformat(),
        "expires_at": token.expires_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
        "revoked_at": token.revoked_at.isoformat() if token.revoked_at else None,
    }
