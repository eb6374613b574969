"""What a Discourse forum's API answers, checked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ingest.model.names import document_id
from ingest.ports import Discovered, ItemState, RawDocument, SourceDefaults, SourceStates
from ingest.sources.bbcode import escaped, markdown_of
from ingest.sources.fetches import Fetches
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_WRITTEN_BY_PEOPLE = frozenset({1, 2})
"""Post types: regular, by a moderator. Not: "closed this topic", whispers to the staff."""


class _Answer(BaseModel):
    """Only what is used here; forums add keys with every release and plugin."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ListedTopic(_Answer):
    """A topic as lists of topics have it."""

    id: int
    title: str = ""
    slug: str = ""
    posts_count: int = 0
    last_posted_at: str | None = None

    @property
    def revision(self) -> str:
        """What tells whether posts came or went."""
        return f"{self.posts_count} posts, last {self.last_posted_at or 'never'}"


class TopicList(_Answer):
    more_topics_url: str | None = None
    topics: tuple[ListedTopic, ...] = ()


class Listing(_Answer):
    """One page of a category."""

    topic_list: TopicList


class Post(_Answer):
    """One post. `raw` is missing where the forum was not asked for it, or is too old to be."""

    id: int
    post_number: int
    topic_id: int | None = None
    username: str = ""
    created_at: datetime
    updated_at: datetime | None = None
    version: int = 1
    post_type: int = 1
    raw: str | None = None
    hidden: bool = False
    user_deleted: bool = False

    @property
    def is_readable(self) -> bool:
        return self.post_type in _WRITTEN_BY_PEOPLE and not self.hidden and not self.user_deleted

    @property
    def holds_from(self) -> date:
        """The day on which it got the words it has now."""
        is_edited = self.version > 1 and self.updated_at is not None
        return (self.updated_at if is_edited and self.updated_at else self.created_at).date()


class PostStream(_Answer):
    """`stream`: the ids of all posts, in order; `posts`: some of them."""

    posts: tuple[Post, ...] = ()
    stream: tuple[int, ...] = ()


class Topic(ListedTopic):
    """A topic with its first posts."""

    post_stream: PostStream


class Batch(_Answer):
    """Posts that were asked for by id."""

    post_stream: PostStream = Field(default_factory=PostStream)


Answer = TypeVar("Answer", bound=_Answer)


def read_answer(kind: type[Answer], content: bytes, url: str) -> Answer:
    """Raises Rejected("forum_answer_invalid", url, problem)."""
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Rejected("forum_answer_invalid", url=url, problem=f"{where}: {first['msg']}".lstrip(": ")) from error


LONGEST_POST = 50_000
"""Characters. A longer one is refused and named, never cut: what is left out could be the exception to the rest."""
_BATCH = 20
"""Discourse gives no more posts to one request."""
_MOST_PAGES = 1_000
_MOST_POSTS = 10_000
"""Of one topic: Discourse closes it then, unless it is told otherwise."""
_MOST_FAILURES = 3
"""Topics that fail in a row until the forum itself counts as failing."""
_ORIGIN = re.compile(r"t/(\d+)/(\d+)")
_TOPIC_FAILED = ("forum_topic_unavailable", "forum_topic_unreadable")


class DiscourseSource:
    """`ingest.ports.Source`: the posts of some categories (`5`, `policies/5`) and topics, with author, day and link.

    A topic is read again only when its number of posts or the time of the last one changed; `states` tells which it
    had, and without it every topic is read at each `discover`. A topic that cannot be read is the failure of its first
    post: "forum_topic_unavailable" or "forum_topic_unreadable" with topic, problem and the details of that; its other
    posts stay as they are stored, and it is asked for again when that post is fetched. One that is gone has no posts.

    Raises Rejected("forum_no_posts", "forum_answer_invalid", "post_too_long"), and what the fetcher raises.
    """

    def __init__(
        self,
        source_id: str,
        base_url: str,
        defaults: SourceDefaults,
        fetcher: Fetches,
        *,
        categories: Sequence[str | int] = (),
        topics: Sequence[int] = (),
        states: SourceStates | None = None,
    ) -> None:
        self._source_id = source_id
        self._base = base_url.rstrip("/")
        self._defaults = defaults
        self._fetcher = fetcher
        self._categories = [str(category).strip("/") for category in categories]
        self._named = tuple(topics)
        self._states = states
        self._topics: dict[int, ListedTopic] = {}
        self._posts: dict[str, Post] = {}
        self._failed: dict[int, PolicyBotError] = {}

    @property
    def source_id(self) -> str:
        return self._source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._defaults

    async def discover(self) -> Sequence[Discovered]:
        known = await self._states.known(self._source_id) if self._states else {}
        by_topic = _by_topic(known.values())
        self._posts.clear()
        self._failed.clear()
        self._topics = {topic.id: topic for category in self._categories for topic in await self._listed(category)}
        items: list[Discovered] = []
        failures = 0
        for topic_id in dict.fromkeys((*self._topics, *self._named)):
            items += await self._items(topic_id, by_topic.get(topic_id, {}))
            failures = failures + 1 if topic_id in self._failed else 0
            if failures >= _MOST_FAILURES and isinstance(self._failed[topic_id], Unavailable):
                raise self._failed[topic_id]
        if not items:
            raise Rejected("forum_no_posts", url=self._base)
        return items

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        if known_revision is not None and known_revision == item.revision:
            return None
        found = _ORIGIN.fullmatch(item.origin)
        if found is None:
            raise Rejected("document_gone", url=self._base)
        topic_id, number = int(found[1]), int(found[2])
        if topic_id in self._failed:
            raise self._failed[topic_id]
        post = self._posts.pop(item.origin, None) or await self._post(topic_id, number)
        return self._document(item, topic_id, post)

    async def aclose(self) -> None:
        """The fetcher belongs to whoever built it."""
        self._posts.clear()

    async def _listed(self, category: str) -> list[ListedTopic]:
        found: dict[int, ListedTopic] = {}
        for page in range(_MOST_PAGES):
            listing = (await self._ask(f"/c/{quote(category)}.json?page={page}", Listing)).topic_list
            new = {topic.id: topic for topic in listing.topics if topic.id not in found}
            found.update(new)  # pinned topics are on every page
            if not new or not listing.more_topics_url:
                break
        return list(found.values())

    async def _items(self, topic_id: int, known: Mapping[str, ItemState]) -> list[Discovered]:
        listed = self._topics.get(topic_id)
        if listed is not None and _is_settled(known, listed.revision):
            return [_item(origin, listed.revision) for origin in known]
        if any(state.failures and state.failed_with in _TOPIC_FAILED for state in known.values()):
            return self._as_stored(topic_id, listed, known)
        try:
            return await self._read(topic_id, listed, known)
        except (Rejected, Unavailable) as error:
            if error.code == "document_gone":
                return []
            self._failed[topic_id] = _topic_failed(topic_id, error)
            return self._as_stored(topic_id, listed, known)

    def _as_stored(self, topic_id: int, listed: ListedTopic | None, known: Mapping[str, ItemState]) -> list[Discovered]:
        """The first post as one that has to be fetched, in every run until it is given up, and again when the topic
        changes. The others as they are."""
        first = f"t/{topic_id}/1"
        unread = f"{listed.revision}, not read" if listed is not None else None
        return [_item(first, unread), *(_item(origin, known[origin].revision) for origin in known if origin != first)]

    async def _read(
        self, topic_id: int, listed: ListedTopic | None, known: Mapping[str, ItemState]
    ) -> list[Discovered]:
        topic = await self._ask(f"/t/{topic_id}.json?include_raw=1", Topic)
        self._topics[topic_id] = topic
        revision = (listed or topic).revision
        if listed is None and _is_settled(known, revision):
            return [_item(origin, revision) for origin in known]
        posts = await self._whole(topic)
        readable = {f"t/{topic_id}/{post.post_number}": post for post in posts if post.is_readable}
        self._posts.update(readable)
        return [_item(origin, revision) for origin in readable]

    async def _whole(self, topic: Topic) -> list[Post]:
        """All posts of a topic, with their raw text. Raises Rejected("forum_topic_too_long")."""
        if len(topic.post_stream.stream) > _MOST_POSTS:
            raise Rejected("forum_topic_too_long", size=len(topic.post_stream.stream), most=_MOST_POSTS)
        posts = {post.id: post for post in topic.post_stream.posts}
        missing = [each for each in topic.post_stream.stream if each not in posts or posts[each].raw is None]
        for at in range(0, len(missing), _BATCH):
            wanted = "&".join(f"post_ids[]={each}" for each in missing[at : at + _BATCH])
            batch = await self._ask(f"/t/{topic.id}/posts.json?{wanted}&include_raw=1", Batch)
            posts.update((post.id, post) for post in batch.post_stream.posts)
        ordered = [posts[each] for each in topic.post_stream.stream or posts if each in posts]
        return [await self._with_raw(post) for post in ordered]

    async def _with_raw(self, post: Post) -> Post:
        """Old forums give the raw text of one post at a time only."""
        if post.raw is not None or not post.is_readable:
            return post
        return await self._ask(f"/posts/{post.id}.json", Post)

    async def _post(self, topic_id: int, number: int) -> Post:
        """One post that `discover` did not read."""
        try:
            if topic_id not in self._topics or number == 1:
                topic = await self._ask(f"/t/{topic_id}.json?include_raw=1", Topic)
                self._topics[topic_id] = topic
            return await self._with_raw(await self._ask(f"/posts/by_number/{topic_id}/{number}.json", Post))
        except (Rejected, Unavailable) as error:
            if number != 1 or error.code == "document_gone":
                raise
            raise _topic_failed(topic_id, error) from error

    async def _ask(self, path: str, kind: type[Answer]) -> Answer:
        url = f"{self._base}{path}"
        fetched = await self._fetcher.get(url)
        return read_answer(kind, fetched.content if fetched is not None else b"", url)

    def _document(self, item: Discovered, topic_id: int, post: Post) -> RawDocument:
        raw = post.raw or ""
        if not post.is_readable:
            raise Rejected("document_gone", url=self._base)
        if len(raw) > LONGEST_POST:
            raise Rejected("post_too_long", size=len(raw), most=LONGEST_POST)
        topic = self._topics[topic_id]
        title = " ".join(topic.title.split())[:300] or f"Topic {topic_id}"
        # The heading also keeps a post that begins with `---` from speaking as front matter.
        content = f"# {escaped(title)}\n\n{markdown_of(raw, self._base)}".encode()
        facts: dict[str, object] = {
            "title": title,
            "document_id": document_id(self._defaults.policy_source.slug, f"topic_{topic_id}_post_{post.post_number}"),
            "effective_from": post.holds_from.isoformat(),
            "posted_at": post.created_at.isoformat(),
            "post_number": post.post_number,
        }
        if post.username:
            facts["author"] = post.username[:200]
        url = f"{self._base}/t/{topic.slug or '-'}/{topic_id}/{post.post_number}"
        return RawDocument(item.origin, item.file_name, content, "text/markdown", url, facts, item.revision)


def _item(origin: str, revision: str | None) -> Discovered:
    _, topic, number = origin.split("/")
    return Discovered(origin, f"topic-{topic}-post-{number}.md", revision)


def _by_topic(states: Iterable[ItemState]) -> dict[int, dict[str, ItemState]]:
    """What is known of the posts of each topic; not of those that it had lost already."""
    found: dict[int, dict[str, ItemState]] = {}
    for state in states:
        place = _ORIGIN.fullmatch(state.origin)
        if place is not None and not state.misses:
            found.setdefault(int(place[1]), {})[state.origin] = state
    return {topic: dict(sorted(posts.items(), key=lambda each: _number(each[0]))) for topic, posts in found.items()}


def _number(origin: str) -> int:
    return int(origin.rsplit("/", 1)[1])


def _is_settled(known: Mapping[str, ItemState], revision: str) -> bool:
    """Whether all posts were read at this revision; a post that failed on its own does not bring back the others."""
    own = [state for state in known.values() if not state.failures]
    failed_alone = all(state.failed_with not in _TOPIC_FAILED for state in known.values() if state.failures)
    return bool(own) and failed_alone and all(state.revision == revision for state in own)


def _topic_failed(topic_id: int, error: PolicyBotError) -> PolicyBotError:
    details = {**error.details, "topic": topic_id, "problem": error.code}
    if isinstance(error, Unavailable):
        return Unavailable("forum_topic_unavailable", **details)
    return Rejected("forum_topic_unreadable", **details)
