"""Makes the language models that the settings name, and what asks them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ops.config import Config
from rag_core.answering.generative.writer import Writer, WriterSettings
from rag_core.errors import Misconfigured
from rag_core.ports import AnswerModel

if TYPE_CHECKING:
    from adapters.models.llama_cpp import LlamaModel
    from adapters.models.openai_endpoint import OpenAiModel
    from adapters.models.prices import Prices


@asynccontextmanager
async def open_writer(config: Config) -> AsyncIterator[Writer | None]:
    """What puts answers in a model's words; None where no model is configured. Models are loaded, closed at the end.

    Raises Misconfigured: model_library_missing, model_setting_missing, language_model_missing,
    language_model_unreadable.
    """
    if config.model == "none":
        yield None
        return
    async with AsyncExitStack() as stack:
        model = _built(config, second=False)
        stack.push_async_callback(model.aclose)
        extractor = _built(config, second=True) if config.model_wiring == "two" else None
        if extractor is not None:
            stack.push_async_callback(extractor.aclose)
        for each in (model, extractor):
            if each is not None:
                await each.load()
        settings = WriterSettings(config.model_seconds, config.model_context_tokens, config.model_judges)
        yield Writer(model, settings, extractor)


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
        return _llama(config, config.model_second_path if second else config.model_path)
    if second:
        return _endpoint(config, config.model_second_url or config.model_url, config.model_second_name, "SECOND_NAME")
    return _endpoint(config, config.model_url, config.model_name, "NAME")


def _llama(config: Config, path: Path | None) -> "LlamaModel":
    try:
        from adapters.models.llama_cpp import LlamaModel, LlamaSettings
    except ImportError as exc:
        raise Misconfigured("model_library_missing", driver="llama-cpp-python") from exc
    settings = LlamaSettings(path, config.model_window, config.model_seconds, config.model_threads, _prices(config))
    return LlamaModel(settings)


def _endpoint(config: Config, url: str, name: str, setting: str) -> "OpenAiModel":
    for value, part in ((url, "URL"), (name, setting)):
        if not value:
            raise Misconfigured("model_setting_missing", setting=f"ADPOLICY_MODEL_{part}")
    try:
        from adapters.models.openai_endpoint import EndpointSettings, OpenAiModel
    except ImportError as exc:
        raise Misconfigured("model_library_missing", driver="openai") from exc
    key = config.model_key.get_secret_value() if config.model_key else ""
    tokenizer, prices = config.model_tokenizer, _prices(config)
    return OpenAiModel(EndpointSettings(url, name, key, config.model_window, config.model_seconds, tokenizer, prices))


def _prices(config: Config) -> "Prices":
    from adapters.models.prices import Prices

    return Prices(config.model_price_read, config.model_price_written)
