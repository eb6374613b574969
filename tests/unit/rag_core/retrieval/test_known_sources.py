"""Which policy sources there are, asked of the store every few seconds."""

import pytest

from rag_core.documents import Classification
from rag_core.errors import Unavailable
from rag_core.retrieval import stored
from rag_core.retrieval.stored import FRESH_SECONDS, KnownSources
from tests.fakes.clock import Clock
from tests.fakes.copies import FailingStore
from tests.fakes.documents import make_version, make_write
from tests.fakes.policies import FakePolicyStore

LEGAL = frozenset({"legal"})


class GrowingStore(FakePolicyStore):
    """A store to which documents are added."""

    def add(self, document_id: str, **changes: object) -> None:
        self._writes = (*self._writes, make_write(make_version(document_id, **changes)))  # type: ignore[arg-type]


async def slugs(known: KnownSources, groups: frozenset[str] = frozenset()) -> list[str]:
    return [source.slug for source in (await known.known(groups)).sources]


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


HIDDEN = make_write(make_version("vault_notes", classification=Classification.RESTRICTED, allowed_groups=LEGAL))
TOYS = make_write(make_version("acme_toys"))
DAY_SECONDS = 86_400.0


def outliving(store: FailingStore) -> tuple[KnownSources, Clock]:
    clock = Clock()
    return KnownSources(store, clock, outlives_store=True), clock


async def test_a_silent_store_is_an_error_where_nothing_stands_in_for_it() -> None:
    store, clock = FailingStore(TOYS), Clock()
    known = KnownSources(store, clock)
    assert await slugs(known) == ["acme"]
    store.is_down = True
    assert await slugs(known) == ["acme"]  # fresh
    clock.seconds += DAY_SECONDS
    with pytest.raises(Unavailable, match="store_down"):
        await known.known(frozenset())


async def test_what_the_store_last_said_outlives_it_and_that_is_said() -> None:
    store = FailingStore(TOYS, HIDDEN)
    known, clock = outliving(store)
    assert (await known.known(LEGAL)).degraded == ()
    store.is_down = True
    clock.seconds += DAY_SECONDS
    found = await known.known(LEGAL)
    assert ([each.slug for each in found.sources], found.degraded) == (["acme", "vault"], ("store",))
    store.is_down = False
    assert (await known.known(LEGAL)).degraded == ()


async def test_groups_never_seen_are_told_what_everybody_may_know() -> None:
    store = FailingStore(TOYS, HIDDEN)
    known, clock = outliving(store)
    await known.known(LEGAL)
    store.is_down = True
    clock.seconds += DAY_SECONDS
    for groups in (frozenset[str](), frozenset({"sales"})):
        assert await slugs(known, groups) == ["acme"]


async def test_a_store_silent_from_the_start_is_an_error() -> None:
    store = FailingStore(TOYS)
    store.is_down = True
    known, _ = outliving(store)
    for groups in (frozenset[str](), LEGAL):
        with pytest.raises(Unavailable, match="store_down"):
            await known.known(groups)


async def test_a_store_that_hangs_is_a_silent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FailingStore(TOYS)
    known, clock = outliving(store)
    await known.known(frozenset())
    monkeypatch.setattr(stored, "STORE_SECONDS", 0.02)
    store.hangs = True
    clock.seconds += DAY_SECONDS
    assert (await known.known(frozenset())).degraded == ("store",)


async def test_groups_are_remembered_up_to_a_bound_and_everybody_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "_MOST_KEPT", 3)
    store = FailingStore(TOYS)
    known, clock = outliving(store)
    for number in range(10):
        await known.known(frozenset({f"group{number}"}))
    assert len(known._kept) == 3
    store.is_down = True
    clock.seconds += DAY_SECONDS
    assert await slugs(known) == ["acme"]
