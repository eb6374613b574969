"""The small reader as a torch module: a BERT encoder with four heads on the vector of its first token."""

import math
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from rag_core.rules.reader import Effect, Relation, Topic

RELATIONS = tuple(Relation)
EFFECTS = tuple(Effect)
TOPICS = tuple(Topic)
OUTPUTS = {"relation": len(RELATIONS), "effect": len(EFFECTS), "rule": len(EFFECTS) + 1, "topic": len(TOPICS)}
"""Logits of each head. `relation` and `effect` are of a question and a rule, `rule` of a rule alone (the last one: no
rule), `topic` of a question alone."""


class ReaderNetwork(nn.Module):  # type: ignore[misc,unused-ignore]  # checked without torch, too
    """Token ids, mask and segment ids, each [pairs, tokens] -> logits of each head, [pairs, outputs]."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.config.hidden_size
        self.dropout = nn.Dropout(0.1)
        self.heads = nn.ModuleDict({name: nn.Linear(width, size) for name, size in OUTPUTS.items()})

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> dict[str, Tensor]:
        states = self.encoder.embeddings(input_ids=ids, token_type_ids=segments)
        seen = mask[:, None, None, :].bool()
        for layer in self.encoder.encoder.layer:
            states = _layer(layer, states, seen, self.encoder.config.num_attention_heads)
        first = self.dropout(states[:, 0])
        return {name: head(first) for name, head in self.heads.items()}

    def freeze_embeddings(self) -> None:
        """Keep them as they are: words that no example has would be left behind."""
        for parameter in self.encoder.embeddings.parameters():
            parameter.requires_grad = False


def _layer(layer: nn.Module, states: Tensor, seen: Tensor, heads: int) -> Tensor:
    """A BERT layer: attention, then two matrices, each added to what came in and normalised.

    Written out, and no attention is dropped in training: on a processor the fused form and dropping cost a third of the
    time.
    """
    inner = layer.attention.self
    query, key, value = (
        each(states).unflatten(-1, (heads, -1)).transpose(1, 2) for each in (inner.query, inner.key, inner.value)
    )
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    met = scores.masked_fill(~seen, -torch.inf).softmax(-1).to(value.dtype) @ value
    states = layer.attention.output(met.transpose(1, 2).flatten(2), states)
    return layer.output(layer.intermediate(states), states)


def encoder_from_onnx(path: Path) -> BertModel:
    """A BERT encoder with the weights of an ONNX graph that keeps their names (bge-small-en-v1.5, float32).

    Matrices of MatMul nodes are nameless and transposed there: each is found through the bias that is added to it.
    """
    graph = onnx.load(str(path)).graph
    arrays = {each.name: torch.tensor(numpy_helper.to_array(each)) for each in graph.initializer}
    by_input = {name: node for node in graph.node for name in node.input}
    weights = {name: value for name, value in arrays.items() if name.startswith(("embeddings.", "encoder."))}
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in arrays:
            continue
        added = by_input[node.output[0]]
        bias = next(name for name in added.input if name.endswith(".bias"))
        weights[bias.removesuffix("bias") + "weight"] = arrays[node.input[1]].T.contiguous()
    layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
    width = weights["embeddings.LayerNorm.weight"].shape[0]
    config = BertConfig(
        vocab_size=weights["embeddings.word_embeddings.weight"].shape[0],
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // 32,
        intermediate_size=weights["encoder.layer.0.intermediate.dense.weight"].shape[0],
    )
    model = BertModel(config, add_pooling_layer=False)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if [each for each in missing if not each.endswith("position_ids")] or unexpected:
        raise ValueError(f"the graph is no BERT encoder: {missing[:3]} {unexpected[:3]}")
    return model
