"""What the listeners of the Slack app listen to, and which methods of Slack's Web API the code calls."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import app
from adapters.slack.client import SlackClients
from adapters.slack.oauth.tokens import SingleWorkspace
from adapters.slack.parts import SlackParts
from tests.fakes.slack import SETTINGS, FakeInbox

ROOT = Path(__file__).resolve().parents[2]
_CALL = re.compile(r'api_call\(\s*"([A-Za-z0-9.]+)"')

Decorate = Callable[..., Any]


@dataclass(slots=True)
class ListeningRecord:
    """Stands for Bolt's app while listeners are added: (kind, what is listened to)."""

    heard: set[tuple[str, str | re.Pattern[str]]] = field(default_factory=set)

    def of(self, *kinds: str) -> set[str]:
        return {what for kind, what in self.heard if kind in kinds and isinstance(what, str)}

    def patterns(self, kind: str) -> list[re.Pattern[str]]:
        return [what for each, what in self.heard if each == kind and isinstance(what, re.Pattern)]

    def takes(self, kind: str, name: str) -> bool:
        return name in self.of(kind) or any(each.search(name) for each in self.patterns(kind))

    def use(self, *_: object) -> None:
        """Middleware listens to nothing by itself."""

    middleware = error = use

    def __getattr__(self, kind: str) -> Decorate:
        if kind not in (
            "event", "message", "command", "action", "block_action", "view", "view_submission", "view_closed",
            "shortcut", "global_shortcut", "message_shortcut", "options", "block_suggestion",
        ):  # fmt: skip
            raise AttributeError(kind)

        def listen(constraint: object = "message", *_: object, **__: object) -> Decorate:
            for what in _named(constraint):
                self.heard.add(("event" if kind == "message" else kind, what))
            return lambda listener: listener

        return listen


def _named(constraint: object) -> Iterator[str | re.Pattern[str]]:
    if isinstance(constraint, re.Pattern):
        yield constraint
    elif isinstance(constraint, dict):
        for name in ("action_id", "callback_id", "type"):
            if name in constraint:
                yield from _named(constraint[name])
                return
    else:
        yield str(constraint)


async def listened() -> ListeningRecord:
    """All that the app's listeners ask for."""
    record = ListeningRecord()
    async with aiohttp.ClientSession() as session:
        clients = SlackClients(session, SingleWorkspace(SETTINGS.bot_token), SETTINGS.api_url)
        ports: Any = object()  # all parts are there; what they do is not asked while listeners are added
        parts = SlackParts(
            SETTINGS, FakeInbox().accept, clients, answers=ports, channels=ports, people=ports, subscribing=ports
        )
        for add in app._LISTENERS:
            add(cast(AsyncApp, record), parts)
    return record


def methods_called() -> set[str]:
    """By their dotted names, from every module that is about Slack; the stand-in is none of ours."""
    names = _method_names()
    dotted = set(names.values())
    modules = [*(ROOT / "adapters" / "slack").rglob("*.py"), *(ROOT / "ops").glob("slack*.py")]
    found: set[str] = set()
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in names:
                found.add(names[node.attr])
            elif isinstance(node, ast.Constant) and node.value in dotted:
                found.add(str(node.value))
    return found


def _method_names() -> dict[str, str]:
    """Of the SDK's client: its method -> the name in Slack's documentation."""
    found = {}
    for name, method in inspect.getmembers(AsyncWebClient, inspect.isfunction):
        called = _CALL.search(inspect.getsource(method))
        if called and not name.startswith("_"):
            found[name] = called[1]
    return {**found, "chat_stream": "chat.startStream"}
