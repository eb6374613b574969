"""What OpenSearch and its client raise, in the project's words. No query, no document and no address is in them."""

import json
import re
import ssl
from typing import Any

from aiohttp import ClientConnectorCertificateError
from opensearchpy.exceptions import ConnectionError as NoConnection
from opensearchpy.exceptions import ConnectionTimeout, OpenSearchException, TransportError

from rag_core.errors import Misconfigured, PolicyBotError, Unavailable

INDEX_DOWN = "index_down"
INDEX_OVERLOADED = "index_overloaded"
INDEX_FAILED = "index_failed"
INDEX_GONE = "index_gone"
INDEX_READ_ONLY = "index_read_only"
INDEX_OUTDATED = "index_outdated"
INDEX_MISSING = "index_missing"

NOT_FOUND = 404
_BUSY = 429
_GATEWAY = (502, 503, 504)
_QUOTED_VALUE = re.compile(r"(?:Preview of field's value|in document with id|: )\s*'.*", re.DOTALL)
_LONGEST = 200


def _translate(exc: Exception) -> PolicyBotError:
    """Whether to try again, degrade, or call the operator.

    Unavailable("index_down", reason), ("index_overloaded"), ("index_read_only"), ("index_gone", index),
    ("index_failed", status, type); Misconfigured("index_login", status), ("index_certificate", reason),
    ("index_name_taken", name).
    """
    if isinstance(exc, TimeoutError | ConnectionTimeout):
        return Unavailable(INDEX_DOWN, reason="it did not answer in time")
    if isinstance(exc, NoConnection):
        return _no_connection(exc)
    if not isinstance(exc, TransportError):
        return Unavailable(INDEX_FAILED, status=0, type=type(exc).__name__)
    status = exc.status_code if isinstance(exc.status_code, int) else 0
    return _answered(status, _cause(exc))


def translate(exc: OpenSearchException | TimeoutError | OSError) -> PolicyBotError:
    """`_translate`, and the foreign error forgets what it quotes: a traceback would print it."""
    error = _translate(exc)
    if isinstance(exc, TransportError) and not isinstance(exc, NoConnection):
        exc.args = (exc.args[0], error.details.get("type", ""), None)
    return error


def of_item(status: int, error: dict[str, Any]) -> PolicyBotError | None:
    """What is wrong with one item of a bulk request, None if it is the item itself that is refused."""
    found = _answered(status, error)
    return None if isinstance(found, Unavailable) and found.code == INDEX_FAILED and status < 500 else found


def refusal(error: dict[str, Any]) -> str:
    """Why a document is refused: kind and reason, without any of its text."""
    cause = error.get("caused_by") or {}
    told = [str(each["reason"]) for each in (error, cause) if each.get("reason")]
    reasons = [_QUOTED_VALUE.sub("", each).strip(" :.-")[:_LONGEST] for each in told]
    return ": ".join(filter(None, [str(error.get("type", "refused")), *reasons]))


def _no_connection(exc: NoConnection) -> PolicyBotError:
    if isinstance(exc.info, ClientConnectorCertificateError | ssl.SSLError):
        certificate = getattr(exc.info, "certificate_error", exc.info)
        return Misconfigured("index_certificate", reason=getattr(certificate, "verify_message", "") or "refused")
    return Unavailable(INDEX_DOWN, reason=type(exc.info).__name__)


def _answered(status: int, cause: dict[str, Any]) -> PolicyBotError:
    kind = str(cause.get("type", ""))
    if kind == "cluster_block_exception":
        return _blocked(status, str(cause.get("reason", "")))
    if status in _GATEWAY:
        return Unavailable(INDEX_DOWN, reason=f"status {status}", type=kind)
    if status == _BUSY:
        return Unavailable(INDEX_OVERLOADED, type=kind)
    return _misconfigured(status, cause) or _refused(status, cause)


def _misconfigured(status: int, cause: dict[str, Any]) -> Misconfigured | None:
    if cause.get("type") == "invalid_alias_name_exception":
        return Misconfigured("index_name_taken", name=str(cause.get("index", "")))
    return Misconfigured("index_login", status=status) if status in (401, 403) else None


def _refused(status: int, cause: dict[str, Any]) -> Unavailable:
    if status == NOT_FOUND and "index" in cause:
        return Unavailable(INDEX_GONE, index=str(cause["index"]))
    return Unavailable(INDEX_FAILED, status=status, type=str(cause.get("type", "")))


def _blocked(status: int, reason: str) -> PolicyBotError:
    """A cluster without a manager blocks too; that passes, as does an index that is not open yet."""
    if status in _GATEWAY:
        return Unavailable(INDEX_DOWN, reason=f"status {status}")
    return Unavailable(INDEX_READ_ONLY, reason="the disk is full" if "disk usage" in reason else "writing is blocked")


def _cause(exc: TransportError) -> dict[str, Any]:
    """The innermost thing that OpenSearch says: of a search that failed, what its shards failed of."""
    body = exc.info if isinstance(exc.info, dict) else _parsed(exc.error)
    error = body.get("error")
    if not isinstance(error, dict):
        return {}
    failed = [each["reason"] for each in error.get("failed_shards") or () if isinstance(each.get("reason"), dict)]
    roots = [each for each in error.get("root_cause") or () if isinstance(each, dict)]
    known: dict[str, Any] = (failed or roots or [error])[0]
    return error | known


def _parsed(text: object) -> dict[str, Any]:
    try:
        parsed = json.loads(text) if isinstance(text, str | bytes) else {}
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
