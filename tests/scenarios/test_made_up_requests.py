"""The REST API on the sample documents, with callers who authenticate, under requests made up from its own document.

None may end in 500, and every answer is as it is described. `python -m ops bench fuzz` does it for longer, on a server
of its own, and below HTTP.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.web.callers import Caller
from bot.model.messages import Actor
from ops.bench.fuzz import DescribedRequests, Tally, known_values
from ops.config import Config
from ops.wiring import open_answering
from tests.fakes.callers import FakeCallers
from tests.fakes.ingested import web_parts
from tests.fakes.web import Site, serving

TOKEN = "a-token-of-a-test"
CALLER = Caller(Actor("rest", "local", "token:1"))
SIGNED_IN = {"Authorization": f"Bearer {TOKEN}"}


@asynccontextmanager
async def site_of(data_dir: Path) -> AsyncIterator[Site]:
    async with open_answering(Config(data_dir=data_dir)) as answering:
        parts = replace(web_parts(answering), callers=FakeCallers(known={TOKEN: CALLER}))
        # the whole process is guarded otherwise, and so are the requests' own threads
        async with serving(parts, guarded=False) as site:
            site.session.headers.update(SIGNED_IN)
            yield site


async def document_of(site: Site) -> dict[str, Any]:
    status, text = await site.get("/api/v1/openapi.json")
    assert status == 200
    found: dict[str, Any] = json.loads(text)
    return found


async def send(site: Site, examples: int, headers: dict[str, str]) -> Tally:
    tally, address = Tally(), site.address
    known = await known_values(site.session)
    made_up = DescribedRequests(await document_of(site), address, tally, known=known, bound_seconds=30, headers=headers)
    await asyncio.to_thread(made_up.round, 1, examples)
    made_up.close()
    return tally


@pytest.mark.timeout(300)
async def test_nothing_made_up_ends_in_an_error_or_in_what_is_not_described(sample_copy: Path) -> None:
    async with site_of(sample_copy) as site:
        tally = await send(site, 10, SIGNED_IN)
    assert tally.is_clean, (tally.errors, tally.hangs, tally.complaints)
    assert {"200", "404", "422", "400"} <= set(tally.statuses)
    assert len(tally.routes) == 13
    assert tally.count > 150


async def test_without_credentials_all_of_it_is_401(sample_copy: Path) -> None:
    async with site_of(sample_copy) as site:
        tally = await send(site, 2, {"Authorization": "Bearer wrong"})
    assert tally.is_clean, tally.complaints
    assert set(tally.statuses) == {"401"}
