"""The platforms that Slack's forms offer: looked up now and then, those of before while the store is down."""

from collections.abc import Sequence
from typing import Any

from ops.platforms import KnownPlatforms
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable


class FakeStore:
    """The one method that is called; `groups` of each call."""

    def __init__(self) -> None:
        self.sources_now: list[PolicySource] = [PolicySource("a", "A")]
        self.down = False
        self.groups: list[frozenset[str]] = []

    async def sources(self, groups: frozenset[str]) -> Sequence[PolicySource]:
        self.groups.append(groups)
        if self.down:
            raise Unavailable("database_locked")
        return list(self.sources_now)


async def test_only_what_everybody_may_know_of_and_not_at_every_question() -> None:
    store: Any = FakeStore()
    now = [0.0]
    platforms = KnownPlatforms(store, clock=lambda: now[0])
    assert [each.slug for each in await platforms.known()] == ["a"]
    store.sources_now.append(PolicySource("b", "B"))
    assert [each.slug for each in await platforms.known()] == ["a"]
    assert store.groups == [frozenset()]
    now[0] = 61.0
    assert [each.slug for each in await platforms.known()] == ["a", "b"]


async def test_with_the_store_down_those_of_before_stay() -> None:
    store: Any = FakeStore()
    now = [0.0]
    platforms = KnownPlatforms(store, clock=lambda: now[0])
    await platforms.known()
    now[0], store.down = 61.0, True
    assert [each.slug for each in await platforms.known()] == ["a"]
    await platforms.known()
    assert len(store.groups) == 2  # it is not asked again at once
