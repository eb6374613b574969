"""Which policy sources there are, asked of the store every few seconds."""

from rag_core.documents import Classification
from rag_core.retrieval.known_sources import FRESH_SECONDS, KnownSources
from tests.fakes.documents import make_version, make_write
from tests.fakes.policies import FakePolicyStore

LEGAL = frozenset({"legal"})


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class GrowingStore(FakePolicyStore):
    """A store to which documents are added."""

    def add(self, document_id: str, **changes: object) -> None:
        self._writes = (*self._writes, make_write(make_version(document_id, **changes)))  # type: ignore[arg-type]


async def slugs(known: KnownSources, groups: frozenset[str] = frozenset()) -> list[str]:
    return [source.slug for source in await known.known(groups)]


async def test_a_new_source_is_known_after_a_few_seconds() -> None:
    store, clock = GrowingStore(), Clock()
    store.add("acme_toys")
    known = KnownSources(store, clock)
    assert await slugs(known) == ["acme"]
    store.add("brim_toys")
    clock.seconds += FRESH_SECONDS - 0.1
    assert await slugs(known) == ["acme"]
    clock.seconds += 0.2
    assert await slugs(known) == ["acme", "brim"]


async def test_what_one_group_may_know_is_not_told_to_another() -> None:
    store = GrowingStore()
    store.add("acme_toys")
    store.add("vault_notes", classification=Classification.RESTRICTED, allowed_groups=LEGAL)
    known = KnownSources(store, Clock())
    assert await slugs(known, LEGAL) == ["acme", "vault"]
    assert await slugs(known) == ["acme"]
    assert await slugs(known, LEGAL) == ["acme", "vault"]
