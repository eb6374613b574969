"""An identity provider, as the settings name it."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Times are seconds. Keys are asked for anew when they are older than `fresh`, and for a key that nobody knows, but
    never twice within `pause`. While the issuer does not answer, keys count until they are `stale`.

    `leeway`: how far clocks may be apart. `discovery`: where the issuer says what its keys are, "" where it is below
    its name. `algorithms`: those it signs with, None for every one with a public key.
    """

    issuer: str
    audience: str
    timeout: float = 5.0
    fresh: float = 600.0
    stale: float = 3600.0
    pause: float = 10.0
    leeway: float = 30.0
    discovery: str = ""
    algorithms: frozenset[str] | None = None


def is_safe(url: object) -> bool:
    """Whether keys may be fetched from there: encrypted, or from this machine."""
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if "@" in parts.netloc or not parts.hostname:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_this_machine(parts.hostname))


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
