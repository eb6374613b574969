"""What channels are told without having asked, put together: alerts are queued, and what is queued is sent."""

import os
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from datetime import date

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.alert_book import SqlAlertBook
from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.subscriptions import SqlSubscriptions
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.policies.changes import SqlChangeFeed
from bot.alerts.alerting import Alerting, AlertJob, AlertPace
from bot.alerts.changes import AlertReading, Told
from bot.alerts.sender import NoticeService
from bot.alerts.subscribing import Subscribing
from bot.model.links import Links
from bot.model.notices import Notice, NoticeKind, NoticeSink, Renderer
from ops.config import Config
from ops.parts import Answering, ServerParts, new_id, utc_now


def notice_works(parts: ServerParts, sinks: Mapping[str, NoticeSink]) -> Iterator[Coroutine[None, None, None]]:
    """To run beside a server, until cancelled. None where no platform is configured: then nobody can subscribe."""
    if sinks:
        yield build_noticing(parts, sinks).run()
        yield build_alerting(parts).run()


def build_noticing(parts: ServerParts, sinks: Mapping[str, NoticeSink]) -> NoticeService:
    engine = parts.answering.engine
    return NoticeService(
        SqlNoticeQueue(engine),
        sinks,
        SqlSubscriptions(engine),
        parts.events,
        worker=f"{os.uname().nodename}:{os.getpid()}",
        now=utc_now,
        monotonic=time.monotonic,
    )


def build_alerting(parts: ServerParts) -> AlertJob:
    pace = alert_pace(parts.config)
    alerting = Alerting(SqlAlertBook(parts.answering.engine), utc_now, parts.events, pace)
    return AlertJob(alerting, SqlLeaderLease(parts.answering.engine), parts.events, pace)


def alert_pace(config: Config) -> AlertPace:
    settle = config.alert_settle_seconds
    return AlertPace(every=min(5.0, max(0.5, settle)), settle=settle, digest_hour=config.digest_hour)


def build_subscribing(answering: Answering) -> Subscribing:
    subscriptions = SqlSubscriptions(answering.engine)
    return Subscribing(subscriptions, answering.store, answering.access, now=utc_now, new_id=new_id)


AlertShown = Callable[[Told, Links, date], Mapping[str, object]]
"""An alert or digest as a platform shows it. Pure."""


def alert_renderers(answering: Answering, shown: AlertShown) -> dict[NoticeKind, Renderer]:
    """Alerts and digests as a platform shows them."""
    reading = alert_reading(answering)

    async def render(notice: Notice) -> Mapping[str, object] | None:
        now = utc_now()
        told = await reading.read(notice, now)
        return None if told is None else shown(told, answering.links, now.date())

    return {NoticeKind.ALERT: render, NoticeKind.DIGEST: render}


def alert_reading(answering: Answering) -> AlertReading:
    engine = answering.engine
    return AlertReading(
        SqlChangeFeed(engine), answering.store, SqlSubscriptions(engine), answering.access, answering.links
    )


async def leave_channel(engine: AsyncEngine, platform: str, workspace: str, channel: str) -> None:
    """When the app is removed from one channel. May be done again. Raises Unavailable."""
    await SqlSubscriptions(engine).give_up(platform, workspace, channel, "uninstalled")
    await SqlNoticeQueue(engine).drop_channel(platform, workspace, channel)


async def leave_workspace(engine: AsyncEngine, platform: str, workspace: str) -> None:
    """When the app is uninstalled: its subscriptions end, on record, and what waits for it is given up. May be done
    again. Raises Unavailable."""
    await SqlSubscriptions(engine).remove_workspace(platform, workspace)
    await SqlNoticeQueue(engine).drop_workspace(platform, workspace)
