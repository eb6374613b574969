"""Slack's request signature, version 0.

Bolt's own check answers 500 to a timestamp that is no number and to a signature outside ASCII, and reads the
clock by itself; this one is done before Bolt sees the request.
"""

import hashlib
import hmac
from collections.abc import Mapping

TIMESTAMP = "X-Slack-Request-Timestamp"
SIGNATURE = "X-Slack-Signature"
MAX_AGE_SECONDS = 300
_LONGEST_TIMESTAMP = 12


def signature(signing_secret: str, timestamp: str, body: bytes) -> str:
    """`v0=` and the hexadecimal HMAC-SHA-256 of `v0:{timestamp}:{body}`."""
    signed = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(signing_secret.encode(), signed, hashlib.sha256).hexdigest()


def is_signed(signing_secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Slack signed `body` within the last 300 seconds (`now`: Unix time). False for any odd header."""
    timestamp = headers.get(TIMESTAMP, "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _LONGEST_TIMESTAMP):
        return False
    if abs(now - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    expected = signature(signing_secret, timestamp, body)
    # aiohttp decodes header bytes that are not UTF-8 to surrogates, and compare_digest refuses non-ASCII text.
    given = headers.get(SIGNATURE, "").encode("utf-8", "surrogateescape")
    return hmac.compare_digest(expected.encode(), given)
