"""Three people who used every part there is, forgotten: no byte of them is left, and the record still verifies."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.web.callers import Caller
from bot.model.messages import Actor, Conversation
from bot.questions.answerer import Asked
from ops.config import Config
from ops.parts import Answering
from ops.wiring import open_answering
from tests.fakes.callers import FakeCallers
from tests.fakes.ingested import web_parts
from tests.fakes.program import environment, run
from tests.fakes.web import Site, serving

PEOPLE = {
    "oidc": Caller(Actor("rest", "local", "oidc:s0forgetme")),
    "holder": Caller(Actor("rest", "local", "token:k0forgetme")),
    "stays": Caller(Actor("rest", "local", "oidc:s0stays")),
}
FORGOTTEN = ("oidc:s0forgetme", "rest:token:k0forgetme", "slack:T1/U0FORGETME")
MEMBER, COLLEAGUE = Actor("slack", "T1", "U0FORGETME"), Actor("slack", "T1", "U0STAYS")
THREAD = Conversation("slack", "T1", "C1", "1700000000.000100")
TRACES = (b"s0forgetme", b"k0forgetme", b"U0FORGETME", b"zanzibar", b"absinthe", b"moonshine", b"quagmire")
"""Ids, and words that only those who are forgotten wrote: each in questions, comments, filters and conversations."""


@dataclass
class House:
    """A server's parts on a data folder, with commands beside it."""

    site: Site
    answering: Answering
    data: Path
    answers: dict[str, str] = field(default_factory=dict)

    async def post(self, who: str, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {who}"}
        async with self.site.session.post(f"/api/v1/{path}", json=body, headers=headers) as response:
            return response.status, await response.json(content_type=None)

    async def again(self, who: str) -> int:
        headers = {"Authorization": f"Bearer {who}"}
        async with self.site.session.get(f"/api/v1/answers/{self.answers[who]}", headers=headers) as response:
            return response.status

    async def in_thread(self, actor: Actor, text: str, answer_id: str) -> None:
        await self.answering.asking.ask(Asked(text, actor, "slack", conversation=THREAD, answer_id=answer_id))

    async def ops(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(run, "ops", *arguments, env=environment(self.data), cwd=self.data.parent)

    def traces(self) -> list[bytes]:
        """Read by another process: one that closes SQLite's files drops all locks that it has on them, and the commands
        would take away the log that this process's server reads."""
        files = [path for path in self.data.rglob("*") if path.is_file()]
        read = subprocess.run(["cat", *files], capture_output=True, check=True, timeout=60)
        return [trace for trace in TRACES if trace in read.stdout]


@pytest.fixture
async def house(sample_copy: Path) -> AsyncIterator[House]:
    async with open_answering(Config(data_dir=sample_copy)) as answering:
        parts = replace(web_parts(answering), callers=FakeCallers(known=PEOPLE))
        async with serving(parts) as site:
            yield House(site, answering, sample_copy)


async def live(house: House) -> None:
    for who in PEOPLE:
        words = "wine" if who == "stays" else "absinthe at the zanzibar fair"
        asked = {"question": f"can I advertise {words} in the UK"}
        asked |= {} if who == "stays" else {"conversation_id": "quagmire"}
        status, answer = await house.post(who, "ask", **asked)
        assert (status, await house.post(who, "ask", question="and in France?"))[0] == 200
        house.answers[who] = str(answer["answer_id"])
        comment = "Good." if who == "stays" else "moonshine, too?"
        opinion = {"answer_id": house.answers[who], "rating": "not_useful", "comment": comment}
        assert (await house.post(who, "feedback", **opinion))[0] == 200
        assert await house.again(who) == 200
    filters = {"policy_section": "moonshine", "labels": {"quagmire": ["zanzibar"]}}
    assert (await house.post("oidc", "ask", question="absinthe", filters=filters))[0] == 200
    for unknown in ({"policy_source": "zanzibar"}, {"region": "moonshine"}, {"content_type": "absinthe"}):
        assert (await house.post("holder", "ask", question="absinthe", filters=unknown))[0] == 422
    await house.in_thread(COLLEAGUE, "can I advertise beer in the UK", "o1")
    await house.in_thread(MEMBER, "can I advertise absinthe in zanzibar", "p1")
    await house.in_thread(COLLEAGUE, "and in France?", "o2")
    cancelled = asyncio.create_task(house.in_thread(MEMBER, "moonshine", "p2"))
    await asyncio.sleep(0)
    cancelled.cancel()
    with suppress(asyncio.CancelledError):
        await cancelled


async def test_nothing_is_left_of_people_who_used_every_part(house: House) -> None:
    await live(house)
    assert house.traces() == list(TRACES)
    for person in FORGOTTEN:
        looked = await house.ops("forget", person, "--dry-run")
        assert looked.returncode == 0, looked.stderr
        ended = await house.ops("forget", person, "--yes")
        assert ended.returncode == 0, ended.stderr
        if "slack" not in person:  # as much as was said, feedback as well
            assert "feedback 1," in looked.stdout
            found = looked.stdout.partition(": ")[2].strip()
            assert f"Forgotten: {found} It is on record." in ended.stdout
    assert house.traces() == []
    assert [await house.again(who) for who in PEOPLE] == [404, 404, 200]
    opinion = {"answer_id": house.answers["oidc"], "rating": "useful"}
    assert (await house.post("oidc", "feedback", **opinion))[0] == 404


async def test_the_record_of_forgotten_people_verifies_is_shown_and_exported(house: House, tmp_path: Path) -> None:
    await live(house)
    for person in FORGOTTEN:
        assert (await house.ops("forget", person, "--yes")).returncode == 0
    verified = await house.ops("audit", "verify")
    assert verified.returncode == 0, verified.stdout
    for answer_id in (*house.answers.values(), "p1", "p2", "o1", "o2"):
        shown = await house.ops("audit", "show", answer_id, "--not-today")
        assert shown.returncode == 0, (answer_id, shown.stdout, shown.stderr)
    exported = await house.ops("audit", "export", str(tmp_path / "export"))
    assert exported.returncode == 0, exported.stderr
    written = b"".join(path.read_bytes() for path in (tmp_path / "export").iterdir())
    assert [trace for trace in TRACES if trace in written] == []
    acts = [json.loads(line) for line in (tmp_path / "export" / "records.jsonl").read_text().splitlines()]
    removed = [act["facts"]["removed"] for act in acts if act["facts"].get("act") == "forget"]
    assert [each.get("feedback") for each in removed if "record" in each] == [1, 1, None]
