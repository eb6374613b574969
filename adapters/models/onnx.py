"""Embeddings with ONNX Runtime: no torch, no server."""

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnxruntime import InferenceSession, SessionOptions
from onnxruntime.capi import onnxruntime_pybind11_state as ort
from tokenizers import Encoding, Tokenizer

from adapters.models.model_files import ModelFiles, files_of
from adapters.models.token_counts import as_unicode, token_counter
from adapters.models.tokenizer_files import read_tokenizer
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.ports import Vector


class WordPieces:
    """Counts and cuts texts in the model's own word pieces. `max_tokens` includes the special tokens."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        self._tokenizer = tokenizer
        self.max_tokens = max_tokens
        self._count = token_counter(tokenizer)

    def count(self, text: str) -> int:
        """Word pieces of `text`, special tokens included."""
        return self._count(text)

    def windows(self, text: str) -> list[list[int]]:
        """Token ids in windows of nearly equal size, each complete with its special tokens.

        Equal sizes, so that a plain average of the windows gives every word the same weight.
        """
        encoding = self._tokenizer.encode(as_unicode(text))
        ids = list(encoding.ids)
        if len(ids) <= self.max_tokens:
            return [ids]
        first, last = _content(encoding)
        return [
            [*ids[:first], *ids[start:end], *ids[last:]]
            for start, end in _even_spans(first, last, self.max_tokens - (len(ids) - (last - first)))
        ]


def _content(encoding: Encoding) -> tuple[int, int]:
    """Where the text's own tokens begin and end between the special ones."""
    own = [position for position, special in enumerate(encoding.special_tokens_mask) if not special]
    return own[0], own[-1] + 1


def _even_spans(first: int, last: int, size: int) -> list[tuple[int, int]]:
    count = ceil((last - first) / size)
    edges = [first + round(part * (last - first) / count) for part in range(count + 1)]
    return list(pairwise(edges))


_ORT_ERRORS = (
    ort.EPFail,
    ort.Fail,
    ort.InvalidArgument,
    ort.InvalidGraph,
    ort.InvalidProtobuf,
    ort.NoModel,
    ort.NoSuchFile,
    ort.NotImplemented,
    ort.RuntimeException,
)


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: InferenceSession
    inputs: frozenset[str]
    dimensions: int
    pieces: WordPieces


class OnnxEmbedder:
    """`rag_core.ports.Embedder`: mean pooling over the word pieces, unit length.

    `folder` holds `model.onnx` and `tokenizer.json`; None is the packaged all-MiniLM-L6-v2. `threads` is how
    many texts are embedded at once (None: one a core). The model is loaded once, on first use: `await load()`
    first where blocking matters, because `count_tokens` loads it in place. A text longer than `max_tokens`
    is embedded as the average of windows over all of it.

    Raises Misconfigured("embedding_model_missing" | "embedding_model_unreadable") on first use, and
    Unavailable("embedder_failed").
    """

    def __init__(self, folder: Path | None = None, threads: int | None = None) -> None:
        self._folder = folder
        self._threads = max(threads if threads is not None else _cores(), 1)
        self._loading = threading.Lock()

    @cached_property
    def _files(self) -> ModelFiles:
        return files_of(self._folder)

    @cached_property
    def _loaded(self) -> _Loaded:
        return _load(self._files)

    def _ready(self) -> _Loaded:
        with self._loading:
            return self._loaded

    async def load(self) -> None:
        """Load the model now, so that the first question need not wait for it."""
        await asyncio.to_thread(self._ready)

    @property
    def model(self) -> str:
        """The key of what this model makes; for a folder it names the weights, which are read for it."""
        return self._files.name

    @property
    def dimensions(self) -> int:
        """Loads the model if its files alone do not say."""
        return self._files.dimensions or self._ready().dimensions

    @property
    def max_tokens(self) -> int:
        return self._files.max_tokens

    def count_tokens(self, text: str) -> int:
        """Word pieces of `text` as the model counts them, special tokens included."""
        return self._ready().pieces.count(text)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order. A text's vector does not depend on its neighbours."""
        return await asyncio.to_thread(self._embed, list(texts)) if texts else []

    def _embed(self, texts: list[str]) -> list[Vector]:
        loaded = self._ready()
        windows = [(number, ids) for number, text in enumerate(texts) for ids in loaded.pieces.windows(text)]
        sums = np.zeros((len(texts), loaded.dimensions), dtype=np.float32)
        # Longest first, so that the workers end together
        windows.sort(key=lambda window: (-len(window[1]), window[0]))
        for (number, _), vector in zip(windows, self._run_all(loaded, windows), strict=True):
            sums[number] += vector
        return [_unit(row) for row in sums]

    def _run_all(self, loaded: _Loaded, windows: list[tuple[int, list[int]]]) -> list[Vector]:
        workers = min(self._threads, len(windows))
        if workers == 1:
            return [_run(loaded, ids) for _, ids in windows]
        with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
            return list(pool.map(lambda window: _run(loaded, window[1]), windows))


def _load(files: ModelFiles) -> _Loaded:
    options = SessionOptions()
    # One thread a run, several runs at once. Measured on 2 cores: 50 long texts a second against 42 with two
    # threads a run, four callers 430 queries a second against 364; one query alone takes 4.3 ms, not 2.5,
    # but leaves the other core to the search. A run is one text: the int8 model scales its activations over
    # the whole batch, so that in a batch a text's vector would depend on its neighbours.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        session = InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])
    except (*_ORT_ERRORS, OSError) as exc:
        raise _translate(exc, files.model) from exc
    loaded = _Loaded(
        session=session,
        inputs=frozenset(given.name for given in session.get_inputs()),
        dimensions=files.dimensions or 0,
        pieces=WordPieces(read_tokenizer(files.tokenizer), files.max_tokens),
    )
    measured = len(_run(loaded, loaded.pieces.windows("a")[0]))
    return _Loaded(loaded.session, loaded.inputs, measured, loaded.pieces)


def _run(loaded: _Loaded, ids: list[int]) -> Vector:
    """The unit vector of one window."""
    row = np.asarray([ids], dtype=np.int64)
    feeds = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
    try:
        output = loaded.session.run(None, {name: feeds[name] for name in loaded.inputs})[0]
    except (*_ORT_ERRORS, KeyError) as exc:
        raise Unavailable("embedder_failed", reason=str(exc)) from exc
    pooled = output[0].mean(axis=0) if output.ndim == 3 else output[0]
    return _unit(pooled)


def _unit(vector: npt.NDArray[np.float32]) -> Vector:
    length = float(np.linalg.norm(vector))
    return (vector / length if length > 0 else vector).astype(np.float32)


def _translate(exc: Exception, path: Path) -> PolicyBotError:
    return Misconfigured("embedding_model_unreadable", path=str(path), reason=str(exc))


def _cores() -> int:
    """The cores this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
