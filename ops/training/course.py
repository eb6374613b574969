"""The whole course: weights for each fold of platforms, which measure what is told of them, then the final ones."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer

from adapters.models.model_files import packaged_files
from adapters.models.rule_reader import MOST_TOKENS
from adapters.models.tokenizer_files import read_tokenizer
from ops.training.documents import fold_of
from ops.training.examples import (
    Example,
    Judgements,
    contrast_examples,
    load,
    pair_examples,
    rule_examples,
    topic_examples,
)
from ops.training.exporting import export
from ops.training.learning import Stage, encoded, learn
from ops.training.network import ReaderNetwork, encoder_from_onnx

FOLD = Stage(epochs=3, rate=8e-5)
FINAL = Stage(epochs=1, rate=3e-5)
_SEED = 7


def learn_all(base: Path, work: Path, folds: int, only: Sequence[str]) -> None:
    """Weights `fold-N.onnx` and `final.onnx` in the folder `work`; the final ones go on from those of fold 0."""
    work.mkdir(parents=True, exist_ok=True)
    data, tokenizer = load(), _tokenizer()
    _say(f"{len(data.questions)} questions on {len(data.documents)} documents")
    course = _Course(base, work, data, tokenizer)
    for name in only or (*(f"fold-{fold}" for fold in range(folds)), "final"):
        if not (work / f"{name}.onnx").is_file():
            started = time.monotonic()
            network = course.final(folds) if name == "final" else course.fold(name, folds)
            _say(f"{name}: {export(network, work / f'{name}.onnx')} after {time.monotonic() - started:.0f} s")


@dataclass(frozen=True, slots=True)
class _Course:
    base: Path
    work: Path
    data: Judgements
    tokenizer: Tokenizer

    def fold(self, name: str, folds: int) -> ReaderNetwork:
        """Learnt without the platforms of the fold."""

        def examples(epoch: int) -> list[Example]:
            every = examples_of(self.data, _SEED + epoch)
            return [each for each in every if not each.group or name != f"fold-{fold_of(each.group, folds)}"]

        return self._learnt(_network(self.base), name, examples, FOLD)

    def final(self, folds: int) -> ReaderNetwork:
        """Learnt from all: from what fold 0 left out, and as much again of the rest, so that nothing is forgotten."""
        network = _network(self.base)
        network.load_state_dict(torch.load(self.work / "fold-0.pt", weights_only=True)["network"])

        def examples(epoch: int) -> list[Example]:
            every = examples_of(self.data, _SEED + epoch)
            new = [each for each in every if each.group and fold_of(each.group, folds) == 0]
            known = [each for each in every if not each.group or fold_of(each.group, folds) != 0]
            return [*new, *random.Random(_SEED + epoch).sample(known, len(new))]

        return self._learnt(network, "final", examples, FINAL)

    def _learnt(
        self, network: ReaderNetwork, name: str, examples: Callable[[int], Sequence[Example]], stage: Stage
    ) -> ReaderNetwork:
        network.freeze_embeddings()
        learn(
            network,
            lambda epoch: encoded(self.tokenizer, examples(epoch)),
            stage,
            self.work / f"{name}.pt",
            lambda line: _say(f"{name}: {line}"),
        )
        return network


def examples_of(data: Judgements, seed: int) -> list[Example]:
    """All that is learnt from; which rules that do not decide, and which questions of a contrast are among them goes by
    `seed`: another one for each epoch."""
    return [
        *pair_examples(data, data.questions, seed),
        *contrast_examples(data, seed),
        *rule_examples(data),
        *topic_examples(data),
    ]


def _network(base: Path) -> ReaderNetwork:
    torch.manual_seed(_SEED)
    return ReaderNetwork(encoder_from_onnx(base))


def _tokenizer() -> Tokenizer:
    tokenizer = read_tokenizer(packaged_files().tokenizer)
    tokenizer.enable_truncation(MOST_TOKENS)
    return tokenizer


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)
