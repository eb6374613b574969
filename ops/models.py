"""Makes the language model and the re-ranking that the settings name, and what asks them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from ops.config import Config
from ops.monitoring.breakers import MODEL, MODEL_REST_SECONDS, BreakerWatch, CircuitBreaker
from ops.monitoring.model_calls import CallTools, WatchedModel
from rag_core.errors import Misconfigured
from rag_core.generation.follow_ups import FollowUpWriter
from rag_core.generation.reader import LanguageModelReader
from rag_core.ports import AnswerModel
from rag_core.retrieval.ranking import Ranking

if TYPE_CHECKING:
    from adapters.models.llama_cpp import LlamaModel
    from adapters.models.openai_endpoint import OpenAiModel
    from adapters.models.prices import Prices

ANSWER, REWRITE = "answer", "rewrite"
"""What a model is called for: to read the rules and answer, to complete follow-ups."""

_FOLLOW_UP_SECONDS = 4.0


def model_breakers(watch: BreakerWatch) -> dict[str, CircuitBreaker]:
    """That of the model there may be."""
    return {MODEL: CircuitBreaker(MODEL, watch, rest_seconds=MODEL_REST_SECONDS)}


@asynccontextmanager
async def open_watched_model(
    config: Config, breakers: dict[str, CircuitBreaker], tools: CallTools, own: AnswerModel | None = None
) -> AsyncIterator[WatchedModel | None]:
    """The model, loaded, closed at the end; None where none is configured. Every call is told to the tools' listener.
    `own`: a model instead of the one that the settings name, closed by whoever made it.

    Raises as `open_model` does.
    """
    if own is not None:
        yield WatchedModel(own, breakers[MODEL], tools, role=ANSWER, seconds=config.model_seconds)
        return
    async with open_model(config) as model:
        if model is None:
            yield None
            return
        yield WatchedModel(
            model,
            breakers[MODEL],
            tools,
            role=ANSWER,
            seconds=config.model_seconds,
            estimate=partial(_prices(config).usage, estimated=True),
        )


def model_reader(config: Config, model: WatchedModel | None) -> LanguageModelReader | None:
    """What has the model read the rules of a question."""
    return LanguageModelReader(model, config.model_seconds) if model else None


def follow_up_writer(model: WatchedModel | None) -> FollowUpWriter | None:
    """What has the model complete follow-ups."""
    return FollowUpWriter(model.for_role(REWRITE), _FOLLOW_UP_SECONDS) if model else None


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
    """The model by itself, loaded, closed at the end; None where none is configured.

    Raises Misconfigured: model_library_missing, model_setting_missing, language_model_missing,
    language_model_unreadable, model_key_unencrypted.
    """
    if config.model == "none":
        yield None
        return
    async with AsyncExitStack() as stack:
        model = _llama(config) if config.model == "llama" else _endpoint(config)
        stack.push_async_callback(model.aclose)
        await model.load()
        yield model


def _llama(config: Config) -> "LlamaModel":
    try:
        from adapters.models.llama_cpp import LlamaModel, LlamaSettings
    except ImportError as exc:
        raise Misconfigured("model_library_missing", driver="llama-cpp-python") from exc
    settings = LlamaSettings(
        config.model_path, config.model_window, config.model_seconds, config.model_threads, _prices(config)
    )
    return LlamaModel(settings)


def _endpoint(config: Config) -> "OpenAiModel":
    for value, part in ((config.model_url, "URL"), (config.model_name, "NAME")):
        if not value:
            raise Misconfigured("model_setting_missing", setting=f"ADPOLICY_MODEL_{part}")
    try:
        from adapters.models.openai_endpoint import EndpointSettings, OpenAiModel
    except ImportError as exc:
        raise Misconfigured("model_library_missing", driver="openai") from exc
    settings = EndpointSettings(
        config.model_url,
        config.model_name,
        config.model_key.get_secret_value() if config.model_key else "",
        window=config.model_window,
        seconds=config.model_seconds,
        tokenizer=config.model_tokenizer,
        prices=_prices(config),
        key_over_http=config.model_key_over_http,
    )
    return OpenAiModel(settings)


def _prices(config: Config) -> "Prices":
    from adapters.models.prices import Prices

    return Prices(config.model_price_read, config.model_price_written)
