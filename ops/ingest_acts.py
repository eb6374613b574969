"""Who had documents read, released or forced, on record: what came in has entries of its own, without a person."""

import argparse
from collections.abc import Callable, Coroutine
from contextlib import suppress

from adapters.sql.audit.reading import SqlAuditReading
from bot.audit.entries import INSTALLATION
from ingest.model.operators import operator
from ops.acts import record_act
from ops.backends import open_engine
from ops.config import Config
from rag_core.errors import Unavailable

_CHANGING = ("run", "release")
"""Not `remove`, whose decision is on record with its reason. Not `watch`: it is a service, and nobody's act."""

_TOLD = ("folders", "catalogue", "policy_source", "force")


async def on_record(
    args: argparse.Namespace,
    config: Config,
    work: Callable[[], Coroutine[None, None, int]],
    whoami: Callable[[], str] = operator,
) -> int:
    """What `work` gives back. If documents came in or changed their standing meanwhile, that somebody called the
    command, whatever came of it. Raises what `work` raises."""
    if args.command not in _CHANGING:
        return await work()
    before = await _documents_on_record(config)
    try:
        return await work()
    finally:
        with suppress(Unavailable):  # what went wrong first is what the operator hears of
            if await _documents_on_record(config) != before:
                await _record(args, config, whoami)


async def _documents_on_record(config: Config) -> int:
    async with open_engine(config) as engine:
        head = await SqlAuditReading(engine).head(INSTALLATION)
        return head.count if head else 0


async def _record(args: argparse.Namespace, config: Config, whoami: Callable[[], str]) -> None:
    given = vars(args)
    facts = {name: _plain(given[name]) for name in _TOLD if given.get(name)}
    async with open_engine(config) as engine:
        await record_act(
            engine, f"ingest_{args.command}", target=str(given.get("doc_id") or ""), facts=facts, whoami=whoami
        )


def _plain(value: object) -> object:
    return [str(each) for each in value] if isinstance(value, list | tuple | set | frozenset) else str(value)
