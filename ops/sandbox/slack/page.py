"""The page that shows a channel as people would see it, with a box to type a command."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import jinja2
from aiohttp import web
from markupsafe import Markup
from yarl import URL

from ops.sandbox.slack import wording
from ops.sandbox.slack.mrkdwn import block_html, text_html
from ops.sandbox.slack.workspace import BOT, SLACKBOT, Channel, Message, Workspace

Send = Callable[..., Awaitable[object]]

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; img-src https:"
)
_HERE = Path(__file__).parent
_TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(_HERE), autoescape=True)
_WHOLE, _MESSAGES = _TEMPLATES.get_template("page.html"), _TEMPLATES.get_template("messages.html")
_KINDS = {"page.css": "text/css", "page.js": "text/javascript"}
_FILES = {name: (_HERE / name).read_text("utf-8") for name in _KINDS}


def page_routes(workspace: Workspace, bot_url: str, send: Send) -> list[web.RouteDef]:
    """`/` (whole page), `/channel` (its messages, asked for again and again), `/say` (the box)."""
    page = _Page(workspace, bot_url, send)
    return [
        web.get("/", page.show),
        web.get("/channel", page.show_messages),
        web.post("/say", page.say),
        web.get("/static/{name}", page.file),
    ]


class _Page:
    def __init__(self, workspace: Workspace, bot_url: str, send: Send) -> None:
        self._workspace = workspace
        self._bot_url = bot_url
        self._send = send

    async def show(self, request: web.Request) -> web.Response:
        channel, user = self._where(request.query.get("channel", ""), request.query.get("user", ""))
        return _html(
            _WHOLE.render(
                title=wording.page_title(),
                hint=wording.page_hint(self._bot_url),
                channels=self._channels(user),
                users=self._users(),
                here=channel,
                user=user,
                messages=self._rendered(channel, user),
            )
        )

    async def show_messages(self, request: web.Request) -> web.Response:
        return _html(self._rendered(*self._where(request.query.get("channel", ""), request.query.get("user", ""))))

    async def say(self, request: web.Request) -> web.Response:
        # Another site open in the same browser could post here too.
        own = {f"http://{host}:{request.url.port}" for host in ("127.0.0.1", "localhost")}
        if request.headers.get("Origin") not in own:
            raise web.HTTPForbidden(text=wording.refused_origin())
        form = await request.post()
        channel, user = self._where(str(form.get("channel", "")), str(form.get("user", "")))
        command, _, text = str(form.get("typed", "")).strip().partition(" ")
        await self._send(text, channel=channel, user=user, command=command or "/adpolicy")
        raise web.HTTPSeeOther(URL.build(path="/", query={"channel": channel, "user": user}))

    async def file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in _FILES:
            raise web.HTTPNotFound
        return web.Response(text=_FILES[name], content_type=_KINDS[name])

    def _users(self) -> list[str]:
        return sorted({user for each in self._workspace.channels.values() for user in each.members} - {BOT})

    def _channels(self, user: str) -> list[Channel]:
        """Private channels are seen by their members only."""
        return [each for each in self._workspace.channels.values() if not each.is_private or user in each.members]

    def _where(self, channel: str, user: str) -> tuple[str, str]:
        """Channel and user, the first ones where none are named."""
        known, users = self._workspace.channels, self._users()
        if channel and channel not in known:
            raise web.HTTPNotFound(text=wording.unknown_channel(channel))
        return channel or next(iter(known)), user if user in users else users[0]

    def _rendered(self, channel: str, user: str) -> Markup:
        shown = [_shown(each) for each in self._workspace.seen_by(user, channel)]
        return Markup(  # noqa: S704 - made by the template, which escapes
            _MESSAGES.render(messages=shown, nothing=wording.no_messages(), only_you=wording.only_you())
        )


def _shown(message: Message) -> dict[str, object]:
    names = {BOT: "adpolicy", SLACKBOT: "Slackbot"}
    body = [block_html(each) for each in message.blocks] or [text_html(message.text)]
    return {"author": names.get(message.author, message.author), "body": body, "ephemeral": bool(message.visible_to)}


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html", headers={"Content-Security-Policy": _POLICY})
