"""Which index is the live one, and indexes made, brought in and removed beside it.

`{prefix}-chunks` is an alias of exactly one index, `{prefix}-chunks-{schema}-{token}`. A new index takes its place in
one call, so that a search finds either the old one or the new one.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.errors import INDEX_GONE, INDEX_MISSING, INDEX_OUTDATED, NOT_FOUND
from adapters.opensearch.mapping import Shape, alive_at, copies, index_body
from rag_core.errors import Unavailable

_DEAD_AFTER = timedelta(minutes=15)
"""An index beside the live one whose writer gave no sign for so long is left over: a living writer gives one every
minute, and clocks may differ by several."""


class LiveIndex:
    """What the alias stands for, and whether it has our shape. An index never changes its shape, so each is asked once.

    All raise Unavailable("index_outdated", index) where the shape is another one's.
    """

    def __init__(self, client: OpenSearchClient, shape: Shape) -> None:
        self.alias = f"{client.settings.prefix}-chunks"
        self.shape = shape
        self._client = client
        self._good: set[str] = set()

    async def name(self) -> str | None:
        """The live index, checked; None where there is none yet."""
        names = await self.names()
        if len(names) > 1:
            raise Unavailable(INDEX_OUTDATED, index=", ".join(names), reason="the alias names several indexes")
        for name in names:
            await self.check(name)
        return names[0] if names else None

    async def existing(self) -> str:
        """The live index, checked. Raises Unavailable("index_missing") where there is none."""
        name = await self.name()
        if name is None:
            raise Unavailable(INDEX_MISSING)
        return name

    async def names(self) -> list[str]:
        """Everything behind the alias, unchecked."""
        try:
            found = await self._client.call("GET", f"/_alias/{self.alias}")
        except Unavailable as exc:
            if _is_missing(exc):
                return []
            raise
        return sorted(found)

    async def check(self, name: str) -> None:
        """That the index of this name has our shape."""
        if name in self._good:
            return
        try:
            found = await self._client.call("GET", f"/{name}/_mapping", params={"filter_path": "*.mappings._meta"})
        except Unavailable as exc:
            if not _is_missing(exc):
                raise
            found = {}
        for each in found.values():
            if self.shape.is_of(each["mappings"]["_meta"]):
                self._good.add(name)
                return
        raise Unavailable(INDEX_OUTDATED, index=name)


class IndexGenerations:
    """The indexes behind and beside the alias, for whoever writes them.

    Relies on one thing: two processes do not write at the same time (`ingest.indexing.INDEX_WORK` keeps them apart).
    """

    def __init__(
        self,
        client: OpenSearchClient,
        live: LiveIndex,
        *,
        now: Callable[[], datetime],
        new_token: Callable[[], str],
        seconds: float,
    ) -> None:
        self._client = client
        self._live = live
        self._now = now
        self._new_token = new_token
        self._seconds = seconds
        self._family = f"{live.alias}-{live.shape.schema}"
        self._ours = re.compile(rf"{re.escape(live.alias)}-\d+-[0-9a-f]+")

    async def create(self) -> str:
        """An empty index beside the live one."""
        name = f"{self._family}-{self._new_token()}"
        body = index_body(self._client.settings, self._live.shape, self._now())
        await self._call("PUT", f"/{name}", body)
        return name

    async def sign_of_life(self, name: str) -> None:
        """Say that somebody is still writing this index."""
        await self._call("PUT", f"/{name}/_mapping", {"_meta": self._live.shape.meta(self._now())})

    async def bring_in(self, name: str) -> None:
        """Give the index its copies, put it behind the alias in place of all others, and remove those.

        Searches that still hold an old index fail once and are repeated by `OpenSearchIndex`.
        """
        await self._live.check(name)
        await self._call("PUT", f"/{name}/_settings", copies(self._client.settings))
        old = [each for each in await self._live.names() if each != name]
        actions: list[dict[str, Any]] = [{"remove": {"index": each, "alias": self._live.alias}} for each in old]
        actions.append({"add": {"index": name, "alias": self._live.alias}})
        await self._call("POST", "/_aliases", {"actions": actions})
        for each in old:
            with suppress(Unavailable):  # it is live already; the next rebuild removes what is left
                await self._remove(each)

    async def abandon(self, name: str) -> None:
        """Remove a new index, unless it was brought in; what cannot be done now, the next rebuild does."""
        with suppress(Unavailable):
            if name not in await self._live.names():
                await self._remove(name)

    async def clear_away(self) -> None:
        """Remove what dead rebuilds left. An index whose writer may still be alive stays."""
        path = f"/{self._live.alias}-*/_mapping"
        found = await self._call("GET", path, params={"filter_path": "*.mappings._meta", "allow_no_indices": "true"})
        live = await self._live.names()
        for name, each in found.items():
            seen = alive_at(each["mappings"]["_meta"])
            if self._ours.fullmatch(name) and name not in live and (seen is None or self._now() - seen > _DEAD_AFTER):
                await self._remove(name)

    async def _remove(self, name: str) -> None:
        try:
            await self._call("DELETE", f"/{name}")
        except Unavailable as exc:
            if not _is_missing(exc):
                raise

    async def _call(self, method: str, path: str, body: Any = None, params: Any = None) -> Any:
        return await self._client.call(method, path, body, params=params, seconds=self._seconds)


def _is_missing(exc: Unavailable) -> bool:
    return exc.code == INDEX_GONE or exc.details.get("status") == NOT_FOUND
