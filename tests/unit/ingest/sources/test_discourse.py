from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

import pytest

from ingest.fetching.addresses import any_address
from ingest.fetching.fetcher import Fetcher, FetchLimits
from ingest.ports import Discovered, ItemState, RawDocument, SourceDefaults
from ingest.sources.discourse import LONGEST_POST, DiscourseSource
from rag_core.documents import PolicySource
from rag_core.errors import Rejected, Unavailable
from tests.fakes.forum import BEGAN, FakeForum, opened

DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))


class Remembered:
    """`ingest.ports.SourceStates` of one source, as the pipeline keeps it."""

    def __init__(self) -> None:
        self.states: dict[str, ItemState] = {}

    async def known(self, source_id: str) -> dict[str, ItemState]:
        return dict(self.states)

    async def keep(self, source_id: str, states: Sequence[ItemState]) -> None:
        self.states.update((state.origin, state) for state in states)

    async def forget(self, source_id: str, origins: Sequence[str]) -> None:
        for origin in origins:
            self.states.pop(origin, None)


class Reader:
    """A source with a memory, read as the pipeline reads it."""

    def __init__(self, base: str, fetcher: Fetcher, topics: Sequence[int] = ()) -> None:
        self.memory = Remembered()
        categories = [] if topics else ["policies/5"]
        self.source = DiscourseSource(
            "acme-forum", base, DEFAULTS, fetcher, categories=categories, topics=topics, states=self.memory
        )

    async def run(self) -> dict[str, RawDocument | str | None]:
        """What became of each item: its document, None for unchanged, or the code of its error."""
        found: dict[str, RawDocument | str | None] = {}
        for item in await self.source.discover():
            state = self.memory.states.get(item.origin, ItemState(item.origin))
            try:
                raw = await self.source.fetch(item, state.revision)
                found[item.origin] = raw
                state = ItemState(item.origin, (raw.revision if raw else None) or item.revision)
            except (Rejected, Unavailable) as error:
                found[item.origin] = error.code
                state = ItemState(item.origin, state.revision, failures=state.failures + 1, failed_with=error.code)
            await self.memory.keep("acme-forum", [state])
        return found


@pytest.fixture
def forum() -> FakeForum:
    return FakeForum()


@pytest.fixture
async def base(forum: FakeForum) -> AsyncIterator[str]:
    async with opened(forum) as address:
        yield address


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    limits = FetchLimits(attempts=1, interval_seconds=0.0)
    fetcher = Fetcher("adpolicy-tests", limits, may_connect=any_address)
    yield fetcher
    await fetcher.aclose()


@pytest.fixture
def reader(base: str, fetcher: Fetcher) -> Reader:
    return Reader(base, fetcher)


def document(found: object) -> RawDocument:
    assert isinstance(found, RawDocument)
    return found


async def test_a_document_for_each_post(forum: FakeForum, base: str, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "Allowed for adults.", "What about [b]cider[/b]?")

    found = await reader.run()

    second = document(found["t/7/2"])
    assert list(found) == ["t/7/1", "t/7/2"]
    assert second.content.decode() == "# Alcohol ads\n\nWhat about **cider**?"
    assert (second.url, second.mime_type) == (f"{base}/t/alcohol-ads/7/2", "text/markdown")
    assert second.facts == {
        "title": "Alcohol ads",
        "document_id": "acme_topic_7_post_2",
        "effective_from": "2025-03-02",
        "posted_at": "2025-03-02T09:30:00+00:00",
        "post_number": 2,
        "author": "keeper",
    }


async def test_posts_come_in_batches_of_twenty(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Long", *[f"Post {number}." for number in range(1, 66)])

    found = await reader.run()

    assert len(found) == 65
    assert document(found["t/7/65"]).content.decode().endswith("Post 65.")
    assert [path.count("post_ids") for path in forum.asked_for("/t/7/posts.json")] == [20, 20, 5]


async def test_all_pages_of_a_category(forum: FakeForum, reader: Reader) -> None:
    forum.topic(1, "Read me first", "Welcome.", pinned=True)
    forum.per_page = 3
    for topic_id in range(2, 10):
        forum.topic(topic_id, f"Topic {topic_id}", "Words.")

    found = await reader.run()

    assert sorted(found) == [f"t/{topic_id}/1" for topic_id in range(1, 10)]
    assert len(forum.asked_for("/c/")) == 3


async def test_an_unchanged_topic_is_not_read_again(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.", "Two.")
    forum.topic(8, "Other", "Three.")
    await reader.run()
    forum.requests.clear()

    assert await reader.run() == {"t/7/1": None, "t/7/2": None, "t/8/1": None}
    assert forum.requests == ["/c/policies/5.json?page=0"]


async def test_a_topic_with_a_new_post_is_read_again(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.")
    forum.topic(8, "Other", "Three.")
    await reader.run()
    forum.post(7, "Two.")
    forum.requests.clear()

    found = await reader.run()

    assert document(found["t/7/2"]).content.decode().endswith("Two.")
    assert found["t/8/1"] is None
    assert forum.asked_for("/t/") == ["/t/7.json?include_raw=1"]


async def test_a_removed_post_is_no_longer_there(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.", "Two.", "Three.")
    await reader.run()
    del forum.topics[7].posts[1]

    assert list(await reader.run()) == ["t/7/1", "t/7/3"]
    await reader.memory.keep("acme-forum", [ItemState("t/7/2", "as it was", misses=1)])
    forum.requests.clear()
    assert list(await reader.run()) == ["t/7/1", "t/7/3"]
    assert forum.asked_for("/t/") == []


async def test_only_what_people_wrote(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.")
    forum.post(7, "", post_type=3)
    forum.post(7, "For the staff.", post_type=4)
    forum.post(7, "By a moderator.", post_type=2)

    assert list(await reader.run()) == ["t/7/1", "t/7/4"]


async def test_an_edited_post_holds_from_its_edit(forum: FakeForum, reader: Reader) -> None:
    post = forum.topic(7, "Alcohol ads", "One.").posts[0]
    post.version, post.updated_at = 2, BEGAN + timedelta(days=40)

    raw = document((await reader.run())["t/7/1"])

    assert (raw.facts["effective_from"], raw.facts["posted_at"]) == ("2025-04-10", "2025-03-01T09:30:00+00:00")


async def test_named_topics(forum: FakeForum, base: str, fetcher: Fetcher) -> None:
    forum.topic(7, "Alcohol ads", *[f"Post {number}." for number in range(1, 31)])
    reader = Reader(base, fetcher, topics=[7])
    await reader.run()
    forum.requests.clear()

    assert set((await reader.run()).values()) == {None}
    assert forum.requests == ["/t/7.json?include_raw=1"]


async def test_a_forum_that_gives_raw_text_by_the_post_only(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.", "Two.")
    forum.gives_raw = False

    found = await reader.run()

    assert document(found["t/7/2"]).content.decode().endswith("Two.")


async def test_a_long_post_is_refused_whole(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.", "x" * (LONGEST_POST + 1))

    found = await reader.run()
    forum.requests.clear()
    again = await reader.run()

    assert found["t/7/2"] == again["t/7/2"] == "post_too_long"
    assert document(found["t/7/1"]).facts["post_number"] == 1
    assert again["t/7/1"] is None
    assert forum.asked_for("/t/") == []  # only the post that failed


async def test_a_topic_without_end_is_refused_at_once(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Endless", *["More."] * 10_001)
    forum.topic(8, "Alcohol ads", "One.")

    found = await reader.run()

    assert found["t/7/1"] == "forum_topic_unreadable"
    assert document(found["t/8/1"]).facts["title"] == "Alcohol ads"
    assert forum.asked_for("/t/7/posts.json") == []


async def test_a_post_cannot_speak_as_front_matter(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "A *title*", "---\nclassification: public\n---\nWords.")

    content = document((await reader.run())["t/7/1"]).content.decode()

    assert content.startswith("# A \\*title\\*\n\n---\nclassification")


async def test_a_topic_that_fails_keeps_its_posts(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.", "Two.")
    forum.topic(8, "Other", "Three.")
    await reader.run()
    forum.post(7, "Four.")
    forum.status[7] = 503

    failed = await reader.run()
    assert failed == {"t/7/1": "forum_topic_unavailable", "t/7/2": None, "t/8/1": None}
    forum.requests.clear()
    assert [item.origin for item in await reader.source.discover()] == ["t/7/1", "t/7/2", "t/8/1"]
    assert forum.asked_for("/t/") == []  # the pipeline decides when it is tried again: by fetching it

    del forum.status[7]
    assert document((await reader.run())["t/7/1"]).content.decode().endswith("One.")
    assert document((await reader.run())["t/7/3"]).content.decode().endswith("Four.")


async def test_a_new_topic_that_fails_comes_whole_later(forum: FakeForum, reader: Reader) -> None:
    forum.topic(7, "Alcohol ads", "One.", "Two.")
    forum.topic(8, "Other", "Three.")
    forum.status[7] = 403

    assert (await reader.run())["t/7/1"] == "forum_topic_unreadable"
    del forum.status[7]
    await reader.run()
    assert set(await reader.run()) == {"t/7/1", "t/7/2", "t/8/1"}


async def test_a_topic_that_failed_too_often_is_asked_for_again_when_it_changes(
    forum: FakeForum, reader: Reader
) -> None:
    """What was given up is left alone as long as its revision stays the same (`ingest.run.discovery`)."""
    forum.topic(7, "Alcohol ads", "One.")
    forum.topic(8, "Other", "Two.")
    await reader.run()
    forum.post(7, "Three.")
    forum.status[7] = 503

    async def revision() -> str | None:
        return next(item.revision for item in await reader.source.discover() if item.origin == "t/7/1")

    await reader.run()
    failed = await revision()
    assert failed is not None
    assert failed == await revision()
    forum.post(7, "Four.")
    assert failed != await revision()


async def test_a_topic_that_is_gone_has_no_posts(forum: FakeForum, base: str, fetcher: Fetcher) -> None:
    forum.topic(7, "Alcohol ads", "One.")
    forum.topic(8, "Other", "Three.")
    reader = Reader(base, fetcher, topics=[7, 8])
    await reader.run()
    del forum.topics[7]

    assert list(await reader.run()) == ["t/8/1"]


async def test_a_forum_that_fails_changes_nothing(forum: FakeForum, reader: Reader) -> None:
    for topic_id in range(1, 6):
        forum.topic(topic_id, f"Topic {topic_id}", "Words.")
        forum.status[topic_id] = 503

    with pytest.raises(Unavailable, match="forum_topic_unavailable"):
        await reader.source.discover()
    assert len(forum.asked_for("/t/")) == 3


async def test_what_is_no_forum(base: str, forum: FakeForum, fetcher: Fetcher) -> None:
    def source(**options: Sequence[str | int]) -> DiscourseSource:
        return DiscourseSource("acme-forum", base, DEFAULTS, fetcher, **options)  # type: ignore[arg-type]

    with pytest.raises(Rejected, match="forum_no_posts"):
        await source(categories=[5]).discover()
    with pytest.raises(Rejected, match="document_gone"):
        await source(categories=[6]).discover()
    with pytest.raises(Rejected, match="document_gone"):
        await source(topics=[7]).fetch(Discovered("t/7/1", "x.md"))


async def test_an_answer_of_another_shape(forum: FakeForum, base: str, fetcher: Fetcher) -> None:
    forum.topic(7, "Alcohol ads", "One.")
    source = DiscourseSource("acme-forum", f"{base}/t/7.json?", DEFAULTS, fetcher, categories=[5])

    with pytest.raises(Rejected, match="forum_answer_invalid") as refused:
        await source.discover()
    assert "topic_list" in str(refused.value.details["problem"])
