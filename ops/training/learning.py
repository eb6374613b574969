"""Learning the weights of the small reader: on two cores, and where it was broken off it goes on."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn

from ops.training.examples import Example
from ops.training.network import ReaderNetwork

_BATCH = 32
_WEIGHTS = {"relation": 1.0, "effect": 1.0, "rule": 0.5, "topic": 1.5}
_SMOOTHING = 0.03


@dataclass(frozen=True, slots=True)
class Stage:
    """How long and how fast is learnt: `rate` at most, reached after the share `warm_up` of all steps, then falling."""

    epochs: int
    rate: float
    warm_up: float = 0.06
    seed: int = 7


@dataclass(slots=True)
class Encoded:
    """The tokens of an example, and what is known of it."""

    tokens: Encoding
    example: Example

    def __len__(self) -> int:
        return len(self.tokens.ids)


def encoded(tokenizer: Tokenizer, examples: Sequence[Example]) -> list[Encoded]:
    """The tokens of the one or two texts of each example."""
    return [
        Encoded(
            tokenizer.encode(each.first, each.second)
            if each.first and each.second
            else tokenizer.encode(each.first or each.second),
            each,
        )
        for each in examples
    ]


def batched(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """`items` in order, `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _padded(encoded: Sequence[Encoding]) -> tuple[Tensor, Tensor, Tensor]:
    longest = _rounded(max(len(each.ids) for each in encoded))

    def filled(rows: list[list[int]]) -> Tensor:
        return torch.tensor([row + [0] * (longest - len(row)) for row in rows])

    return (
        filled([each.ids for each in encoded]),
        filled([each.attention_mask for each in encoded]),
        filled([each.type_ids for each in encoded]),
    )


def learn(
    network: ReaderNetwork,
    examples: Callable[[int], Sequence[Encoded]],
    stage: Stage,
    kept: Path,
    say: Callable[[str], None],
) -> None:
    """Learn from `examples(epoch)`, as many each time; what is learnt is kept in the file `kept` after each
    epoch, and gone on with."""
    before = torch.load(kept, weights_only=True) if kept.is_file() else {"epoch": 0}
    first = int(before["epoch"])
    if first:
        network.load_state_dict(before["network"])
    if first >= stage.epochs:
        return
    known = examples(first)
    trained = [each for each in network.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=stage.rate, weight_decay=0.01, fused=True)
    steps = stage.epochs * (len(known) // _BATCH + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min(
            (step + 1) / (stage.warm_up * steps), max(0.0, (steps - step) / (steps * (1 - stage.warm_up)))
        ),
    )
    if first:
        optimizer.load_state_dict(before["optimizer"])
        schedule.load_state_dict(before["schedule"])
    for epoch in range(first, stage.epochs):
        torch.manual_seed(stage.seed + epoch)
        started, total, done = time.monotonic(), 0.0, 0
        known = known if epoch == first else examples(epoch)
        network.train()
        for step, batch in enumerate(_batches(known, stage.seed + epoch), start=1):
            loss = _loss(_outputs(network, batch), [each.example for each in batch])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            total, done = total + float(loss.detach()) * len(batch), done + len(batch)
            if step % 100 == 0:
                pace = done / (time.monotonic() - started)
                say(f"epoch {epoch + 1}: {done} of {len(known)}, loss {total / done:.3f}, {pace:.0f} a second")
        state = {
            "network": network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
        }
        torch.save({"epoch": epoch + 1, **state}, kept.with_suffix(".part"))
        kept.with_suffix(".part").replace(kept)
        say(f"epoch {epoch + 1} of {stage.epochs}: loss {total / done:.3f}, {time.monotonic() - started:.0f} s")
    network.eval()


def _rounded(length: int) -> int:
    """A multiple of 16: for each new shape the library of the matrices writes its code anew."""
    return -(-length // 16) * 16


def _batches(examples: Sequence[Encoded], seed: int) -> list[list[Encoded]]:
    """All of them in batches of about one length, which are shuffled: little of a batch is padding."""
    chance = random.Random(seed)
    order = sorted(examples, key=lambda each: len(each) + chance.uniform(-6, 6))
    batches = [list(each) for each in batched(order, _BATCH)]
    chance.shuffle(batches)
    return batches


def _outputs(network: ReaderNetwork, batch: Sequence[Encoded]) -> dict[str, Tensor]:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        outputs: dict[str, Tensor] = network(*_padded([each.tokens for each in batch]))
    return outputs


def _loss(outputs: Mapping[str, Tensor], examples: Sequence[Example]) -> Tensor:
    """Cross-entropy of each head on the examples that say something of it; any of an example's right outputs counts."""
    loss = torch.zeros(())
    for head, weight in _WEIGHTS.items():
        rows = [at for at, each in enumerate(examples) if head in each.targets]
        if rows:
            logs = nn.functional.log_softmax(outputs[head][rows].float(), dim=-1)
            wrong = torch.ones_like(logs, dtype=torch.bool)
            for row, at in zip(wrong, rows, strict=True):
                row[list(examples[at].targets[head])] = False
            right = logs.masked_fill(wrong, -torch.inf).logsumexp(-1)
            part = -((1 - _SMOOTHING) * right + _SMOOTHING * logs.mean(-1)).mean()
            loss = loss + weight * part * len(rows) / len(examples)
    return loss
