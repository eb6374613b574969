"""llama.cpp in the process as a reader of rules. The packaged model is tiny: what it says is not looked at."""

from datetime import date

import pytest

from rag_core.generation.reader import LanguageModelReader
from rag_core.rules.reader import AskedText, RuleText

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: ops/test models installs it")

from adapters.models.llama_cpp import LlamaModel, LlamaSettings

pytestmark = [pytest.mark.models, pytest.mark.timeout(300)]

RULES = [
    RuleText(("Acme", "Alcohol"), "Ads for alcohol are not allowed in:", "Norway"),
    RuleText(("Acme", "Alcohol"), "", "Ads for alcohol may run in the United Kingdom with prior approval."),
    RuleText(("Acme", "Toys"), "", "Ads for kites are allowed."),
]


@pytest.mark.parametrize("question", ["can I advertise alcohol in the UK?", "are ads for kites allowed?"])
async def test_what_a_model_writes_in_the_given_form_is_a_reading(question: str) -> None:
    model = LlamaModel(LlamaSettings(window=3_072, seconds=200))
    await model.load()
    outcome = await LanguageModelReader(model, 200).read(AskedText(question), RULES, ["uk"], date(2026, 3, 1))
    await model.aclose()
    assert (outcome.failure, outcome.unreadable) == (None, None), outcome
    assert outcome.reading is not None
    assert outcome.shown == 3
    assert outcome.usage.completion > 10
