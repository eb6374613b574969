"""`python -m ops forget` and `python -m ops retention`."""

import argparse
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TextIO

from adapters.sql.database.wiping import wipe
from adapters.sql.people.privacy import SqlPeopleForgetting, open_pseudonyms
from bot.access.pseudonyms import actor_from
from bot.model.messages import Actor
from ingest.model.operators import Confirmation, operator, refused
from ops.backends import build_keepers, build_spool, build_vault, connect_redis, open_engine
from ops.config import Config
from ops.parts import utc_now
from ops.privacy import wording
from ops.privacy.forgetting import Forgetting
from ops.privacy.retention import build_retention
from rag_core.errors import Unavailable

_GRACE_SECONDS = 10.0


async def forget(
    args: argparse.Namespace,
    config: Config,
    answers: TextIO | None = None,
    whoami: Callable[[], str] = operator,
) -> int:
    """0; 1 when the answer was no; 2 when there is nobody to ask. `answers`: where the answer is typed (None: standard
    input). Raises Rejected("person_unreadable"), Misconfigured, Unavailable."""
    actor = actor_from(args.person)
    async with open_forgetting(config, actor, whoami()) as forgetting:
        counts = await forgetting.counts()
        print(wording.found(counts) if any(counts.values()) else wording.NOTHING_FOUND, flush=True)
        if args.dry_run:
            return 0
        if not args.yes and (code := refused(answers or sys.stdin, _said())) is not None:
            return code
        try:
            removed = await forgetting.run()
        except Unavailable:
            print(wording.NOT_FINISHED, file=sys.stderr)
            raise
        print(wording.forgotten(removed, elsewhere=forgetting.memory is None))
        print(wording.not_reached())
        return 0


async def retention(args: argparse.Namespace, config: Config) -> int:
    """0; 3 where another process is at it. Raises Unavailable."""
    async with open_engine(config) as engine:
        keeping = build_retention(config, engine)
        if args.dry_run:
            print(wording.due(await keeping.due()))
            return 0
        removed = await keeping.sweep()
        print(wording.BUSY_ELSEWHERE if removed is None else wording.swept(removed))
        return 3 if removed is None else 0


@asynccontextmanager
async def open_forgetting(config: Config, actor: Actor, whoami: str) -> AsyncIterator[Forgetting]:
    """On everything that the settings name, closed at the end."""
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(open_engine(config))
        redis = connect_redis(config)
        if redis is not None:
            stack.push_async_callback(redis.aclose)
        vault = build_vault(config)
        pseudonyms = await open_pseudonyms(engine, vault)
        yield Forgetting(
            actor,
            SqlPeopleForgetting(engine, actor, pseudonyms, utc_now),
            build_spool(config, vault),
            build_keepers(config, redis).fast if redis is not None else None,
            lambda: wipe(engine),
            whoami,
            utc_now,
            config.ask_seconds + _GRACE_SECONDS,
        )


def _said() -> Confirmation:
    return Confirmation(wording.ASK_YES, wording.NEEDS_YES, wording.NOT_FORGOTTEN)
