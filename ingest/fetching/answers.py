"""What a web server's answer means: a document, "not modified", another address, or an error."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from aiohttp import ClientError, ClientResponse, ClientSSLError, InvalidURL
from yarl import URL

from ingest.fetching.addresses import AddressRefused
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST_REVISION = 1_000
_TRANSIENT = frozenset({408, 425})
_UNPACKED = frozenset({"", "identity", "gzip", "deflate"})
"""Content encodings; no other is asked for."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was at an address.

    `url`: the address that answered, after redirects. `content`: decompressed. `mime_type`: small letters, without
    parameters, "" where the server names none; `charset` as the server names it. `revision`: made of ETag or
    Last-Modified, for the next `get`; None where it sent neither. `headers`: names in any case.
    """

    url: str
    content: bytes
    mime_type: str
    charset: str | None
    revision: str | None
    headers: Mapping[str, str]


def fetched(address: URL, response: ClientResponse, content: bytes) -> Fetched:
    """The document in a good answer."""
    mime_type = response.content_type.lower() if "Content-Type" in response.headers else ""
    return Fetched(
        str(address), content, mime_type, response.charset, _revision(address, response.headers), response.headers
    )


def _revision(address: URL, headers: Mapping[str, str]) -> str | None:
    """`{url} etag {value}` or `{url} modified {value}`: what a server says of one address says nothing of another.

    Bytes that are no letters of a header could be neither stored nor sent back.
    """
    for kind, name in (("etag", "ETag"), ("modified", "Last-Modified")):
        value = headers.get(name, "").strip()
        if value and len(value) <= _LONGEST_REVISION and value.isascii():
            return f"{address} {kind} {value}"
    return None


def conditions(address: URL, known_revision: str | None) -> dict[str, str]:
    """The headers that ask for `address` only if it changed. None if the revision is another's, or no revision."""
    parts = (known_revision or "").split(" ", 2)
    if len(parts) != 3 or parts[0] != str(address):
        return {}
    name = {"etag": "If-None-Match", "modified": "If-Modified-Since"}.get(parts[1])
    return {name: parts[2]} if name else {}


def redirect_of(address: URL, response: ClientResponse) -> URL | None:
    """Where the answer sends to. Raises Rejected("redirect_unusable", "redirect_downgrade")."""
    if response.status not in _REDIRECTS:
        return None
    try:
        target = address.join(URL(response.headers["Location"]))
    except (KeyError, ValueError) as error:
        raise Rejected("redirect_unusable", host=address.host) from error
    if address.scheme == "https" and target.scheme == "http":
        raise Rejected("redirect_downgrade", host=address.host)
    return target


def check_status(host: str, response: ClientResponse, now: Callable[[], datetime]) -> None:
    """Raises what the status says, unless it is 200 with a body that was unpacked.

    Unavailable: "source_busy" with retry_after in seconds or None, "source_error", "source_answer_broken".
    Rejected: "document_gone", "document_forbidden", "document_refused". All with host and status.
    """
    status = response.status
    if status == 200:
        if response.headers.get("Content-Encoding", "").strip().lower() not in _UNPACKED:
            raise Unavailable("source_answer_broken", host=host, status=status)
        return
    if status in (429, 503):
        retry_after = _retry_after(response.headers.get("Retry-After", ""), now())
        raise Unavailable("source_busy", host=host, status=status, retry_after=retry_after)
    if status >= 500 or status in _TRANSIENT:
        raise Unavailable("source_error", host=host, status=status)
    if status < 400:
        raise Unavailable("source_answer_broken", host=host, status=status)
    codes = {404: "document_gone", 410: "document_gone", 401: "document_forbidden", 403: "document_forbidden"}
    raise Rejected(codes.get(status, "document_refused"), host=host, status=status)


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds from now; the header holds seconds or a date."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())


def translate(exc: Exception, host: str) -> PolicyBotError:
    """What went wrong between us and the server, as one of ours, with the host only."""
    if isinstance(exc, InvalidURL | UnicodeError):
        return Rejected("url_invalid")
    if isinstance(getattr(exc, "os_error", exc), AddressRefused):
        return Rejected("address_not_public", host=host)
    if isinstance(exc, ClientSSLError):
        return Unavailable("source_tls", host=host)
    if isinstance(exc, TimeoutError):
        return Unavailable("source_timeout", host=host)
    if isinstance(exc, OSError):
        return Unavailable("source_unreachable", host=host)
    return Unavailable("source_answer_broken", host=host)


FOREIGN = (ClientError, TimeoutError, OSError, UnicodeError)
"""What `translate` takes."""
