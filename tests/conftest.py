"""What holds for every test."""

import logging
from collections.abc import Iterator

import pytest
import stamina.instrumentation
import structlog

from tests.fakes.services import take_addresses

take_addresses()

_QUIETED = (
    *("aiohttp", "alembic", "asyncio", "httpcore2", "httpx2", "openai"),
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
