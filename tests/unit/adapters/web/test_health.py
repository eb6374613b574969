"""`/healthz`, `/readyz` and `/metrics`: what probes and collectors read."""

import json
import re

import pytest
import structlog

from adapters.web.parts import Check, Exposition, Readiness
from rag_core.errors import Unavailable
from tests.fakes.web import FakePolicyStore, FakeReady, FakeSearch, make_parts, serving


async def test_healthz_needs_nothing() -> None:
    down = Unavailable("store_down")
    ready = FakeReady(Readiness(False, {"store": Check("down", "store_down")}))
    parts = make_parts(store=FakePolicyStore(error=down), search=FakeSearch(error=down), ready=ready)
    async with serving(parts) as site:
        assert await site.get("/healthz") == (200, '{"status": "ok"}')
    assert ready.asked == 0


async def test_ready_when_all_is_well() -> None:
    async with serving(make_parts()) as site:
        status, body = await site.get("/readyz")
    assert status == 200
    assert json.loads(body) == {
        "status": "ready",
        "checks": {"store": {"status": "ok", "reason": ""}, "index": {"status": "ok", "reason": ""}},
        "degraded": [],
    }


@pytest.mark.parametrize(("can_answer", "status", "said"), [(True, 200, "ready"), (False, 503, "not_ready")])
async def test_what_is_not_well_is_named_with_its_reason(can_answer: bool, status: int, said: str) -> None:
    checks = {"store": Check("down", "circuit_open"), "index": Check("ok"), "outbox": Check("degraded", "behind")}
    async with serving(make_parts(ready=FakeReady(Readiness(can_answer, checks)))) as site:
        got, body = await site.get("/readyz")
    shown = json.loads(body)
    assert (got, shown["status"], shown["degraded"]) == (status, said, ["store", "outbox"])
    assert shown["checks"]["store"] == {"status": "down", "reason": "circuit_open"}


async def test_each_request_has_an_id_of_ours_for_the_logs() -> None:
    seen: list[dict[str, object]] = []

    async def ready() -> Readiness:
        seen.append(structlog.contextvars.get_contextvars())
        return Readiness(True, {})

    async with serving(make_parts(ready=ready)) as site:
        await site.get("/readyz", x_request_id="chosen by the caller")
        await site.get("/readyz")
    ids = [each["request_id"] for each in seen]
    assert len(set(ids)) == 2
    assert all(re.fullmatch("[0-9a-f]{16}", str(each)) for each in ids)


async def test_a_probe_searches_nothing() -> None:
    search = FakeSearch()
    async with serving(make_parts(search=search)) as site:
        await site.get("/readyz")
    assert search.calls == []


async def test_metrics_are_what_is_measured_in_its_own_format() -> None:
    shown = Exposition("text/plain; version=0.0.4; charset=utf-8", b"adpolicy_answers_total 3.0\n")
    async with serving(make_parts(metrics=lambda: shown)) as site, site.session.get("/metrics") as response:
        assert response.status == 200
        assert response.headers["Content-Type"] == shown.content_type
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert await response.read() == shown.body


async def test_metrics_are_for_this_machine_like_everything_else() -> None:
    async with serving(make_parts()) as site:
        assert (await site.get("/metrics", host="elsewhere.example"))[0] == 421
        assert (await site.get("/metrics", x_forwarded_for="10.0.0.1"))[0] == 400
