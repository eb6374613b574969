"""Re-ranking with a cross-encoder of sentence-transformers: it reads question and passage together."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import torch
from sentence_transformers import CrossEncoder

from rag_core.errors import Misconfigured, Unavailable

_BATCH = 8
"""Passages a run: between runs it can be stopped."""


class CrossEncoderReranker:
    """`rag_core.ports.Reranker`: the model's one logit for each pair, through a sigmoid.

    `model`: a folder, or a name that sentence-transformers finds (downloaded at the first `load`, without running code
    of the model's). One question at a time, in a thread of its own; `threads` (None: as torch has it) are those of
    torch, for the whole process. `load` first: until then `score` loads.

    Raises Misconfigured("reranker_unreadable") for a model that is not there or not of this kind, Unavailable(
    "reranker_failed").
    """

    def __init__(self, model: str, threads: int | None = None) -> None:
        self._name = model
        self._threads = threads
        self._loaded: CrossEncoder | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="rerank")

    async def load(self) -> None:
        """Read the model's files; nothing where that was done."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self._model)

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """See the port. Cancelled, it stops behind the passages that are being read."""
        stop = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._pool, self._scores, question, list(passages), stop
            )
        finally:
            stop.set()

    async def aclose(self) -> None:
        """Waits for what is being read."""
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)

    def _model(self) -> CrossEncoder:
        if self._loaded is None:
            self._loaded = _read(self._name)
            if self._threads is not None:
                torch.set_num_threads(self._threads)
        return self._loaded

    def _scores(self, question: str, passages: list[str], stop: threading.Event) -> list[float]:
        scores: list[float] = []
        model = self._model()
        for start in range(0, len(passages), _BATCH):
            if stop.is_set():
                break
            pairs = [(question, passage) for passage in passages[start : start + _BATCH]]
            try:
                found = model.predict(
                    pairs, batch_size=_BATCH, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False
                )
            except (RuntimeError, ValueError, IndexError) as exc:
                raise Unavailable("reranker_failed", reason=str(exc)) from exc
            scores += [float(each) for each in found]
        return scores


def _read(name: str) -> CrossEncoder:
    try:
        model: CrossEncoder = CrossEncoder(name, device="cpu")
    except (OSError, ValueError, RuntimeError, KeyError, AttributeError, ImportError) as exc:
        raise Misconfigured("reranker_unreadable", model=name, reason=str(exc)) from exc
    if model.num_labels != 1:
        raise Misconfigured("reranker_unreadable", model=name, reason=f"it gives {model.num_labels} scores, not one")
    return model
