"""The event loop is never blocked by a listener: a call that would, fails the test."""

from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx


@pytest.fixture(autouse=True)
def unblocked_loop() -> Iterator[BlockBuster]:
    with blockbuster_ctx("adapters.web") as guard:
        yield guard
