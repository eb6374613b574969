"""A language model behind an address that speaks OpenAI's protocol: theirs, or a server of one's own."""

import asyncio
import ipaddress
import json
import math
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import openai
from openai import AsyncOpenAI
from tokenizers import Tokenizer

from adapters.models.prices import UNPRICED, Prices
from rag_core.deadlines import remaining
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage, whole

_BYTES_A_TOKEN = 3
"""English has about 4.3 bytes a token in the vocabularies in use: without the tokenizer, too many are counted."""

_RETRIES = 2
_CONNECT_SECONDS = 5.0
_DECLINED = (400, 413, 422)
"""How servers say that this one request does not suit them, its length or what it is about; another may."""

_CODE = re.compile(r"[a-z_]{1,40}")
_PRIVATE = tuple(ipaddress.ip_network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
_UNFIT = (400, 415, 422, 500, 501)
"""How servers say that they do not know an option; some fail over it."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """`url` with the version ("https://host/v1"). `tokenizer`: the model's tokenizer.json, to count exactly.

    `window` is in tokens, `seconds` for one generation. `key_over_http`: the key may go unencrypted to anywhere; else
    only to this machine and to addresses of private networks.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    window: int = 8_192
    seconds: float = 15.0
    tokenizer: Path | None = None
    prices: Prices = UNPRICED
    key_over_http: bool = False


@dataclass(frozen=True, slots=True)
class _Options:
    """What the server was found to know; each is given up at its first refusal, and not tried again.

    `form`: how output is constrained: by "json_schema", by "json_object" with the schema beside it, by a plain
    "json_object" with the schema in the text, or, "none", by the text alone.
    """

    form: str = "json_schema"
    limit: str = "max_tokens"
    temperature: bool = True
    usage: bool = True


_FORMS = ("json_schema", "json_object_schema", "json_object", "none")


class OpenAiModel:
    """`rag_core.ports.AnswerModel` over the official client, which retries what did not arrive.

    Redirections are not followed: question and key go to the address that was set, or nowhere. Raises
    Misconfigured("language_model_unreadable", path, reason) for an unreadable tokenizer and
    Misconfigured("model_key_unencrypted", address).
    """

    def __init__(self, settings: EndpointSettings) -> None:
        _check_key(settings)
        self._settings = settings
        self._options = _Options()
        self._tokenizer = _tokenizer(settings.tokenizer)
        self._client = AsyncOpenAI(
            base_url=settings.url,
            api_key=settings.key or "none",
            timeout=openai.Timeout(settings.seconds, connect=_CONNECT_SECONDS),
            max_retries=_RETRIES,
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                # What is not encrypted is not shown to a proxy either.
                trust_env=urlsplit(settings.url).scheme == "https",
            ),
        )

    @property
    def name(self) -> str:
        return self._settings.model

    @property
    def window(self) -> int:
        return self._settings.window

    def count_tokens(self, text: str) -> int:
        """With the model's tokenizer where it is known; else more than there are."""
        if self._tokenizer is not None:
            return len(self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids)
        return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_A_TOKEN)

    async def generate(self, request: ModelRequest) -> ModelPiece:
        return await whole(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        seconds = remaining(self._settings.seconds)
        try:
            async with asyncio.timeout(seconds) as patience:
                async for piece in self._pieces(request):
                    yield piece
        except TimeoutError as exc:
            if patience.expired():
                raise Unavailable("model_slow", seconds=round(seconds, 1)) from exc
            raise
        except openai.OpenAIError as exc:
            raise _translate(exc) from exc

    async def _pieces(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        text, finished = "", ""
        usage: TokenUsage | None = None
        stream = await self._begin(request)
        async with stream:
            async for chunk in stream:
                if chunk.usage is not None:
                    usage = self._settings.prices.usage(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
                for choice in chunk.choices[:1]:
                    finished = choice.finish_reason or finished
                    if choice.delta.content:
                        text += choice.delta.content
                        yield ModelPiece(choice.delta.content)
        yield ModelPiece("", usage or self._counted(request, text), finished == "length")

    async def _begin(self, request: ModelRequest) -> Any:
        """The open stream, after as many attempts as there are options to give up."""
        while True:
            options = self._options
            try:
                return await self._client.chat.completions.create(**self._arguments(request, options))
            except openai.APIStatusError as exc:
                less = _without_refused(options, exc, constrained=request.schema is not None)
                if less is None:
                    raise
                if self._options == options:
                    self._options = less

    def _arguments(self, request: ModelRequest, options: _Options) -> dict[str, Any]:
        system = request.system
        arguments: dict[str, Any] = {"model": self._settings.model, "stream": True, "seed": 0}
        arguments[options.limit] = request.max_tokens
        if options.temperature:
            arguments["temperature"] = 0.0
        if options.usage:
            arguments["stream_options"] = {"include_usage": True}
        if request.schema is not None:
            if (form := _response_format(options.form, request.schema)) is not None:
                arguments["response_format"] = form
            if options.form in ("json_object", "none"):
                system = (
                    f"{system}\nThe JSON follows this schema, without anything around it: {json.dumps(request.schema)}"
                )
        arguments["messages"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": request.user},
        ]
        return arguments

    def _counted(self, request: ModelRequest, text: str) -> TokenUsage:
        """For servers that do not say how many tokens it was."""
        read = self.count_tokens(request.system) + self.count_tokens(request.user)
        return self._settings.prices.usage(read, self.count_tokens(text), estimated=True)

    async def load(self) -> None:
        """Nothing is loaded: the address is asked with the first question."""

    async def aclose(self) -> None:
        await self._client.close()


def _response_format(form: str, schema: Any) -> dict[str, Any] | None:
    match form:
        case "json_schema":
            return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        case "json_object_schema":
            return {"type": "json_object", "schema": schema}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None


def _without_refused(options: _Options, exc: openai.APIStatusError, *, constrained: bool) -> _Options | None:
    """`options` without the one that the server seems to refuse; None if it is none of them."""
    if exc.status_code not in _UNFIT:
        return None
    said = f"{exc.message} {exc.body}".lower()
    if "max_completion_tokens" in said and options.limit == "max_tokens":
        return replace(options, limit="max_completion_tokens")
    if "temperature" in said and options.temperature:
        return replace(options, temperature=False)
    if "stream_options" in said and options.usage:
        return replace(options, usage=False)
    position = _FORMS.index(options.form)
    about_form = exc.status_code < 500 or any(word in said for word in ("response_format", "schema", "grammar", "json"))
    if constrained and about_form and position + 1 < len(_FORMS):
        return replace(options, form=_FORMS[position + 1])
    return None


def _tokenizer(path: Path | None) -> Tokenizer | None:
    if path is None:
        return None
    try:
        return Tokenizer.from_file(str(path))
    except Exception as exc:  # the library raises nothing more specific
        raise Misconfigured("language_model_unreadable", path=str(path), reason=str(exc)) from exc


def _translate(exc: openai.OpenAIError) -> PolicyBotError:
    """Without the server's own words: they may repeat the key, or the question."""
    match exc:
        case openai.APITimeoutError():
            return Unavailable("model_slow")
        case openai.RateLimitError():
            return Unavailable("model_busy")
        case openai.APIStatusError() if exc.status_code in _DECLINED:
            return Unavailable("model_declined", reason=f"HTTP {exc.status_code} {_code(exc)}".strip())
        case openai.APIStatusError() if exc.status_code < 500:
            return Unavailable("model_refused", reason=f"HTTP {exc.status_code} {_code(exc)}".strip())
        case openai.APIStatusError():
            return Unavailable("model_failed", reason=f"HTTP {exc.status_code}")
        case _:
            return Unavailable("model_failed", reason=type(exc).__name__)


def _code(exc: openai.APIStatusError) -> str:
    """Only what looks like a name out of a program."""
    return exc.code if isinstance(exc.code, str) and _CODE.fullmatch(exc.code) else ""


def _check_key(settings: EndpointSettings) -> None:
    host = urlsplit(settings.url).hostname or ""
    is_plain = urlsplit(settings.url).scheme != "https"
    if settings.key and is_plain and not settings.key_over_http and not _is_private(host):
        raise Misconfigured("model_key_unencrypted", address=host)


def _is_private(host: str) -> bool:
    """This machine, or an address of a private network. Of a name nobody knows where it will lead."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or any(address in network for network in _PRIVATE)
