"""Recorded replies in a language model's place, and the requests that have none yet."""

import json
from pathlib import Path

import pytest

from ops.cli import parse
from ops.config import Config
from ops.evaluation.replies import RecordedModel, recorded_model
from ops.models import model_breakers, open_watched_model
from ops.monitoring.breakers import BreakerState
from ops.monitoring.model_calls import CallTools
from ops.parts import new_id, utc_now
from ops.wording.general import explains
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.generation.prompt import request_hash
from rag_core.ports import ModelRequest
from tests.fakes.model_usage import FakeModelListener
from tests.fakes.watches import FakeBreakerWatch

KITES = ModelRequest("Be brief.", "Kites — or darts?", 9, {"type": "object"})
DARTS = ModelRequest("Be brief.", "Darts?", 9)


def made(replies: Path | None, prompts: Path | None = None) -> RecordedModel:
    model = recorded_model(replies, prompts)
    assert model is not None
    return model


def recorded(path: Path, *lines: tuple[ModelRequest, object]) -> Path:
    rows = [json.dumps({"hash": request_hash(request), "reply": reply}) for request, reply in lines]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def prompts_in(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_a_request_gets_its_recorded_reply_each_time(tmp_path: Path) -> None:
    model = made(recorded(tmp_path / "replies", (KITES, "old"), (DARTS, {"deciding": []}), (KITES, "Kites.")))
    pieces = [await model.generate(request) for request in (KITES, DARTS, KITES)]
    assert [each.text for each in pieces] == ["Kites.", '{"deciding": []}', "Kites."]
    assert pieces[0].usage is not None
    assert pieces[0].usage.estimated
    assert (pieces[0].usage.prompt, pieces[0].usage.completion) == (3 + 7, 2)


async def test_requests_without_a_reply_are_written_down_once(tmp_path: Path) -> None:
    prompts = tmp_path / "deeper" / "prompts"
    for _ in range(2):
        model = made(recorded(tmp_path / "replies", (DARTS, "Darts.")), prompts)
        for _ in range(2):
            with pytest.raises(Unavailable, match="model_declined"):
                await model.generate(KITES)
        await model.generate(DARTS)
    (line,) = prompts_in(prompts)
    assert line == {
        "hash": request_hash(KITES),
        "system": "Be brief.",
        "user": "Kites — or darts?",
        "schema": {"type": "object"},
    }
    with pytest.raises(Unavailable, match="model_declined"):
        await made(None, prompts).generate(DARTS)
    assert [each["schema"] for each in prompts_in(prompts)] == [{"type": "object"}, None]
    with pytest.raises(Unavailable):
        await made(tmp_path / "replies").generate(KITES)


def test_without_files_there_is_no_such_model() -> None:
    args = parse(["evaluate"])
    assert recorded_model(args.replies, args.prompts) is None


async def test_files_that_cannot_work_are_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="replies_unreadable"):
        recorded_model(tmp_path / "none", None)
    broken = tmp_path / "broken"
    for line in ("{", '{"hash": "short", "reply": ""}', f'{{"hash": "{"a" * 64}", "reply": 3}}'):
        broken.write_text(line)
        with pytest.raises(Rejected, match="dataset_malformed"):
            recorded_model(broken, None)
    with pytest.raises(Misconfigured, match="prompts_unwritable"):
        await made(None, broken / "inside").generate(KITES)
    assert explains("replies_unreadable")
    assert explains("prompts_unwritable")


async def test_it_takes_the_place_of_the_models_of_the_settings_and_no_breaker_opens(tmp_path: Path) -> None:
    breakers = model_breakers(FakeBreakerWatch())
    tools = CallTools(FakeModelListener(), utc_now, new_id)
    own = made(recorded(tmp_path / "replies", (DARTS, "Darts.")))
    async with open_watched_model(Config(model="llama"), breakers, tools, own) as model:
        assert model is not None
        for _ in range(9):
            with pytest.raises(Unavailable, match="model_declined"):
                await model.generate(KITES)
        assert (await model.generate(DARTS)).text == "Darts."
    assert {each.state for each in breakers.values()} == {BreakerState.CLOSED}
