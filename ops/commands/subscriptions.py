"""`python -m ops subscriptions`: which channels hear of changes, and what waits to be sent."""

import argparse
import json
from typing import Any

from adapters.sql.chat.notices import SqlNoticeQueue, WaitingNotice
from adapters.sql.chat.subscriptions import SqlSubscriptions
from bot.model.jsonable import jsonable
from bot.model.subscriptions import Subscription
from ops.config import Config
from ops.wiring import open_engine
from ops.wording import alerts as wording

_MOST_NOTICES = 100


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = wording.help_texts()
    parser = commands.add_parser("subscriptions", help=texts["subscriptions"], description=texts["subscriptions"])
    parser.add_argument("--format", choices=("text", "json"), default="text", help=texts["format"])


async def subscriptions(args: argparse.Namespace, config: Config) -> int:
    async with open_engine(config) as engine:
        found = await SqlSubscriptions(engine).all()
        queue = SqlNoticeQueue(engine)
        waiting, (count, failing, oldest) = await queue.waiting(_MOST_NOTICES), await queue.backlog()
    if args.format == "json":
        told = {
            "subscriptions": [_subscription(each) for each in found],
            "notices": {"waiting": count, "failing": failing, "oldest": oldest and oldest.isoformat()},
            "waiting": [_notice(each) for each in waiting],
        }
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return 0
    print("\n".join([*wording.subscriptions(found), *wording.notices(waiting, count, failing, oldest)]))
    return 0


def _subscription(each: Subscription) -> dict[str, Any]:
    return {name: value for name, value in jsonable(each).items() if name != "by"}


def _notice(each: WaitingNotice) -> dict[str, Any]:
    notice: dict[str, Any] = jsonable(each.notice)
    return {**notice, "attempts": each.attempts, "is_held": each.is_held, "not_before": jsonable(each.not_before)}
