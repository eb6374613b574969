"""Installation by OAuth: begun and finished in one browser, within ten minutes."""

import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from html import escape

from aiohttp import web

from adapters.slack.oauth.exchange import Granted, SlackOAuth
from adapters.slack.oauth.tokens import InstalledWorkspaces
from adapters.slack.parts import Clock, utc_now
from adapters.slack.settings import REDIRECT_PATH, OAuthSettings
from bot.access.installations import InstallStates
from bot.wording import slack as wording
from bot.wording.slack import PageText
from rag_core.errors import PolicyBotError, Rejected, Unavailable

INSTALL_PATH = "/slack/install"
STYLE_PATH = "/slack/install.css"

_STYLE = """\
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem;
  color: #1d1d1f; background: #fff; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; }
.action { display: inline-block; padding: .6rem 1.2rem; border-radius: .4rem; background: #1d3557; color: #fff;
  text-decoration: none; }
.action:focus-visible { outline: 3px solid #e07a00; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { color: #f2f2f2; background: #16181c; }
  .action { background: #a8c8f0; color: #10151c; }
}
"""


def page(text: PageText, *, to: str = INSTALL_PATH, status: int = 200, listed: Iterable[str] = ()) -> web.Response:
    """`to`: where the link leads; `listed`: HTML that stands before it."""
    title = escape(text.title)
    paragraphs = "".join(f"<p>{escape(each)}</p>" for each in text.paragraphs)
    link = f'<p><a class="action" href="{escape(to)}">{escape(text.action)}</a></p>' if text.action else ""
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="{STYLE_PATH}"></head>'
        f"<body><main><h1>{title}</h1>{paragraphs}{''.join(listed)}{link}</main></body></html>"
    )
    return web.Response(text=html, content_type="text/html", status=status)


def definitions(heading: str, entries: Iterable[tuple[str, str]]) -> str:
    """A list of words with what they mean."""
    rows = "".join(f"<li><code>{escape(word)}</code>: {escape(means)}</li>" for word, means in entries)
    return f"<h2>{escape(heading)}</h2><ul>{rows}</ul>"


async def style(_: web.Request) -> web.Response:
    return web.Response(text=_STYLE, content_type="text/css", headers={"Cache-Control": "max-age=3600"})


COOKIE = "adpolicy_install"
BEGUN = timedelta(minutes=10)
"""As long as Slack's code is good."""

_START = f"{INSTALL_PATH}?start=1"
_RANDOM = re.compile(r"[A-Za-z0-9_-]{43}")
_CODE = re.compile(r"[!-~]{1,500}")
_ERROR = re.compile(r"[a-z0-9_]{1,60}")
_log = logging.getLogger(__name__)


def new_secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Installing:
    """What the routes hold; nothing of it is closed by them."""

    settings: OAuthSettings
    oauth: SlackOAuth
    states: InstallStates
    workspaces: InstalledWorkspaces
    clock: Clock = utc_now
    new_secret: Callable[[], str] = new_secret

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get(INSTALL_PATH, self.begin),
            web.get(REDIRECT_PATH, self.finish),
            web.get(STYLE_PATH, style),
        ]

    async def begin(self, request: web.Request) -> web.Response:
        """The page; from its link on to Slack."""
        if request.query.get("start") != "1":
            reasons = wording.scope_reasons()
            entries = [(each, reasons.get(each, "")) for each in self.settings.scopes]
            return page(wording.offer(), to=_START, listed=[definitions(wording.ASKED_FOR, entries)])
        state, browser, now = self.new_secret(), _browser(request) or self.new_secret(), self.clock()
        try:
            begun = await self.states.begin(_hash(state), _hash(browser), now, now + BEGUN)
        except Unavailable:
            return page(wording.not_now(), status=503)
        if not begun:
            return page(wording.too_many(), status=429)
        answer = web.Response(status=302, headers={"Location": self.oauth.address(state)})
        answer.set_cookie(
            COOKIE, browser, max_age=int(BEGUN.total_seconds()), path="/slack", httponly=True, samesite="Lax",
            secure=self.settings.is_https,
        )  # fmt: skip
        return answer

    async def finish(self, request: web.Request) -> web.Response:
        """Where Slack sends the browser back to."""
        try:
            if not await self._began(request):
                return page(wording.not_begun_here(), status=400)
            if "error" in request.query:
                return self._told(request.query["error"])
            code = request.query.get("code", "")
            if not _CODE.fullmatch(code):
                return page(wording.not_begun_here(), status=400)
            return await self._install(await self.oauth.exchange(code))
        except Rejected as exc:
            _log.warning("slack installation refused: code=%s error=%s", exc.code, exc.details.get("error", ""))
            return page(wording.slack_said_no(str(exc.details.get("error", ""))), status=400)
        except Unavailable as exc:
            _log.warning("slack installation failed: code=%s error=%s", exc.code, exc.details.get("error", ""))
            return page(wording.not_now(), status=503)

    async def _began(self, request: web.Request) -> bool:
        state, browser = request.query.get("state", ""), _browser(request)
        if not browser or not _RANDOM.fullmatch(state):
            return False
        return await self.states.take(_hash(state), _hash(browser), self.clock())

    def _told(self, error: str) -> web.Response:
        if error == "access_denied":
            return page(wording.declined())
        return page(wording.slack_said_no(error if _ERROR.fullmatch(error) else ""), status=400)

    async def _install(self, granted: Granted) -> web.Response:
        if not self.settings.allowed.holds(granted.team, granted.organisation):
            revoked = await self._give_back(granted)
            _log.warning("slack installation refused: place=%s revoked=%s", granted.place, revoked)
            return page(wording.not_allowed(granted.place, revoked=revoked), status=403)
        try:
            made = await self.workspaces.install(granted)
        except PolicyBotError:
            await self._give_back(granted)
            raise
        _log.info("slack installed: place=%s", made.place)
        return page(wording.installed(made.name))

    async def _give_back(self, granted: Granted) -> bool:
        """A token that nobody keeps is ended."""
        try:
            await self.oauth.revoke(granted.token)
        except PolicyBotError as exc:
            _log.warning("slack token not revoked: place=%s code=%s", granted.place, exc.code)
            return False
        return True


def _browser(request: web.Request) -> str:
    found = request.cookies.get(COOKIE, "")
    return found if _RANDOM.fullmatch(found) else ""


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
