"""Where OpenSearch is, how to log in there, and what our indexes are called."""

import re
import ssl
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from rag_core.errors import Misconfigured

_PORTS = {"http": 9200, "https": 443}
_PREFIX = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")
"""What an index name may begin with: OpenSearch takes lower-case names of 255 bytes at most."""


@dataclass(frozen=True, slots=True)
class OpenSearchSettings:
    """All that is told about a cluster. `urls` are hosts of one cluster, each `http(s)://[user:password@]host[:port]`.

    `replicas` None: one copy where there is a second node. `seconds`: longest time for one request.
    With `aws_region`, requests are signed for `aws_service` and user and password are not used.
    Raises Misconfigured("opensearch_url_invalid", position), ("index_prefix_invalid", prefix).
    """

    urls: tuple[str, ...]
    username: str = ""
    password: str = field(default="", repr=False)
    ca_file: Path | None = None
    aws_region: str = ""
    aws_service: Literal["es", "aoss"] = "es"
    prefix: str = "adpolicy"
    shards: int = 1
    replicas: int | None = None
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if not self.urls:
            raise Misconfigured("opensearch_url_invalid", position=1)
        hosts(self)
        if _PREFIX.fullmatch(self.prefix) is None or self.prefix in (".", ".."):
            raise Misconfigured("index_prefix_invalid", prefix=self.prefix)

    def __repr__(self) -> str:
        """Without anything that addresses may carry."""
        return f"OpenSearchSettings(prefix={self.prefix!r}, hosts={[host['host'] for host in hosts(self)]})"


def hosts(settings: OpenSearchSettings) -> list[dict[str, Any]]:
    """Host, port, use_ssl, url_prefix and, unless requests are signed, the log-in header of each address."""
    return [_host(settings, url, position) for position, url in enumerate(settings.urls, start=1)]


def tls(settings: OpenSearchSettings) -> ssl.SSLContext | None:
    """The certificates to trust, None where no address is https. Raises Misconfigured("ca_file_unreadable", path)."""
    if not any(host["use_ssl"] for host in hosts(settings)):
        return None
    try:
        return ssl.create_default_context(cafile=str(settings.ca_file) if settings.ca_file is not None else None)
    except (OSError, ssl.SSLError) as exc:
        raise Misconfigured("ca_file_unreadable", path=str(settings.ca_file)) from exc


def _host(settings: OpenSearchSettings, url: str, position: int) -> dict[str, Any]:
    # The address itself is in no error: it may hold a password
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as exc:
        raise Misconfigured("opensearch_url_invalid", position=position) from exc
    if parts.scheme not in _PORTS or not parts.hostname or parts.query or parts.fragment:
        raise Misconfigured("opensearch_url_invalid", position=position)
    host: dict[str, Any] = {
        "host": parts.hostname,
        "port": port or _PORTS[parts.scheme],
        "use_ssl": parts.scheme == "https",
        "url_prefix": parts.path.strip("/"),
    }
    if parts.username is not None:
        login = unquote(parts.username), unquote(parts.password or "")
    else:
        login = settings.username, settings.password
    return host | ({"headers": {"authorization": _basic(*login)}} if login[0] and not settings.aws_region else {})


def _basic(username: str, password: str) -> str:
    """In UTF-8, as OpenSearch reads it; the client library would write Latin-1."""
    return "Basic " + b64encode(f"{username}:{password}".encode()).decode()
