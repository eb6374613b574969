"""Requests signed for AWS (Signature Version 4), with whatever credentials the AWS runtime finds on this machine."""

import asyncio
from collections.abc import Collection, Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlencode, urlsplit

from awscrt.auth import (  # type: ignore[import-untyped]
    AwsCredentialsProvider,
    AwsSignedBodyHeaderType,
    AwsSigningAlgorithm,
    AwsSigningConfig,
    aws_sign_request,
)
from awscrt.exceptions import AwsCrtError  # type: ignore[import-untyped]
from awscrt.http import HttpHeaders, HttpRequest  # type: ignore[import-untyped]

from adapters.opensearch.connection import LargeBodyConnection
from adapters.opensearch.settings import OpenSearchSettings
from rag_core.errors import Misconfigured


def signing(
    settings: OpenSearchSettings, credentials: AwsCredentialsProvider | None = None
) -> type[LargeBodyConnection]:
    """A connection class for `client.connect`. Default credentials: environment, profile, web identity, container
    or instance role, refreshed as they expire. Requests raise Misconfigured("aws_credentials", reason)."""
    provider = credentials or AwsCredentialsProvider.new_default_chain()

    class SignedConnection(LargeBodyConnection):
        """Signs each request as it is sent."""

        async def perform_request(
            self,
            method: str,
            url: str,
            params: Mapping[str, Any] | None = None,
            body: bytes | None = None,
            timeout: float | None = None,  # noqa: ASYNC109 (the library's own signature)
            ignore: Collection[int] = (),
            headers: Mapping[str, str] | None = None,
        ) -> Any:
            path = f"{self.url_prefix}{url}" + (f"?{urlencode(params)}" if params else "")
            signed = await _signed(settings, provider, method, f"{self.host}{path}", body or b"")
            all_headers = {**(headers or {}), **signed}
            return await super().perform_request(method, url, params, body, timeout, ignore, all_headers)

    return SignedConnection


async def _signed(
    settings: OpenSearchSettings, credentials: AwsCredentialsProvider, method: str, url: str, body: bytes
) -> dict[str, str]:
    """The headers that prove who asks."""
    address = urlsplit(url)
    request = HttpRequest(
        method,
        f"{address.path}?{address.query}" if address.query else address.path,
        HttpHeaders([("host", _host_header(address.hostname or "", address.port, address.scheme))]),
        BytesIO(body),
    )
    config = AwsSigningConfig(
        algorithm=AwsSigningAlgorithm.V4,
        credentials_provider=credentials,
        region=settings.aws_region,
        service=settings.aws_service,
        signed_body_header_type=AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256,  # OpenSearch Serverless insists on it
    )
    try:
        signed = await asyncio.wrap_future(aws_sign_request(request, config))
    except AwsCrtError as exc:
        raise _translate(exc) from exc
    return {name.lower(): value for name, value in signed.headers}


def _host_header(host: str, port: int | None, scheme: str) -> str:
    """As aiohttp writes it: without the scheme's own port."""
    name = f"[{host}]" if ":" in host else host
    return name if port in (None, {"http": 80, "https": 443}[scheme]) else f"{name}:{port}"


def _translate(exc: AwsCrtError) -> Misconfigured:
    """Nothing but missing credentials keeps a request from being signed."""
    return Misconfigured("aws_credentials", reason=str(exc.name))
