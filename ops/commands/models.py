"""`python -m ops models`, and the part of `doctor` that is about language models."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from adapters.sql.people.model_usage import SqlModelUsage
from bot.model_usage import UsageKey, UsageTotal
from ops.config import Config
from ops.monitoring.model_calls import WatchedModel
from ops.monitoring.model_health import probe
from ops.parts import utc_now
from ops.wiring import open_engine, open_model_alone
from ops.wording import general as wording
from ops.wording import models as wording_models
from rag_core.errors import Misconfigured, PolicyBotError


async def usage(config: Config, days: int, by: UsageKey, form: str, now: datetime | None = None) -> int:
    """Print what is on record of the last `days`."""
    since = (now or utc_now()).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    async with open_engine(config) as engine:
        totals = await SqlModelUsage(engine).totals(since, by)
    print(_as_json(since, by, totals) if form == "json" else _as_text(days, by, totals))
    return 0


def _as_json(since: datetime, by: UsageKey, totals: Sequence[UsageTotal]) -> str:
    return json.dumps({"since": since.isoformat(), "by": by.value, "totals": [asdict(each) for each in totals]})


def _as_text(days: int, by: UsageKey, totals: Sequence[UsageTotal]) -> str:
    if not totals:
        return wording_models.no_usage(days)
    lines = [wording_models.usage_head(by.value), *(wording_models.usage_line(each) for each in totals)]
    if len(totals) > 1:
        lines.append(wording_models.usage_line(_sum(totals)))
    return "\n".join([*lines, *wording_models.usage_notes(totals)])


def _sum(totals: Sequence[UsageTotal]) -> UsageTotal:
    costs = [each.cost for each in totals if each.cost is not None]
    return UsageTotal(
        wording_models.ALL_TOGETHER,
        sum(each.calls for each in totals),
        sum(each.prompt_tokens for each in totals),
        sum(each.completion_tokens for each in totals),
        sum(each.seconds for each in totals),
        sum(costs) if costs else None,
        sum(each.unpriced for each in totals),
        sum(each.estimated for each in totals),
    )


async def check_models(config: Config) -> int:
    """Say whether the configured model answers; 1 if it does not."""
    if config.model == "none":
        print(wording.doctor_line("model", ok=True, facts=wording_models.NO_MODEL))
        return 0
    try:
        async with open_model_alone(config) as model:
            return await _check(model, config)
    except Misconfigured as exc:
        return _failed(wording_models.model_unusable(wording.explain(exc)))


async def _check(model: WatchedModel, config: Config) -> int:
    began = time.perf_counter()
    try:
        piece = await probe(model, config.model_seconds)
    except PolicyBotError as exc:
        return _failed(wording_models.model_fails(wording.explain(exc)))
    facts = wording_models.model_works(model.name, piece, time.perf_counter() - began)
    print(wording.doctor_line("model", ok=True, facts=facts))
    return 0


def _failed(facts: str) -> int:
    print(wording.doctor_line("model", ok=False, facts=facts))
    return 1
