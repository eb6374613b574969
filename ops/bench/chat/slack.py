"""`python -m ops bench slack`: a load on two workers through the stand-in, a worker that is killed, and how long an
answer takes."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import select

from adapters.sql.engine import open_engine
from adapters.sql.tables import inbox
from adapters.sql.vault import new_key
from bot.render.slack import EVENT_TYPE
from ops.bench.chat import wording
from ops.bench.chat.acting import Acting
from ops.bench.chat.counting import Ended, matched
from ops.bench.chat.front import open_front
from ops.bench.chat.schedule import Load
from ops.bench.chat.workers import Worker, open_workers
from ops.bench.databases import own_database_if_set
from ops.bench.stores import new_name
from ops.config import Config
from ops.sandbox.slack import SlackStandIn, app_of_manifest, slack_stand_in
from ops.sandbox.slack.__main__ import MANIFEST
from ops.sandbox.slack.channels import Channel
from ops.sandbox.slack.people import BOT, User

SECRET = "bench-signing-secret"  # noqa: S105 # pragma: allowlist secret
TOKEN = "xoxb-sandbox"  # noqa: S105 - the stand-in's own

HEAVY = Load(rate=20.0, seconds=60.0, burst=100)
KILLED = Load(rate=40.0, seconds=16.0, seed=11)
"""More than two workers can answer at once, so that the one that is killed has several in hand."""
LIGHT = Load(rate=5.0, seconds=40.0, again=0.0, malformed=0.0, seed=13)
EARLY_SECONDS, KILL_AT_SECONDS = 20.0, 8.0
ANSWERED_WITHIN, ANSWERED_WITHIN_AFTER_KILL = 30.0, 60.0
LATE_SECONDS = 60.0
"""What has no answer by then counts as lost; until then it is only late."""


@dataclass(frozen=True, slots=True)
class Site:
    """Workers behind one address, and the Slack that talks to them."""

    slack: SlackStandIn
    workers: Sequence[Worker]
    database: str


async def bench_slack(config: Config) -> int:
    """0; 1 where a figure is missed, 2 without the servers that it takes."""
    if config.redis_url is None:
        print(wording.needs_servers("ADPOLICY_REDIS_URL"))
        return 2
    met = True
    for name, load, within in (
        ("load", HEAVY, ANSWERED_WITHIN),
        ("killed", KILLED, ANSWERED_WITHIN_AFTER_KILL),
        ("light", LIGHT, ANSWERED_WITHIN),
    ):
        async with AsyncExitStack() as stack:
            site = await _open(config, stack)
            if site is None:
                return 2
            ended = await _measured(site, load, kills=name == "killed", within=within)
        for line in wording.told(name, load, ended, within):
            print(line.text, flush=True)
            met &= line.is_met
    return 0 if met else 1


async def _open(config: Config, stack: AsyncExitStack) -> Site | None:
    address = await own_database_if_set(config, new_name(), stack)
    if address is None or config.redis_url is None:
        return None
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adpolicy-bench-")))
    app = app_of_manifest(yaml.safe_load(MANIFEST.read_text("utf-8")), SECRET)
    behind: list[str] = []  # filled below: the workers have to know where Slack is, and Slack where they are
    front = await stack.enter_async_context(open_front(behind))
    slack = await stack.enter_async_context(slack_stand_in(front, SECRET, app=app))
    settings = {
        "ADPOLICY_DATABASE_URL": address,
        "ADPOLICY_REDIS_URL": config.redis_url.get_secret_value(),
        "ADPOLICY_REDIS_PREFIX": new_name(),
        "ADPOLICY_SECRET_KEY": new_key(),
        "ADPOLICY_SLACK_API_URL": slack.api_url,
        "ADPOLICY_SLACK_BOT_TOKEN": TOKEN,
        "ADPOLICY_SLACK_SIGNING_SECRET": SECRET,
        "ADPOLICY_LIMIT_WORKSPACE": "100000/minute",  # one workspace stands for many
    }
    workers = await stack.enter_async_context(open_workers(settings, folder, 2))
    behind.extend(each.chat_url for each in workers)
    return Site(slack, workers, address)


def populate(slack: SlackStandIn, load: Load) -> None:
    """Channels, and full members of the workspace in them: whom Slack does not know is answered like a guest."""
    people = frozenset(f"UB{each}" for each in range(load.people))
    slack.workspace.people.update({each: User(each) for each in people})
    for number in range(load.channels):
        channel = f"CB{number}"
        slack.workspace.channels[channel] = Channel(channel, f"bench-{number}", people | {BOT})


async def _measured(site: Site, load: Load, *, kills: bool, within: float) -> Ended:
    populate(site.slack, load)
    acting, early = Acting(site.slack), dict[str, float]()
    began, running = time.monotonic(), set[asyncio.Task[None]]()
    killed = False
    for act in load.acts():
        await asyncio.sleep(max(0.0, began + act.at - time.monotonic()))
        if not early and act.at >= min(EARLY_SECONDS, load.seconds / 2):
            early = {each.chat_url: each.megabytes() for each in site.workers}
        if kills and not killed and act.at >= KILL_AT_SECONDS:
            killed = True
            site.workers[0].kill()
        running.add(asyncio.create_task(acting.act(act)))
    await asyncio.gather(*running)
    await site.slack.catch_up()
    await _until_quiet(site, acting, within)
    return await _counted(site, acting, early)


async def _until_quiet(site: Site, acting: Acting, within: float) -> None:
    """Until as many answers are there as there were questions, and then a moment for any that should not come."""
    due = sum(each.is_due for each in acting.asked)
    try:
        await site.slack.until(lambda: len({each for each, _ in _shown(site.slack)}) >= due, within + LATE_SECONDS)
    except TimeoutError:
        return
    await asyncio.sleep(3.0)


def _shown(slack: SlackStandIn) -> list[tuple[str, float]]:
    """Terminal messages: which question each answers, and when it was posted."""
    found = []
    for each in slack.messages:
        payload: Any = each.metadata.get("event_payload")
        if each.metadata.get("event_type") == EVENT_TYPE and isinstance(payload, dict) and each.posted_at:
            found.append((str(payload.get("answer_id")), each.posted_at.timestamp()))
    return found


async def _counted(site: Site, acting: Acting, early: dict[str, float]) -> Ended:
    engine = open_engine(site.database)
    try:
        async with engine.connect() as connection:
            rows = await connection.execute(select(inbox.c.claim_key, inbox.c.question_id))
            ids = {str(key): str(question_id) for key, question_id in rows}
    finally:
        await engine.dispose()
    seconds, lost, twice, foreign = matched(acting.asked, ids, _shown(site.slack))
    attempts = site.slack.attempts
    answered = {200, 400, 401}
    return Ended(
        questions=sum(each.is_due for each in acting.asked),
        acknowledged=[each.seconds for each in attempts],
        answered=seconds,
        lost=lost,
        twice=twice,
        foreign=foreign,
        refused=sum(each.status not in answered for each in attempts) + acting.broken,
        megabytes={
            each.chat_url.rpartition(":")[2]: (early.get(each.chat_url, 0.0), each.megabytes())
            for each in site.workers
            if each.process.returncode is None
        },
    )
