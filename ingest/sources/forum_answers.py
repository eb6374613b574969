"""What a Discourse forum's API answers, checked."""

from datetime import date, datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_core.errors import Rejected

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
