"""The client library's connection, for large bodies too."""

from collections.abc import Collection, Mapping
from io import BytesIO
from typing import Any

from opensearchpy import AIOHttpConnection

_LARGE = 1_000_000
"""Bytes from which aiohttp sends a body piece by piece only if it is a file; otherwise it warns, and blocks."""


class LargeBodyConnection(AIOHttpConnection):
    """Sends large bodies piece by piece, so that the event loop goes on."""

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
        data: Any = BytesIO(body) if body is not None and len(body) > _LARGE else body
        return await super().perform_request(method, url, params, data, timeout, ignore, headers)
