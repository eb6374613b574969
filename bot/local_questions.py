"""Questions that are worked on by this process alone, because the inbox was down when they came."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from bot.messages import EDITED, Conversation, InboundQuestion
from bot.ports import ENDS, HELD, InboxEntry, InboxState, Lease, Spool
from bot.spooled import entry_from, entry_json
from rag_core.errors import Unavailable

KIND = "question"
"""In the spool; the key is the question's id."""


@dataclass(slots=True)
class _Kept:
    """`due`: not to be taken before; of a held one, when its lease ends. By `elapsed`."""

    entry: InboxEntry
    due: float


class LocalQuestions:
    """In memory as the inbox would have them, and in the spool for a restart. `elapsed`: seconds that only grow.

    A question is spooled before it is taken up. If the spool fails later, the process goes on with what it knows,
    and a restart may do again what was done since.
    """

    def __init__(self, spool: Spool, elapsed: Callable[[], float]) -> None:
        self._spool = spool
        self._elapsed = elapsed
        self._kept: dict[str, _Kept] = {}

    def __contains__(self, question_id: str) -> bool:
        return question_id in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def entries(self) -> tuple[InboxEntry, ...]:
        """All, finished ones as well, in the order in which they came."""
        return tuple(each.entry for each in self._kept.values())

    @property
    def first(self) -> InboxEntry | None:
        """The one that came first, finished or not."""
        return next((each.entry for each in self._kept.values()), None)

    async def restore(self) -> list[InboxEntry]:
        """What an earlier process left behind; what it held is to be taken again. Raises Unavailable."""
        found: list[InboxEntry] = []
        async for key, value in self._spool.entries(KIND):
            try:
                entry = entry_from(value)
            except (ValueError, KeyError, TypeError):
                continue  # of another version: it stays
            if key not in self._kept:
                was_sending = entry.was_sending or entry.state is InboxState.SENDING
                state = InboxState.ACCEPTED if entry.state in HELD else entry.state
                found.append(replace(entry, state=state, was_sending=was_sending))
        for entry in found:
            self._kept[entry.question.question_id] = _Kept(entry, self._elapsed())
        return found

    async def spool(self, question: InboundQuestion) -> None:
        """Keep it, without taking it up yet. Raises Unavailable."""
        await self._spool.put(KIND, question.question_id, entry_json(InboxEntry(question, InboxState.ACCEPTED)))

    def take_up(self, question: InboundQuestion, pause: float = 0.0) -> None:
        """`pause`: not to be taken before, in seconds."""
        self._kept[question.question_id] = _Kept(InboxEntry(question, InboxState.ACCEPTED), self._elapsed() + pause)

    async def drop(self, question_id: str) -> None:
        """It is kept elsewhere now, or was never accepted. A spool that fails leaves it for the next start."""
        self._kept.pop(question_id, None)
        try:
            await self._spool.remove(KIND, question_id)
        except Unavailable:
            return

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        found = min(self._free(), key=lambda each: (each[1], each[0].due), default=None)
        if found is None:
            return None
        kept, behind = found
        was = kept.entry
        was_sending = was.was_sending or was.state is InboxState.SENDING
        taken = replace(was, state=InboxState.RUNNING, attempt=was.attempt + 1, was_sending=was_sending, worker=worker)
        await self._change(kept, taken, lease_seconds)
        return Lease(taken.question, worker, taken.attempt, was_sending, taken.postponed, behind, taken.waits)

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool) -> bool:
        kept = self._held(lease)
        if kept is None:
            return False
        if sending and kept.entry.state is not InboxState.SENDING:
            await self._change(kept, replace(kept.entry, state=InboxState.SENDING), lease_seconds)
        kept.due = self._elapsed() + lease_seconds
        return True

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        kept = self._held(lease)
        if kept is None:
            return False
        if state in ENDS:
            await self.end(replace(kept.entry, state=state))
        else:
            await self._put_back(kept, 0.0)
        return True

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool, unsent: bool) -> bool:
        kept = self._held(lease)
        if kept is None:
            return False
        entry = kept.entry
        waits, postponed = entry.waits + quietly, entry.postponed + (not quietly)
        kept.entry = replace(entry, waits=waits, postponed=postponed)
        await self._put_back(kept, seconds, unsent=unsent)
        return True

    async def withdraw(self, claim_key: str) -> bool:
        """Ends one that waits as FAILED, if it was never begun to be sent. Raises Unavailable as `end` does."""
        for kept in self._kept.values():
            entry = kept.entry
            if entry.question.claim_key == claim_key and entry.state is InboxState.ACCEPTED and not entry.was_sending:
                await self.end(replace(entry, state=InboxState.FAILED))
                return True
        return False

    def edits_of(self, claim_key: str) -> tuple[str, ...]:
        """The claim keys of the same message as it was changed."""
        keys = (each.question.claim_key for each in self.entries)
        return tuple(each for each in keys if each.startswith(f"{claim_key}{EDITED}"))

    async def end(self, entry: InboxEntry) -> None:
        """How a question ended, to be told to the inbox. Raises Unavailable where a restart would not know."""
        self._kept[entry.question.question_id] = _Kept(entry, self._elapsed())
        await self._spool.put(KIND, entry.question.question_id, entry_json(entry))

    def _free(self) -> Iterator[tuple[_Kept, bool]]:
        """What may be taken now, by the rules of `Inbox.take`, and whether it is behind others that are put off."""
        earlier: dict[Conversation, bool] = {}  # whether all unfinished ones seen so far are put off
        for kept in self._kept.values():
            entry = kept.entry
            if entry.state in ENDS:
                continue
            conversation = entry.question.conversation
            all_put_off = earlier.get(conversation)
            is_next = all_put_off is None or (all_put_off and not entry.postponed)
            if is_next and kept.due <= self._elapsed():
                yield kept, all_put_off is not None
            put_off = entry.state is InboxState.ACCEPTED and entry.postponed > 0
            earlier[conversation] = put_off and all_put_off is not False

    def _held(self, lease: Lease) -> _Kept | None:
        kept = self._kept.get(lease.question.question_id)
        if kept is None or kept.entry.state not in HELD:
            return None
        entry = kept.entry
        return kept if (entry.worker, entry.attempt) == (lease.worker, lease.attempt) else None

    async def _put_back(self, kept: _Kept, seconds: float, *, unsent: bool = False) -> None:
        was_sending = not unsent and (kept.entry.was_sending or kept.entry.state is InboxState.SENDING)
        entry = replace(kept.entry, state=InboxState.ACCEPTED, was_sending=was_sending)
        await self._change(kept, entry, seconds)

    async def _change(self, kept: _Kept, entry: InboxEntry, seconds: float) -> None:
        kept.entry, kept.due = entry, self._elapsed() + seconds
        try:
            await self._spool.put(KIND, entry.question.question_id, entry_json(entry))
        except Unavailable:
            return
