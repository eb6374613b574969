"""The small reader: our own trained weights with ONNX Runtime, no torch, no server (see `weights/model-card.md`)."""

import asyncio
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from onnxruntime import InferenceSession, SessionOptions
from onnxruntime.capi import onnxruntime_pybind11_state as ort
from tokenizers import Tokenizer

from adapters.models.model_files import packaged_files
from adapters.models.token_counts import as_unicode
from adapters.models.tokenizer_files import read_tokenizer
from rag_core.errors import Misconfigured, Unavailable
from rag_core.rules.reader import AskedText, Effect, Judgement, Relation, RuleReading, RuleText, Topic

WEIGHTS = Path(__file__).parent / "weights" / "rule-reader.onnx"
MOST_TOKENS = 128
_KEPT = 20_000
"""Judgements kept in memory: a few hundred questions with all that was read for them."""

_MOST_WAITING = 2_000
"""Texts that may wait for the model, half a minute of work on two cores; who comes then is told that it is busy."""

_HEADS = ("relation", "effect", "rule", "topic")
_ORT_ERRORS = (ort.EPFail, ort.Fail, ort.InvalidArgument, ort.InvalidGraph, ort.InvalidProtobuf, ort.NoModel,
               ort.NoSuchFile, ort.NotImplemented, ort.RuntimeException)  # fmt: skip

Logits = tuple[npt.NDArray[np.float32], ...]


class OnnxRuleReader:
    """`rag_core.rules.reader.Reader`. Texts are read one at a time by `threads` threads (None: one a core), so that
    what is said of one does not depend on its neighbours, and kept by what was read.

    The model is loaded once, on first use. Raises Misconfigured("rule_reader_missing" | "rule_reader_unreadable") then,
    Unavailable("reader_failed" | "reader_busy") later.
    """

    def __init__(self, weights: Path = WEIGHTS, threads: int | None = None) -> None:
        self._path = weights
        self._loading = threading.Lock()
        self._session: InferenceSession | None = None
        self._tokenizer: Tokenizer | None = None
        self._version = ""
        self._pool = ThreadPoolExecutor(threads or len(os.sched_getaffinity(0)), thread_name_prefix="rules")
        self._kept: OrderedDict[tuple[str, str], Logits] = OrderedDict()
        self._waiting = 0

    @property
    def version(self) -> str:
        """Names the weights: the first digits of their SHA-256. Reads the file the first time."""
        with self._loading:
            if not self._version:
                if not self._path.is_file():
                    raise Misconfigured("rule_reader_missing", path=str(self._path))
                with self._path.open("rb") as stream:
                    self._version = f"rules-{hashlib.file_digest(stream, 'sha256').hexdigest()[:10]}"
            return self._version

    async def load(self) -> None:
        """Load the model now, so that the first question need not wait for it."""
        await asyncio.to_thread(self._ready)

    async def judge(self, asked: AskedText, rules: Sequence[RuleText]) -> list[Judgement]:
        """See the port."""
        question = asked.text
        logits = await self._run([(question, rule.text) for rule in rules])
        return [Judgement(_named(Relation, each[0]), _named(Effect, each[1])) for each in logits]

    async def read(self, rules: Sequence[RuleText]) -> list[RuleReading]:
        """See the port."""
        readings = []
        for each in await self._run([("", rule.text) for rule in rules]):
            *effects, none = _softmax(each[2])
            readings.append(RuleReading(dict(zip(Effect, effects, strict=True)), none))
        return readings

    async def topic(self, asked: AskedText) -> dict[Topic, float]:
        """See the port."""
        return _named(Topic, (await self._run([(asked.text, "")]))[0][3])

    async def aclose(self) -> None:
        """Waits for what is being read."""
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)

    async def _run(self, pairs: Sequence[tuple[str, str]]) -> list[Logits]:
        """The logits of all heads for each pair of texts; what waits is dropped when nobody waits for it."""
        if self._waiting + len(pairs) > _MOST_WAITING:
            raise Unavailable("reader_busy")
        futures: dict[tuple[str, str], Future[Logits]] = {
            pair: self._pool.submit(self._logits, pair) for pair in dict.fromkeys(pairs) if pair not in self._kept
        }
        self._waiting += len(futures)
        try:
            for pair, future in futures.items():
                self._keep(pair, await asyncio.wrap_future(future))
        finally:
            self._waiting -= len(futures)
            for future in futures.values():
                future.cancel()
        return [self._kept[pair] if pair in self._kept else futures[pair].result() for pair in pairs]

    def _keep(self, pair: tuple[str, str], logits: Logits) -> None:
        self._kept[pair] = logits
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def _ready(self) -> tuple[InferenceSession, Tokenizer]:
        self.version  # noqa: B018 - whether the file is there
        with self._loading:
            if self._session is None or self._tokenizer is None:
                options = SessionOptions()
                options.intra_op_num_threads = 1
                options.inter_op_num_threads = 1
                try:
                    self._session = InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])
                except (*_ORT_ERRORS, OSError) as exc:
                    raise Misconfigured("rule_reader_unreadable", path=str(self._path), reason=str(exc)) from exc
                self._tokenizer = read_tokenizer(packaged_files().tokenizer)
                self._tokenizer.enable_truncation(MOST_TOKENS)
            return self._session, self._tokenizer

    def _logits(self, pair: tuple[str, str]) -> Logits:
        session, tokenizer = self._ready()
        first, second = (as_unicode(text) for text in pair)
        encoded = tokenizer.encode(first, second) if first and second else tokenizer.encode(first or second)
        feeds: dict[str, Any] = {
            "input_ids": np.asarray([encoded.ids], dtype=np.int64),
            "attention_mask": np.asarray([encoded.attention_mask], dtype=np.int64),
            "token_type_ids": np.asarray([encoded.type_ids], dtype=np.int64),
        }
        try:
            return tuple(output[0] for output in session.run(list(_HEADS), feeds))
        except _ORT_ERRORS as exc:
            raise Unavailable("reader_failed", reason=str(exc)) from exc


def _named(kind: Any, logits: npt.NDArray[np.float32]) -> dict[Any, float]:
    return dict(zip(kind, _softmax(logits), strict=True))


def _softmax(logits: npt.NDArray[np.float32]) -> list[float]:
    shifted = np.exp(logits - logits.max())
    return [float(each) for each in shifted / shifted.sum()]
