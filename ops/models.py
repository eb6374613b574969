"""Makes the language models and the re-ranking that the settings name, and what asks them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ops.breakers import MODEL, MODEL_REST_SECONDS, SECOND_MODEL, BreakerWatch, CircuitBreaker
from ops.config import Config
from ops.model_calls import CallTools, WatchedModel
from rag_core.answering.generative.writer import Writer, WriterSettings
from rag_core.errors import Misconfigured
from rag_core.ports import AnswerModel
from rag_core.retrieval.ranking import Ranking

if TYPE_CHECKING:
    from adapters.models.llama_cpp import LlamaModel
    from adapters.models.openai_endpoint import OpenAiModel
    from adapters.models.prices import Prices

ANSWER, QUOTES, JUDGE, REWRITE = "answer", "quotes", "judge", "rewrite"
"""What models are called for: to answer, to find quotes, to judge whether it is one, to complete follow-ups."""


@dataclass(frozen=True, slots=True)
class Models:
    """What the settings name, loaded. `second` finds the quotes, where there are two."""

    main: WatchedModel
    second: WatchedModel | None = None


def model_breakers(watch: BreakerWatch) -> dict[str, CircuitBreaker]:
    """One for each model there may be."""
    return {name: CircuitBreaker(name, watch, rest_seconds=MODEL_REST_SECONDS) for name in (MODEL, SECOND_MODEL)}


@asynccontextmanager
async def open_models(
    config: Config, breakers: dict[str, CircuitBreaker], tools: CallTools
) -> AsyncIterator[Models | None]:
    """The models, loaded, closed at the end; None where none is configured. Every call is told to the tools' listener.

    Raises Misconfigured: model_library_missing, model_setting_missing, language_model_missing,
    language_model_unreadable, model_key_unencrypted.
    """
    if config.model == "none":
        yield None
        return
    async with AsyncExitStack() as stack:
        watched: list[WatchedModel] = []
        for second in (False, True) if config.model_wiring == "two" else (False,):
            model = _built(config, second=second)
            stack.push_async_callback(model.aclose)
            watched.append(
                WatchedModel(
                    model,
                    breakers[SECOND_MODEL if second else MODEL],
                    tools,
                    role=QUOTES if second else ANSWER,
                    seconds=config.model_seconds,
                    estimate=partial(_prices(config, second=second).usage, estimated=True),
                )
            )
            await model.load()
        yield Models(*watched)


def writer_of(config: Config, models: Models | None) -> Writer | None:
    """What puts answers in a model's words."""
    if models is None:
        return None
    settings = WriterSettings(
        config.model_seconds, config.model_context_tokens, config.model_judges, paced=config.model == "llama"
    )
    second = models.second
    judge = second.for_role(JUDGE) if second is not None else None
    rewriter = (second or models.main).for_role(REWRITE)
    return Writer(models.main, settings, second, judge=judge, rewriter=rewriter)


@asynccontextmanager
async def open_ranking(config: Config) -> AsyncIterator[Ranking]:
    """What orders the passages that were found; a cross-encoder, where one is configured, is loaded, closed at the end.

    Raises Misconfigured: reranker_library_missing, reranker_unreadable.
    """
    if config.reranker in ("", "none"):
        yield Ranking()
        return
    try:
        from adapters.models.cross_encoder import CrossEncoderReranker
    except ImportError as exc:
        raise Misconfigured("reranker_library_missing", driver="sentence-transformers") from exc
    model = CrossEncoderReranker(config.reranker)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(model.aclose)
        await model.load()
        yield Ranking(model, seconds=config.reranker_seconds)


@asynccontextmanager
async def open_model(config: Config) -> AsyncIterator[AnswerModel | None]:
    """The main model by itself, loaded; None where none is configured. Raises as `open_writer` does."""
    if config.model == "none":
        yield None
        return
    async with AsyncExitStack() as stack:
        model = _built(config, second=False)
        stack.push_async_callback(model.aclose)
        await model.load()
        yield model


def _built(config: Config, *, second: bool) -> "LlamaModel | OpenAiModel":
    """The main model, or the one that finds quotes."""
    if config.model == "llama":
        return _llama(config, second=second)
    if second:
        url, key = config.model_second_url or config.model_url, _second_key(config)
        return _endpoint(config, url, config.model_second_name, key, second=True)
    key = config.model_key.get_secret_value() if config.model_key else ""
    return _endpoint(config, config.model_url, config.model_name, key, second=False)


def _llama(config: Config, *, second: bool) -> "LlamaModel":
    try:
        from adapters.models.llama_cpp import LlamaModel, LlamaSettings
    except ImportError as exc:
        raise Misconfigured("model_library_missing", driver="llama-cpp-python") from exc
    path: Path | None = config.model_second_path if second else config.model_path
    prices = _prices(config, second=second)
    return LlamaModel(LlamaSettings(path, config.model_window, config.model_seconds, config.model_threads, prices))


def _endpoint(config: Config, url: str, name: str, key: str, *, second: bool) -> "OpenAiModel":
    for value, part in ((url, "URL"), (name, "SECOND_NAME" if second else "NAME")):
        if not value:
            raise Misconfigured("model_setting_missing", setting=f"ADPOLICY_MODEL_{part}")
    try:
        from adapters.models.openai_endpoint import EndpointSettings, OpenAiModel
    except ImportError as exc:
        raise Misconfigured("model_library_missing", driver="openai") from exc
    settings = EndpointSettings(
        url,
        name,
        key,
        window=config.model_window,
        seconds=config.model_seconds,
        tokenizer=config.model_tokenizer,
        prices=_prices(config, second=second),
        key_over_http=config.model_key_over_http,
    )
    return OpenAiModel(settings)


def _second_key(config: Config) -> str:
    """A key is for the one who gave it: another host does not get it."""
    if config.model_second_key is not None:
        return config.model_second_key.get_secret_value()
    first, second = urlsplit(config.model_url), urlsplit(config.model_second_url or config.model_url)
    same = (first.scheme, first.netloc) == (second.scheme, second.netloc)
    return config.model_key.get_secret_value() if config.model_key and same else ""


def _prices(config: Config, *, second: bool) -> "Prices":
    from adapters.models.prices import Prices

    prices = Prices(config.model_price_read, config.model_price_written)
    if not second:
        return prices
    read, written = config.model_second_price_read, config.model_second_price_written
    return Prices(prices.read if read is None else read, prices.written if written is None else written)
