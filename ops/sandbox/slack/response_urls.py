"""`response_url`s, by Slack's rules: five messages within thirty minutes, to the channel of the command or click."""

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from aiohttp import web

from ops.sandbox.slack.block_kit import check_message
from ops.sandbox.slack.troubles import Troubles
from ops.sandbox.slack.workspace import BOT, Message, Workspace

MOST_USES = 5
LIFETIME = timedelta(minutes=30)


@dataclass(slots=True)
class _Ticket:
    workspace: Workspace
    channel: str
    user: str
    issued_at: datetime
    original: str = ""
    uses: int = 0


class ResponseUrls:
    """Gives out addresses and takes what is posted there. Refusals answer 404 with Slack's error code."""

    def __init__(self, workspace: Workspace, troubles: Troubles) -> None:
        self._workspace = workspace
        self._troubles = troubles
        self._tickets: dict[str, _Ticket] = {}

    def issue(
        self, base_url: str, channel: str, user: str, *, workspace: Workspace | None = None, original: str = ""
    ) -> str:
        """`original`: ts of the message that was clicked on, which may be replaced or deleted."""
        where = workspace or self._workspace
        secret = secrets.token_urlsafe(16)
        self._tickets[secret] = _Ticket(where, channel, user, where.clock(), original)
        return f"{base_url}/{'actions' if original else 'commands'}/{where.team}/{secret}"

    async def receive(self, request: web.Request) -> web.Response:
        trouble, body = self._troubles.next("response_url"), await request.text()
        if trouble and trouble.only_slow:
            await asyncio.sleep(trouble.delay)
        elif trouble and not trouble.after_doing:
            return await trouble.answer(request)
        answer = self._take(request.match_info["secret"], body)
        return await trouble.answer(request) if trouble and not trouble.only_slow else answer

    def _take(self, secret: str, body: str) -> web.Response:
        ticket = self._tickets.get(secret)
        if ticket is None:
            return _refusal(404, "no_service")
        if ticket.workspace.clock() - ticket.issued_at > LIFETIME:
            return _refusal(404, "expired_url")
        if ticket.uses >= MOST_USES:
            return _refusal(404, "used_url")
        if ticket.workspace.channels[ticket.channel].is_archived:
            return _refusal(404, "is_archived")
        return self._do(ticket, body)

    def _do(self, ticket: _Ticket, body: str) -> web.Response:
        try:
            payload = json.loads(body)
        except ValueError:
            return _refusal(400, "invalid_payload")
        if not isinstance(payload, dict):
            return _refusal(400, "invalid_payload")
        original = ticket.workspace.find(ticket.channel, ticket.original)
        if payload.get("delete_original") is True and original is not None:
            ticket.workspace.delete(original)
            ticket.uses += 1
            return web.Response(text="ok")
        refused = check_message(payload)
        if refused:
            return _refusal(400, refused.code)
        ticket.uses += 1
        _show(ticket, payload, original)
        return web.Response(text="ok")


def _show(ticket: _Ticket, payload: Mapping[str, object], original: Message | None) -> None:
    if payload.get("replace_original") is True and original is not None:
        ticket.workspace.change(original, {**original.payload, "blocks": [], **payload}, BOT)
        return
    visible_to = None if payload.get("response_type") == "in_channel" else ticket.user
    ticket.workspace.post(ticket.channel, BOT, "response_url", payload, visible_to=visible_to)


def _refusal(status: int, code: str) -> web.Response:
    return web.json_response({"ok": False, "error": code}, status=status)
