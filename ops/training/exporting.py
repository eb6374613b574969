"""The learnt weights as an int8 ONNX file, and the file's SHA-256."""

import hashlib
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from ops.training.network import OUTPUTS, ReaderNetwork


class _Outputs(nn.Module):  # type: ignore[misc,unused-ignore]  # checked without torch, too
    """The network with its heads' logits as a tuple, in the order of `OUTPUTS`."""

    def __init__(self, network: ReaderNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> tuple[Tensor, ...]:
        found = self.network(ids, mask, segments)
        return tuple(found[name] for name in OUTPUTS)


def export(network: ReaderNetwork, path: Path) -> str:
    """Write the network to `path` with int8 matrices; the SHA-256 of the file, in hexadecimal digits."""
    network.eval()
    names = ("input_ids", "attention_mask", "token_type_ids")
    sample = (
        torch.ones(2, 8, dtype=torch.long),
        torch.ones(2, 8, dtype=torch.long),
        torch.zeros(2, 8, dtype=torch.long),
    )
    whole = path.with_suffix(".float.onnx")
    torch.onnx.export(
        _Outputs(network),
        sample,
        str(whole),
        input_names=list(names),
        output_names=list(OUTPUTS),
        dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in names} | {name: {0: "pairs"} for name in OUTPUTS},
        opset_version=17,
        dynamo=False,
    )
    # Seven bits: the sums of eight overflow on processors without VNNI, and what is read would differ between machines.
    quantize_dynamic(whole, path, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    whole.unlink()
    return hashlib.sha256(path.read_bytes()).hexdigest()
