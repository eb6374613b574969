"""A tiny cross-encoder, made here with random weights: nothing is downloaded."""

import asyncio
import time
from pathlib import Path

import pytest

from ops.config import Config
from ops.models import open_ranking
from rag_core.errors import Misconfigured
from tests.fakes.rules import passage

pytestmark = pytest.mark.torch

_WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "kites", "may", "run", "darts", "not", "allowed")


def make_model(folder: Path, labels: int = 1) -> str:
    import torch  # noqa: PLC0415 - only in the torch tier is it installed
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast  # noqa: PLC0415

    torch.manual_seed(7)
    (folder / "vocab.txt").write_text("\n".join(_WORDS), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    shape = BertConfig(
        vocab_size=len(_WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=labels,
        initializer_range=1.0,
    )
    BertForSequenceClassification(shape).save_pretrained(folder)
    return str(folder)


async def test_each_pair_gets_a_score_of_its_own_and_long_passages_are_cut(tmp_path: Path) -> None:
    from adapters.models.cross_encoder import CrossEncoderReranker  # noqa: PLC0415

    model = CrossEncoderReranker(make_model(tmp_path))
    texts = ["kites may run", "darts not allowed", "kites " * 500, "", *("may run",) * 20]
    together = await model.score("kites", texts)
    alone = [(await model.score("kites", [text]))[0] for text in texts[:4]]
    await model.aclose()
    assert len(together) == len(texts)
    assert together[:4] == pytest.approx(alone, abs=1e-5)
    assert len({round(each, 4) for each in together[:2]}) == 2
    assert all(0 <= each <= 1 for each in together)


async def test_who_waits_no_longer_stops_it(tmp_path: Path) -> None:
    from adapters.models.cross_encoder import CrossEncoderReranker  # noqa: PLC0415

    model = CrossEncoderReranker(make_model(tmp_path))
    await model.load()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await model.score("kites", ["kites may run"] * 20_000)
    started = time.monotonic()
    assert len(await model.score("kites", ["kites"])) == 1
    await model.aclose()
    assert time.monotonic() - started < 10


async def test_the_setting_opens_it_and_what_is_no_such_model_is_refused(tmp_path: Path) -> None:
    from rag_core.retrieval.found import Found  # noqa: PLC0415
    from tests.unit.rag_core.retrieval.test_reranking import ASKED  # noqa: PLC0415

    results = [Found(passage("Kites may run."), 0.5), Found(passage("Darts may run."), 0.4)]
    async with open_ranking(Config(reranker=make_model(tmp_path))) as ranking:
        ranked = await ranking.rank(results, ASKED)
    assert (len(ranked.results), ranked.degraded) == (2, ())
    for name in (make_model(tmp_path, labels=3), str(tmp_path / "missing")):
        with pytest.raises(Misconfigured, match="reranker_unreadable"):
            async with open_ranking(Config(reranker=name)):
                pass
