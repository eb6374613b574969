"""Where the real servers are that `ops/services` started: taken out of the environment before any test sees it."""

import os

from tests.fakes.missing import missing

_NAMES = {"postgresql": "ADPOLICY_DATABASE_URL", "opensearch": "ADPOLICY_OPENSEARCH_URL", "redis": "ADPOLICY_REDIS_URL"}
_OF_TESTS = "ADPOLICY_TEST_"
_ADDRESSES: dict[str, str] = {}


def take_addresses() -> None:
    """Remember the addresses; no test inherits a setting of whoever runs it."""
    _ADDRESSES.update({kind: os.environ[name] for kind, name in _NAMES.items() if os.environ.get(name)})
    for name in [name for name in os.environ if name.startswith("ADPOLICY_") and not name.startswith(_OF_TESTS)]:
        del os.environ[name]


def address_of(kind: str) -> str:
    """The address of "postgresql", "opensearch" or "redis". Without one the test is skipped; in CI it fails."""
    if kind in _ADDRESSES:
        return _ADDRESSES[kind]
    return missing(f"{kind} is not there: run the tests with `ops/services run ops/test services`")
