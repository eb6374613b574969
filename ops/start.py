"""What `ops/run` does once everything is installed: documents the first time, then the bot."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from adapters.sql.policy_store import SqlPolicyStore
from bot import cli as bot_cli
from ingest import cli as ingest_cli
from ops import wording
from ops.config import Config
from ops.wiring import open_engine, open_ingest, run_command


def start(arguments: Sequence[str], config: Config) -> int:
    """`python -m bot ARGUMENTS` (default: serve) on a store that has documents."""
    args = bot_cli.parse(arguments or ["serve"])
    return asyncio.run(_start(args, config))


async def _start(args: argparse.Namespace, config: Config) -> int:
    if not await _has_documents(config):
        print(wording.first_ingest(), file=sys.stderr, flush=True)
        async with open_ingest(config) as parts:
            await ingest_cli.ingest_catalogue(config.catalogue, parts)
    return await run_command(args, config)


async def _has_documents(config: Config) -> bool:
    async with open_engine(config) as engine:
        return bool(await SqlPolicyStore(engine).sources(frozenset()))
