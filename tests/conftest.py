"""What holds for every test."""

import logging
from collections.abc import Iterator

import pytest
import stamina.instrumentation
import structlog
from hypothesis import HealthCheck, settings

from tests.fakes.services import take_addresses

take_addresses()

# How long an example takes says something of the machine, which does other things as well.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

_QUIETED = (
    *("aiohttp", "alembic", "asyncio", "botbuilder", "botframework", "httpcore2", "httpx2", "msal", "msrest", "openai"),
    *("opensearch", "opensearchpy", "redis", "sqlalchemy", "urllib3"),
)


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """Whatever set up logs in this process (every command does), the next test finds them as they were."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    if root.handlers is handlers:
        return
    root.handlers = handlers
    root.setLevel(level)
    for name in _QUIETED:
        logging.getLogger(name).setLevel(logging.NOTSET)
    structlog.reset_defaults()
    stamina.instrumentation.set_on_retry_hooks(None)
