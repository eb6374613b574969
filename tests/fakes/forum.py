"""A forum that answers as Discourse's API does, on loopback."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from aiohttp import web

BEGAN = datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
_PER_PAGE = 30
_PER_BATCH = 20


@dataclass(slots=True)
class FakePost:
    """`post_type`: 1 by a person, 3 "closed this topic"."""

    id: int
    number: int
    raw: str
    username: str
    created_at: datetime
    post_type: int = 1
    version: int = 1
    updated_at: datetime | None = None


@dataclass(slots=True)
class FakeTopic:
    id: int
    title: str
    posts: list[FakePost] = field(default_factory=list)
    pinned: bool = False

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")


@dataclass(slots=True)
class FakeForum:
    """`topics` of the category 5; `status`: what a topic answers instead of 200. `requests`: the paths asked for."""

    topics: dict[int, FakeTopic] = field(default_factory=dict)
    status: dict[int, int] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    gives_raw: bool = True
    per_page: int = _PER_PAGE

    def topic(self, topic_id: int, title: str, *texts: str, pinned: bool = False) -> FakeTopic:
        self.topics[topic_id] = FakeTopic(topic_id, title, pinned=pinned)
        for text in texts:
            self.post(topic_id, text)
        return self.topics[topic_id]

    def post(self, topic_id: int, raw: str, username: str = "keeper", post_type: int = 1) -> FakePost:
        posts = self.topics[topic_id].posts
        number = len(posts) + 1
        made = FakePost(topic_id * 1000 + number, number, raw, username, BEGAN + timedelta(days=number - 1), post_type)
        posts.append(made)
        return made

    def asked_for(self, prefix: str) -> list[str]:
        return [path for path in self.requests if path.startswith(prefix)]

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._note])
        app.router.add_get(r"/c/{slug:.*?}{id:\d+}.json", self._category)
        app.router.add_get(r"/t/{id:\d+}.json", self._topic)
        app.router.add_get(r"/t/{id:\d+}/posts.json", self._batch)
        app.router.add_get(r"/posts/by_number/{topic:\d+}/{number:\d+}.json", self._by_number)
        app.router.add_get(r"/posts/{id:\d+}.json", self._post)
        return app

    @web.middleware
    async def _note(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        self.requests.append(request.path_qs)
        return await handler(request)

    async def _category(self, request: web.Request) -> web.Response:
        if request.match_info["id"] != "5":
            raise web.HTTPNotFound
        page = int(request.query.get("page", "0"))
        pinned = [topic for topic in self.topics.values() if topic.pinned]
        others = [topic for topic in self.topics.values() if not topic.pinned]
        shown = others[page * self.per_page : (page + 1) * self.per_page]
        more = f"/c/policies/5?page={page + 1}" if len(others) > (page + 1) * self.per_page else None
        topics = [_listed(topic) for topic in (*pinned, *shown)]
        return web.json_response({"topic_list": {"more_topics_url": more, "per_page": self.per_page, "topics": topics}})

    def _found(self, topic_id: int) -> FakeTopic:
        status = self.status.get(topic_id, 200 if topic_id in self.topics else 404)
        if status == 404:
            raise web.HTTPNotFound
        if status == 403:
            raise web.HTTPForbidden
        if status != 200:
            raise web.HTTPServiceUnavailable
        return self.topics[topic_id]

    async def _topic(self, request: web.Request) -> web.Response:
        topic = self._found(int(request.match_info["id"]))
        raw = self.gives_raw and "include_raw" in request.query
        stream = {
            "posts": [_shown(topic, post, raw=raw) for post in topic.posts[:_PER_BATCH]],
            "stream": [post.id for post in topic.posts],
        }
        return web.json_response({**_listed(topic), "post_stream": stream})

    async def _batch(self, request: web.Request) -> web.Response:
        topic = self._found(int(request.match_info["id"]))
        wanted = {int(each) for each in request.query.getall("post_ids[]")}
        if len(wanted) > _PER_BATCH:
            raise web.HTTPBadRequest
        raw = self.gives_raw and "include_raw" in request.query
        posts = [_shown(topic, post, raw=raw) for post in topic.posts if post.id in wanted]
        return web.json_response({"post_stream": {"posts": posts}, "id": topic.id})

    async def _by_number(self, request: web.Request) -> web.Response:
        topic = self._found(int(request.match_info["topic"]))
        number = int(request.match_info["number"])
        return self._one(topic, [post for post in topic.posts if post.number == number])

    async def _post(self, request: web.Request) -> web.Response:
        wanted = int(request.match_info["id"])
        topic = self._found(wanted // 1000)
        return self._one(topic, [post for post in topic.posts if post.id == wanted])

    @staticmethod
    def _one(topic: FakeTopic, posts: list[FakePost]) -> web.Response:
        if not posts:
            raise web.HTTPNotFound
        return web.json_response(_shown(topic, posts[0], raw=True))


def _listed(topic: FakeTopic) -> dict[str, object]:
    return {
        "id": topic.id,
        "title": topic.title,
        "slug": topic.slug,
        "posts_count": len(topic.posts),
        "last_posted_at": _written(max(post.created_at for post in topic.posts)) if topic.posts else None,
        "pinned": topic.pinned,
        "archetype": "regular",
    }


def _shown(topic: FakeTopic, post: FakePost, *, raw: bool) -> dict[str, object]:
    shown: dict[str, object] = {
        "id": post.id,
        "topic_id": topic.id,
        "post_number": post.number,
        "username": post.username,
        "created_at": _written(post.created_at),
        "updated_at": _written(post.updated_at or post.created_at),
        "version": post.version,
        "post_type": post.post_type,
        "cooked": "<p>as HTML</p>",
    }
    return {**shown, "raw": post.raw} if raw else shown


def _written(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


@asynccontextmanager
async def opened(forum: FakeForum) -> AsyncIterator[str]:
    """The address of the forum while the block lasts."""
    runner = web.AppRunner(forum.app())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
        await asyncio.sleep(0.02)  # connections that clients have dropped are closed by the loop
