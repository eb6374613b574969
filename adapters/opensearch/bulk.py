"""Many documents in few requests, at the pace that the cluster takes them."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import stamina

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.errors import INDEX_DOWN, INDEX_OVERLOADED, of_item, refusal
from rag_core.errors import Unavailable

_MOST_BYTES = 5_000_000
_MOST_ACTIONS = 500
_FIRST_WAIT = 0.1
_LONGEST_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Action:
    """What to do with one chunk: the lines of a bulk request."""

    doc_id: str
    chunk_id: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try with a cluster that refuses for now: `seconds` for each request, jitter added to every wait."""

    seconds: float = 60.0
    first_wait: float = _FIRST_WAIT
    longest_wait: float = _LONGEST_WAIT


class BulkWriter:
    """Sends actions one request after the other; what the cluster has no room for now is sent again, and only that.

    Raises Unavailable("index_overloaded" | "index_read_only" | "index_down" | "index_gone"): some may be written.
    """

    def __init__(self, client: OpenSearchClient, patience: Patience) -> None:
        self._client = client
        self._patience = patience

    async def run(self, index: str, actions: Sequence[Action], *, is_alias: bool) -> dict[str, str]:
        """doc_id -> reason of versions that hold a chunk which can never be written."""
        refused: dict[str, str] = {}
        for batch in _batches(actions):
            waiting = batch
            async for attempt in stamina.retry_context(
                on=_passes,
                attempts=None,
                timeout=self._patience.seconds,
                wait_initial=self._patience.first_wait,
                wait_max=self._patience.longest_wait,
                wait_jitter=self._patience.first_wait,
            ):
                with attempt:
                    waiting = await self._send(index, waiting, refused, is_alias)
                    if waiting:
                        raise Unavailable(INDEX_OVERLOADED, waiting=len(waiting))
        return refused

    async def _send(
        self, index: str, actions: Sequence[Action], refused: dict[str, str], is_alias: bool
    ) -> list[Action]:
        """Those that the cluster has no room for now."""
        body = await asyncio.to_thread(b"".join, [action.lines for action in actions])
        # An index that is gone must not be made by writing to it, which clusters do if one lets them
        params = {"require_alias": str(is_alias).lower(), "filter_path": "errors,items.*.status,items.*.error"}
        answer = await self._client.call(
            "POST", f"/{index}/_bulk", body, params=params, seconds=self._patience.seconds, patient=False
        )
        if not answer["errors"]:
            return []
        again = []
        for action, item in zip(actions, answer["items"], strict=True):
            result: dict[str, Any] = next(iter(item.values()))
            if "error" not in result:
                continue
            failure = of_item(int(result["status"]), result["error"])
            if failure is None:
                refused.setdefault(action.doc_id, refusal(result["error"]))
            elif isinstance(failure, Unavailable) and failure.code in (INDEX_OVERLOADED, INDEX_DOWN):
                again.append(action)
            else:
                raise failure
        return again


def _batches(actions: Sequence[Action]) -> Iterator[list[Action]]:
    batch: list[Action] = []
    size = 0
    for action in actions:
        if batch and (size + len(action.lines) > _MOST_BYTES or len(batch) >= _MOST_ACTIONS):
            yield batch
            batch, size = [], 0
        batch.append(action)
        size += len(action.lines)
    if batch:
        yield batch


def _passes(exc: Exception) -> bool:
    return isinstance(exc, Unavailable) and exc.code == INDEX_OVERLOADED
