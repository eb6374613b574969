"""What an alert says, read when it is sent, and which part of a change a subscription wants."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.access.groups import Audience
from bot.model.links import Links
from bot.model.messages import Conversation
from bot.model.notices import Notice
from bot.model.subscriptions import Subscription, Subscriptions
from rag_core.answers import Nearest
from rag_core.documents import Passage
from rag_core.errors import Unavailable
from rag_core.policy_changes import ChangeKind, ChangesWanted, PolicyChange, RuleChange, SectionChange
from rag_core.ports import ChangeReader, PolicyStore
from rag_core.questions import Filters, QueryTerm
from rag_core.regions import seen_from
from rag_core.text.injections import speaks_to_machines
from rag_core.understanding.terms import covered, terms_of
from rag_core.understanding.thesaurus import kinds_of

_PAGE = 200
_MOST_READ = 60
"""Changes of a digest whose passages are read: more are counted, but not shown."""
_LAST_CHUNK = 1_000_000
_WAIT_FOR_GROUPS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Spot:
    """A passage of one of the versions that a change is about: under which headings, and for which places."""

    path: str
    regions: tuple[str, ...]
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertContent:
    """`Notice.content` of ALERT and DIGEST. `changes`: [first, last] of runs of `change_id`s, `subscriptions`: ids of
    those that want any of them; `rhythm`: of a digest, "" where many changes came at once."""

    changes: tuple[tuple[int, int], ...]
    subscriptions: tuple[str, ...]
    rhythm: str

    def has(self, change_id: int) -> bool:
        return any(first <= change_id <= last for first, last in self.changes)


@dataclass(frozen=True, slots=True)
class ToldChange:
    """A change as the channel may see it, with those sections alone that it wants. `regions`: places of the sections
    told, "global" among them; `links`: of each section, where there is one; `link`: the document."""

    change: PolicyChange
    regions: tuple[str, ...]
    link: str
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """`subscriptions`: those that this is told for. `rhythm` as in AlertContent; `left_out`: how many more there
    are that may be seen and are not among `changes`."""

    changes: tuple[ToldChange, ...]
    subscriptions: tuple[Subscription, ...]
    rhythm: str
    left_out: int = 0


class Audiences(Protocol):
    """`bot.access.groups.Access`."""

    async def everyone(self, conversation: Conversation) -> Audience: ...


class AlertReading:
    """Reads alerts and digests. Raises Unavailable."""

    def __init__(
        self, feed: ChangeReader, store: PolicyStore, subscriptions: Subscriptions, audiences: Audiences, links: Links
    ) -> None:
        self._feed = feed
        self._store = store
        self._subscriptions = subscriptions
        self._audiences = audiences
        self._links = links

    async def read(self, notice: Notice, now: datetime) -> Told | None:
        """None where there is nothing to tell any more: it was withdrawn, is not for everybody who reads the channel,
        or nobody there wants it. That somebody may not see a change looks as if it were not there.

        While nobody knows who is in which group, what is not public waits, for an hour.
        """
        content = content_of(notice)
        theirs = await self._subscriptions.of_channel(notice.platform, notice.workspace, notice.channel)
        wanting = [each for each in theirs if each.subscription_id in content.subscriptions]
        if not wanting or not content.changes:
            return None
        audience = await self._audiences.everyone(Conversation(notice.platform, notice.workspace, notice.channel))
        found = await self._changes(content, audience.groups)
        wanted = sum(last - first + 1 for first, last in content.changes)
        if audience.missing and len(found) < wanted and now - notice.queued_at < _WAIT_FOR_GROUPS:
            raise Unavailable("groups_unknown", delivered="no")
        told = [each for change in found[:_MOST_READ] if (each := await self._told(change, wanting, audience.groups))]
        return Told(tuple(told), tuple(wanting), content.rhythm, max(0, len(found) - _MOST_READ)) if told else None

    async def _changes(self, content: AlertContent, groups: frozenset[str]) -> list[PolicyChange]:
        """Those that are there and may be seen."""
        after, last = content.changes[0][0] - 1, content.changes[-1][1]
        found: list[PolicyChange] = []
        while after < last:
            page = await self._feed.changes(ChangesWanted(after=after), groups, 1 if after + 1 == last else _PAGE)
            found += [each for each in page if content.has(each.change_id)]
            if not page:
                break
            after = page[-1].change_id
        return found

    async def _told(
        self, change: PolicyChange, wanting: Sequence[Subscription], groups: frozenset[str]
    ) -> ToldChange | None:
        doc_ids = [each for each in (change.doc_id, change.previous_doc_id) if each]
        passages = [each for doc_id in doc_ids for each in await self._store.section(doc_id, 0, _LAST_CHUNK, groups)]
        spots = [spot_of(each) for each in passages]
        parts = [part for each in wanting if (part := wanted_part(change, each.filters, spots)) is not None]
        if not parts:
            return None
        told = together(parts)
        return ToldChange(
            told,
            _regions(told, spots),
            self._link(passages[:1], change.doc_id),
            tuple(self._link(_under(section.path, passages), "") for section in told.sections),
        )

    def _link(self, passages: Sequence[Passage], doc_id: str) -> str:
        """To the first of them; else our own page of the version, "" without one."""
        if not passages:
            return self._links.version(doc_id) if doc_id else ""
        chunk, version = passages[0].chunk, passages[0].version
        near = Nearest(
            chunk.chunk_id, chunk.doc_id, chunk.policy_source, version.title, chunk.doc_url, chunk.anchor,
            chunk.policy_path, chunk.regions, chunk.effective_from, chunk.effective_to,
        )  # fmt: skip
        return self._links.nearest(near)


def content_of(notice: Notice) -> AlertContent:
    """What alerting queued. Of a newer version that writes otherwise there is nothing to tell."""
    said = notice.content
    changes, ids = said.get("changes"), said.get("subscriptions")
    if not isinstance(changes, list) or not isinstance(ids, list):
        return AlertContent((), (), "")
    return AlertContent(
        tuple((int(first), int(last)) for first, last in changes), tuple(map(str, ids)), str(said.get("rhythm", ""))
    )


def _regions(told: PolicyChange, spots: Sequence[Spot]) -> tuple[str, ...]:
    under = [spot for section in told.sections for spot in spots_under(section.path, spots)] if told.sections else spots
    return tuple(dict.fromkeys(region for spot in under for region in spot.regions))


def _under(path: Sequence[str], passages: Sequence[Passage]) -> list[Passage]:
    return [each for each in passages if spots_under(path, [spot_of(each)])]


def spot_of(passage: Passage) -> Spot:
    chunk = passage.chunk
    return Spot(chunk.policy_path, chunk.regions, chunk.regions_excluded)


def needs_spots(filters: Filters) -> bool:
    """Whether `wanted_part` can tell only by the passages of the versions."""
    return bool(filters.regions or filters.sections)


def wanted_part(change: PolicyChange, filters: Filters, spots: Sequence[Spot]) -> PolicyChange | None:
    """The change with those sections alone that the filters are about; None if that is nothing. A change of mere form
    is none, and what speaks to machines is no rule. What no passage stands for counts for every place: nothing may be
    lost."""
    if change.kind is ChangeKind.FORMATTING:
        return None
    if filters.policy_sources and change.policy_source not in filters.policy_sources:
        return None
    if change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
        return change if _whole_is_wanted(change, filters, spots) else None
    sections = [narrowed for each in change.sections if (narrowed := _rules_of(each)) is not None]
    sections = [each for each in sections if _section_is_wanted(change, each, filters, spots)]
    return replace(change, sections=tuple(sections)) if sections else None


def together(parts: Sequence[PolicyChange]) -> PolicyChange:
    """Parts of one change for several subscriptions, as one: each section once, in their order."""
    sections = list(dict.fromkeys(section for part in parts for section in part.sections))
    return replace(parts[0], sections=tuple(sections))


def spots_under(path: Sequence[str], spots: Iterable[Spot]) -> list[Spot]:
    """Those under the last of these headings."""
    leaf = path[-1].strip().casefold() if path else ""
    return [each for each in spots if not leaf or leaf in (part.strip().casefold() for part in each.path.split(" > "))]


def topic(text: str) -> tuple[QueryTerm, ...]:
    """What a topic of a subscription may be called in a rule: itself, other words for it, and its kinds."""
    return tuple(
        replace(
            term, synonyms=(*term.synonyms, *(kind for word in (term.text, *term.synonyms) for kind in kinds_of(word)))
        )
        for term in terms_of(text)
    )


def _rules_of(section: SectionChange) -> SectionChange | None:
    rules = tuple(each for each in section.rules if not _speaks_to_machines(section, each))
    return replace(section, rules=rules) if rules else None


def _speaks_to_machines(section: SectionChange, rule: RuleChange) -> bool:
    return any(map(speaks_to_machines, (*section.path, *rule.around, rule.lead_in, rule.before, rule.after)))


def _whole_is_wanted(change: PolicyChange, filters: Filters, spots: Sequence[Spot]) -> bool:
    if speaks_to_machines(change.title) or not _holds(spots, filters):
        return False
    return _is_on(filters, "\n".join((change.title, *(each.path for each in spots))))


def _section_is_wanted(change: PolicyChange, section: SectionChange, filters: Filters, spots: Sequence[Spot]) -> bool:
    if not _holds(spots_under(section.path, spots), filters):
        return False
    said = [text for rule in section.rules for text in (rule.lead_in, *rule.around, rule.before, rule.after)]
    return _is_on(filters, "\n".join((change.title, *section.path, *said)))


def _holds(spots: Sequence[Spot], filters: Filters) -> bool:
    if not filters.regions or not spots:
        return True
    return any(
        seen_from(place) & set(spot.regions) and place not in spot.excluded
        for place in filters.regions
        for spot in spots
    )


def _is_on(filters: Filters, text: str) -> bool:
    return not filters.sections or any(covered(text, topic(each)) for each in filters.sections)
