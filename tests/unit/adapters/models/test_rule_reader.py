"""The small reader with the weights of the repository."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from adapters.models.rule_reader import WEIGHTS, OnnxRuleReader
from rag_core.errors import Misconfigured
from rag_core.rules.reader import AskedText, Effect, RuleText, Topic, on_policy

BAN = RuleText(("Toys",), "", "Ads for kites are prohibited in every country.")
OTHER = RuleText(("Toys",), "", "Invoices are sent at the end of each month.")


def test_the_weights_are_those_that_were_measured() -> None:
    kept = WEIGHTS.with_suffix(".sha256").read_text(encoding="utf-8").split()[0]
    assert hashlib.sha256(WEIGHTS.read_bytes()).hexdigest() == kept
    assert WEIGHTS.stat().st_size < 40_000_000


async def test_what_decides_is_told_from_what_does_not() -> None:
    reader = OnnxRuleReader(threads=1)
    ban, other = await reader.judge(AskedText("can we advertise kites?"), [BAN, OTHER])
    assert ban.decides > 5 * other.decides
    assert max(ban.effects, key=ban.effects.__getitem__) is Effect.PROHIBITS
    (reading,) = await reader.read([BAN])
    assert max(reading.effects, key=reading.effects.__getitem__) is Effect.PROHIBITS
    assert sum(reading.effects.values()) + reading.no_rule == pytest.approx(1.0)
    await reader.aclose()


async def test_a_greeting_is_no_question_on_policies() -> None:
    reader = OnnxRuleReader(threads=1)
    assert on_policy(await reader.topic(AskedText("hi there, how are you?"))) < 0.3
    asks, tells = "can we run ads for gin in spain?", "how long may the headline of a gin ad be?"
    assert await _permission_share(reader, asks) > 0.7
    assert await _permission_share(reader, tells) < 0.62
    await reader.aclose()


async def _permission_share(reader: OnnxRuleReader, text: str) -> float:
    topics = await reader.topic(AskedText(text))
    return topics[Topic.PERMISSION] / on_policy(topics)


async def test_what_is_said_of_a_rule_does_not_depend_on_its_neighbours() -> None:
    reader = OnnxRuleReader()
    alone = await reader.judge(AskedText("kites?"), [BAN])
    fresh = OnnxRuleReader()
    beside = await asyncio.gather(*(fresh.judge(AskedText("kites?"), [OTHER, BAN, OTHER]) for _ in range(3)))
    assert all(each[1] == alone[0] for each in beside)
    await reader.aclose()
    await fresh.aclose()


async def test_weights_that_are_missing_or_no_model_are_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="rule_reader_missing"):
        await OnnxRuleReader(tmp_path / "none.onnx").load()
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    with pytest.raises(Misconfigured, match="rule_reader_unreadable"):
        await OnnxRuleReader(broken).load()
