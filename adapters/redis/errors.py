"""What Redis and its client raise, in the project's words."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    MaxConnectionsError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)

from rag_core.errors import Misconfigured, PolicyBotError, Unavailable

URL_SETTING = "ADPOLICY_REDIS_URL"
PREFIX_SETTING = "ADPOLICY_REDIS_PREFIX"

_REFUSED = (AuthenticationError, AuthenticationWrongNumberOfArgsError, AuthorizationError, NoPermissionError)
_CERTIFICATES = (ssl.SSLCertVerificationError, FileNotFoundError)
_PASSING = ("CLUSTERDOWN", "LOADING", "MASTERDOWN", "TRYAGAIN", "BUSY", "UNBLOCKED")
_NOT_WRITING = ("MISCONF", "NOREPLICAS")


@contextmanager
def translated() -> Iterator[None]:
    """Raises what Redis raised inside as Unavailable or Misconfigured."""
    try:
        yield
    except (RedisError, OSError) as exc:
        raise _translate(exc) from exc


def _translate(exc: Exception) -> PolicyBotError:
    if isinstance(exc, _REFUSED):
        return Misconfigured("redis_refused", setting=URL_SETTING)
    if isinstance(exc, MovedError):
        return Misconfigured("redis_cluster_unsupported", setting=URL_SETTING)
    if _is_about_certificates(exc):
        return Misconfigured("redis_tls_untrusted", setting=URL_SETTING)
    if isinstance(exc, ResponseError):
        return _answered(exc)
    return Unavailable("redis_busy" if isinstance(exc, MaxConnectionsError) else "redis_down")


def _answered(exc: ResponseError) -> PolicyBotError:
    """Redis answered, but with an error."""
    if isinstance(exc, OutOfMemoryError):
        return Unavailable("redis_full")
    code, text = _code(exc), str(exc)
    if isinstance(exc, ReadOnlyError) or code in _NOT_WRITING:
        return Unavailable("redis_read_only")
    if text.startswith("DB index is out of range"):
        return Misconfigured("redis_url_invalid", setting=URL_SETTING)
    exc.args = (code,)  # the text may quote arguments, and with them what people asked: not for the logs
    return Unavailable("redis_down") if code in _PASSING else Unavailable("redis_failed", reason=code)


def _code(exc: ResponseError) -> str:
    """The word in capitals that Redis errors begin with; the client has taken some of them off."""
    word = exc.status_code or str(exc).partition(" ")[0]
    return word if word.isalpha() and word.isupper() else "ERR"


def _is_about_certificates(exc: BaseException | None) -> bool:
    while exc is not None:
        if isinstance(exc, _CERTIFICATES):
            return True
        exc = exc.__cause__ or exc.__context__
    return False
