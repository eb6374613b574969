"""What sources on the web need of `ingest.fetching.fetcher.Fetcher`."""

from typing import Protocol

from ingest.fetching.answers import Fetched


class Fetches(Protocol):
    """Raises Rejected for what can never be fetched, Unavailable for "try again"."""

    async def get(self, url: str) -> Fetched | None: ...
