"""When a source is due to be looked at. Pure."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from ingest.catalogue.schedules import Schedule
from ingest.ports import ItemState, SourceRun
from ingest.retries import MOST_RETRIES, retry_after

AT_ONCE = datetime.min.replace(tzinfo=UTC)


def due_at(
    run: SourceRun | None,
    schedule: Schedule | None,
    jitter: timedelta,
    chance: float,
    items_retry_at: datetime | None = None,
) -> datetime | None:
    """When the next look is due after `run`, the last one; None: never. `chance` in [0, 1) is the share of `jitter`.

    A source that was never looked at is due at once; so is one whose look was broken off, the second time and later
    after a wait. What failed is tried again after 5, 10, 20, 40 and 80 minutes, then only by its schedule, and never
    sooner than after 80. A time that was missed counts once, however often it was: what comes after the last look lies
    in the past then, and what comes after the next look does not.
    """
    if run is None:
        return AT_ONCE
    if run.finished_at is None:
        return run.started_at + _wait(run.failures)
    if run.failures and (wait := retry_after(run.failures)) is not None:
        return run.finished_at + wait
    due = schedule.next_after(run.started_at, jitter, chance) if schedule else None
    if run.failures:
        return max(due, run.finished_at + _wait(run.failures)) if due else None
    return min((each for each in (due, items_retry_at) if each is not None), default=None)


def _wait(failures: int) -> timedelta:
    return retry_after(min(failures, MOST_RETRIES)) or timedelta(0)


def items_retry_at(states: Iterable[ItemState], run: SourceRun | None) -> datetime | None:
    """When the first document that did not answer is to be tried again; None where there is none left to try."""
    since = run.started_at if run else AT_ONCE
    waiting = (each.retry_at for each in states if each.retry_at is not None and each.failures <= MOST_RETRIES)
    return min((each for each in waiting if each > since), default=None)
