"""Approved answers: approve, suspend and retire them, and suspend them when a rule that they cite changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Protocol

from bot.audit.entries import AuditEntry, administration
from bot.model.notices import Notice, NoticeKind, NoticeQueue
from rag_core.curated.kept import Approval, CuratedAnswer, CuratedState, fallen
from rag_core.documents import Passage
from rag_core.errors import Rejected


@dataclass(frozen=True, slots=True)
class Checked:
    """Up to which change, and on which day, citations were checked."""

    change_id: int
    day: date


class CuratedShelf(Protocol):
    """All approved answers, drafts and former ones. Raises Unavailable."""

    async def find(self, name: str) -> CuratedAnswer | None:
        """By its id or its key."""
        ...

    async def all(self) -> tuple[CuratedAnswer, ...]:
        """By key."""
        ...

    async def save(self, answer: CuratedAnswer, entry: AuditEntry) -> bool:
        """Keeps it and adds its entry to the record: both or neither. False: somebody changed it meanwhile, or another
        has its key. Its revision is 1 for a new one, else one more than that which it replaces."""
        ...

    async def checked(self) -> Checked | None: ...

    async def mark_checked(self, checked: Checked) -> None:
        """Never back."""
        ...


class StoredPassages(Protocol):
    """Chunks of every version, whatever its status, day and audience: for checks, never to be shown."""

    async def passages(self, chunk_ids: Sequence[str]) -> Mapping[str, Passage]: ...


class NewestChange(Protocol):
    """How far the feed of changes has come. Raises Unavailable."""

    async def newest(self) -> int:
        """The last `change_id`, whoever may see the change; 0 before the first."""
        ...


BY_HAND = "by_hand"
"""In `suspended_because`: an operator did it, whatever the citations."""


@dataclass(frozen=True, slots=True)
class Approver:
    """`name`: as readers see it; `person`: the pseudonym; `told`: by the platform's own id or account, for the
    record."""

    name: str
    person: str
    told: str


class Curating:
    """Acts on approved answers; each is on record with who did it. Raises Rejected: "curated_unknown" for a name that
    is none's, "curated_changed" where somebody was quicker, "curated_not_approvable" with the `citations` that do not
    stand, "curated_retired". Raises Unavailable."""

    def __init__(
        self,
        shelf: CuratedShelf,
        passages: StoredPassages,
        *,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._shelf = shelf
        self._passages = passages
        self._now = now
        self._new_id = new_id

    async def put(self, answer: CuratedAnswer, by: str) -> CuratedAnswer:
        """A new one, or a new revision of the one with its key, which is then a draft until it is approved; nothing
        happens where it says the same as the one that is there. `by`: on record."""
        kept = await self._shelf.find(answer.key)
        if kept is None:
            new = replace(
                answer, curated_id=self._new_id(), revision=1, state=CuratedState.DRAFT, changed_at=self._now()
            )
            return await self._saved(new, "curated_imported", by)
        if _says(kept) == _says(answer):
            return kept
        changed = replace(answer, curated_id=kept.curated_id, state=CuratedState.DRAFT, approval=None)
        return await self._next(replace(changed, revision=kept.revision, suspended_because={}), "curated_imported", by)

    async def approve(self, name: str, approver: Approver) -> CuratedAnswer:
        """From now on it is shown. Only with citations, all of which stand today."""
        answer = await self._of(name)
        why = await self._fallen(answer)
        if why or not answer.citations or not answer.statements:
            raise Rejected("curated_not_approvable", name=answer.key, citations=dict(why))
        approval = Approval(approver.name, approver.person, self._now())
        approved = replace(answer, state=CuratedState.APPROVED, approval=approval, suspended_because={})
        return await self._next(approved, "curated_approved", approver.told)

    async def suspend(self, name: str, by: str) -> CuratedAnswer:
        answer = await self._of(name)
        held_back = replace(answer, state=CuratedState.SUSPENDED, suspended_because={BY_HAND: BY_HAND})
        return await self._next(held_back, "curated_suspended", by)

    async def retire(self, name: str, by: str) -> CuratedAnswer:
        answer = await self._of(name)
        return await self._next(replace(answer, state=CuratedState.RETIRED), "curated_retired", by)

    async def fallen_of(self, answer: CuratedAnswer) -> Mapping[str, str]:
        """Which of its citations do not stand today, and why."""
        return await self._fallen(answer)

    async def suspend_if_fallen(self, answer: CuratedAnswer) -> CuratedAnswer | None:
        """The answer, suspended, if a rule that it cites has changed; None if it stands, or is not shown anyway."""
        why = await self._fallen(answer) if answer.is_shown else {}
        if not why:
            return None
        fallen_now = replace(answer, state=CuratedState.SUSPENDED, suspended_because=why)
        try:
            return await self._next(fallen_now, "curated_suspended", "")
        except Rejected:
            return None  # somebody else has seen it, too

    async def _fallen(self, answer: CuratedAnswer) -> dict[str, str]:
        found = await self._passages.passages([each.chunk_id for each in answer.citations])
        return fallen(answer, found, self._now().date())

    async def _of(self, name: str) -> CuratedAnswer:
        answer = await self._shelf.find(name)
        if answer is None:
            raise Rejected("curated_unknown", name=name)
        if answer.state is CuratedState.RETIRED:
            raise Rejected("curated_retired", name=answer.key)
        return answer

    async def _next(self, answer: CuratedAnswer, act: str, by: str) -> CuratedAnswer:
        return await self._saved(replace(answer, revision=answer.revision + 1, changed_at=self._now()), act, by)

    async def _saved(self, answer: CuratedAnswer, act: str, by: str) -> CuratedAnswer:
        if not await self._shelf.save(answer, self._entry(answer, act, by)):
            raise Rejected("curated_changed", name=answer.key)
        return answer

    def _entry(self, answer: CuratedAnswer, act: str, by: str) -> AuditEntry:
        facts = {
            "key": answer.key,
            "revision": answer.revision,
            "state": answer.state.value,
            "chunks": [each.chunk_id for each in answer.citations],
            "because": dict(answer.suspended_because),
        }
        return administration(self._new_id(), act, self._now(), person=by, target=answer.curated_id, facts=facts)


class CitationChecks:
    """Looks after approved answers while nobody asks: when a change was recorded or a day has begun, since a version
    may hold from a later day than that on which it was read."""

    def __init__(
        self,
        shelf: CuratedShelf,
        curating: Curating,
        changes: NewestChange,
        queue: NoticeQueue,
        today: Callable[[], date],
    ) -> None:
        self._shelf = shelf
        self._curating = curating
        self._changes = changes
        self._queue = queue
        self._today = today

    async def once(self) -> int:
        """How many were suspended. Owners of those that were, now or when asked, are told: each once.

        The mark moves last: what is broken off is done again, and changes nothing twice. Raises Unavailable.
        """
        now = Checked(await self._changes.newest(), self._today())
        answers = await self._shelf.all()
        suspended = []
        if await self._shelf.checked() != now:
            suspended = [found for each in answers if (found := await self._curating.suspend_if_fallen(each))]
        told = [each for each in answers if each.state is CuratedState.SUSPENDED]
        if notices := [notice for each in (*told, *suspended) if (notice := suspended_notice(each))]:
            await self._queue.queue(notices)
        await self._shelf.mark_checked(now)
        return len(suspended)


def suspended_notice(answer: CuratedAnswer) -> Notice | None:
    """For its owner; None where nobody is to be told, or an operator did it himself."""
    owner = answer.owner
    if not owner.channel or BY_HAND in answer.suspended_because:
        return None
    return Notice(
        notice_id=f"curated:{answer.curated_id}:{answer.revision}",
        kind=NoticeKind.CURATED_SUSPENDED,
        platform=owner.platform,
        workspace=owner.workspace,
        channel=owner.channel,
        queued_at=answer.changed_at,
        content={"curated_id": answer.curated_id},
    )


def _says(answer: CuratedAnswer) -> tuple[object, ...]:
    """What it says and for what: all but its history."""
    scope = answer.scope
    return (
        answer.wordings,
        (scope.regions, scope.policy_sources, scope.content_types, dict(scope.labels)),
        answer.verdict,
        answer.statements,
        tuple((each.chunk_id, each.content_hash, each.quote) for each in answer.citations),
        answer.owner,
    )
