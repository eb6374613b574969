"""The methods of Slack's Web API that the bot needs, at `/api/{method}`."""

import json
from collections.abc import Callable, Mapping

from aiohttp import web

from ops.sandbox.slack.block_kit import blocks_of, check_message
from ops.sandbox.slack.people import Lookups
from ops.sandbox.slack.troubles import Troubles
from ops.sandbox.slack.workspace import BOT, Workspace

Answer = dict[str, object]


class WebApi:
    """Checks the token, then the channel, then the message, as Slack does; a refusal is `ok: false`, status 200."""

    def __init__(self, workspace: Workspace, troubles: Troubles, bot_token: str) -> None:
        self._workspace = workspace
        self._troubles = troubles
        self._tokens = {bot_token}
        self.lookups = Lookups(workspace)
        self.calls: list[str] = []
        self._methods: dict[str, Callable[[Mapping[str, object]], Answer]] = {
            "auth.test": self._auth_test,
            "chat.postMessage": self._post_message,
            **self.lookups.methods(),
        }

    def revoke(self) -> None:
        """From now on every call is answered `token_revoked`."""
        self._tokens.clear()

    async def receive(self, request: web.Request) -> web.Response:
        name = request.match_info["method"]
        self.calls.append(name)
        trouble = self._troubles.next(name)
        if trouble and not trouble.after_doing:
            return await trouble.answer()
        answer = self._call(name, request, await _arguments(request))
        return await trouble.answer() if trouble else web.json_response(answer)

    def _call(self, name: str, request: web.Request, arguments: Mapping[str, object]) -> Answer:
        method = self._methods.get(name)
        if method is None:
            return _no("unknown_method")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or arguments.get("token")
        if not token:
            return _no("not_authed")
        if token not in self._tokens:
            return _no("invalid_auth" if self._tokens else "token_revoked")
        return method(arguments)

    def _auth_test(self, _arguments: Mapping[str, object]) -> Answer:
        return {"ok": True, "team_id": self._workspace.team, "user_id": BOT, "bot_id": "BBOT", "user": "adpolicy"}

    def _post_message(self, arguments: Mapping[str, object]) -> Answer:
        channel = self._workspace.channels.get(str(arguments.get("channel")))
        if channel is None or (channel.is_private and BOT not in channel.members):
            return _no("channel_not_found")
        if channel.is_archived:
            return _no("is_archived")
        if BOT not in channel.members:
            return _no("not_in_channel")
        refused = check_message(arguments)
        if refused:
            return {**_no(refused.code), "response_metadata": {"messages": list(refused.messages)}}
        payload = {**arguments, "blocks": blocks_of(arguments)}
        payload.pop("token", None)
        message = self._workspace.post(channel.channel_id, BOT, "chat.postMessage", payload)
        return {"ok": True, "channel": channel.channel_id, "ts": message.ts, "message": payload}


def _no(code: str) -> Answer:
    return {"ok": False, "error": code}


async def _arguments(request: web.Request) -> Mapping[str, object]:
    """JSON or a form; query parameters count too."""
    query: dict[str, object] = {**request.query}
    if request.content_type == "application/json":
        try:
            found = json.loads(await request.text())
        except ValueError:
            return query
        return {**query, **found} if isinstance(found, dict) else query
    return {**query, **(await request.post())}
