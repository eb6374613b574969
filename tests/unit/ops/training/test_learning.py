"""Learning, on a network so small that it learns in seconds: from an ONNX file to an ONNX file."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the exporter that keeps names
    pytest.mark.filterwarnings("ignore:Converting a tensor to a Python"),
]

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
transformers = pytest.importorskip("transformers")

from adapters.models.model_files import packaged_files  # noqa: E402
from adapters.models.rule_reader import OnnxRuleReader  # noqa: E402
from adapters.models.tokenizer_files import read_tokenizer  # noqa: E402
from ops.training.examples import Example  # noqa: E402
from ops.training.exporting import export  # noqa: E402
from ops.training.learning import Stage, encoded, learn  # noqa: E402
from ops.training.network import ReaderNetwork, _layer, encoder_from_onnx  # noqa: E402
from rag_core.rules.reader import AskedText, Relation, RuleText  # noqa: E402

EXAMPLES = [
    example
    for number in range(20)
    for example in (
        Example(f"kites in town {number}?", "Toys | | Kites are banned.", {"relation": (0,), "effect": (0,)}, "acme"),
        Example(f"kites in town {number}?", "Toys | | Darts are fun.", {"relation": (3, 4)}, "acme"),
        Example("", f"Toys | | Kite {number} is allowed.", {"rule": (3,)}, "acme"),
        Example(f"hello {number}", "", {"topic": (2,)}, "topic0"),
    )
]


class _Encoder(torch.nn.Module):  # type: ignore[misc,name-defined,unused-ignore]
    """A BERT encoder as the base's graph has it: its weights keep their names."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.embeddings, self.encoder = model.embeddings, model.encoder

    def forward(self, ids: Any, mask: Any, segments: Any) -> Any:
        states = self.embeddings(input_ids=ids, token_type_ids=segments)
        for layer in self.encoder.layer:
            states = _layer(layer, states, mask[:, None, None, :].bool(), heads=1)
        return states


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of random weights, as an ONNX file that keeps their names."""
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=30522,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=64,
    )
    model = _Encoder(transformers.BertModel(config, add_pooling_layer=False)).eval()
    for parameter in model.parameters():  # equal ones would be written once
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, std=0.02)
    path = tmp_path_factory.mktemp("base") / "base.onnx"
    ids = torch.ones(1, 6, dtype=torch.long)
    torch.onnx.export(model, (ids, ids, ids), str(path), dynamo=False, opset_version=17,
                      input_names=["input_ids", "attention_mask", "token_type_ids"])  # fmt: skip
    return path


def test_the_weights_of_an_onnx_file_come_back_whole(base: Path) -> None:
    encoder = encoder_from_onnx(base)
    assert encoder.config.num_hidden_layers == 2
    assert sum(each.numel() for each in encoder.parameters()) > 30522 * 32


async def test_what_is_learnt_is_kept_exported_and_read(base: Path, tmp_path: Path) -> None:
    tokenizer = read_tokenizer(packaged_files().tokenizer)
    network = ReaderNetwork(encoder_from_onnx(base))
    network.freeze_embeddings()
    known = encoded(tokenizer, EXAMPLES)
    said: list[str] = []
    stage, kept = Stage(epochs=12, rate=5e-3), tmp_path / "kept.pt"
    learn(network, lambda _: known, stage, kept, said.append)
    assert [line.split(":")[0] for line in said] == [f"epoch {number} of 12" for number in range(1, 13)]
    assert float(said[-1].split()[5].strip(",")) < float(said[0].split()[5].strip(","))

    again = ReaderNetwork(encoder_from_onnx(base))
    learn(again, lambda _: known, stage, kept, said.append)
    assert len(said) == 12, "what was learnt is not learnt again"

    weights = tmp_path / "reader.onnx"
    assert len(export(again, weights)) == 64
    reader = OnnxRuleReader(weights)
    (judgement,) = await reader.judge(AskedText("kites in town 3?"), [RuleText(("Toys",), "", "Kites are banned.")])
    assert sum(judgement.relations.values()) == pytest.approx(1.0)
    assert judgement.decides > judgement.relations[Relation.EXCEPTS]
    await reader.aclose()
