"""Microsoft Graph as far as the bot asks it: people, groups, chats, channels, teams; in pages, with its own codes."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from aiohttp import web

from ops.sandbox.teams.graph_messages import USUAL, asked
from ops.sandbox.teams.refusals import TeamsRefusal

Entries = list[dict[str, object]]
MOST_GROUPS = 20
"""`checkMemberGroups` takes no more."""


class GraphFacts(Protocol):
    """What Graph knows; None, and nobody, for what it does not."""

    def user(self, id_: str) -> dict[str, object] | None: ...

    def group(self, id_: str) -> set[str] | None:
        """Ids of direct members, people and groups."""
        ...

    def members(self, id_: str, team: str = "") -> Entries | None:
        """Of a channel of this team's; of a chat where it is ""."""
        ...

    def team(self, id_: str) -> tuple[str, list[str]] | None:
        """Visibility, and ids of owners."""
        ...

    def replies(self, team: str, channel: str, thread: str) -> Entries | None:
        """Messages below the one that a thread begins with. Raises TeamsRefusal where the app may not read them, as the
        two below."""
        ...

    def posts(self, team: str, channel: str) -> Entries | None:
        """Messages that threads begin with."""
        ...

    def chat_messages(self, chat: str) -> Entries | None: ...


@dataclass
class GraphApi:
    """`page` entries come at once. `troubles` are answered first: (status, Retry-After or None). `calls`: method and
    path of each. `check`: whether an Authorization header is taken. `next_host`: where further pages are, "" for
    here."""

    facts: GraphFacts
    check: Callable[[str], bool]
    base_url: str = ""
    page: int = 100
    next_host: str = ""
    troubles: deque[tuple[int, int | None]] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)

    def routes(self) -> list[web.RouteDef]:
        return [
            self._get("/v1.0/users/{id}", self._user),
            web.post("/v1.0/users/{id}/checkMemberGroups", self._checked_groups),
            self._get("/v1.0/groups/{id}/transitiveMembers", self._inside),
            self._get("/v1.0/groups/{id}/owners", self._owners),
            self._get("/v1.0/chats/{id}/members", self._chat),
            self._get("/v1.0/teams/{id}", self._team),
            self._get("/v1.0/teams/{team}/channels/{id}/allMembers", self._channel),
            self._get("/v1.0/chats/{id}/messages", self._chat_messages),
            self._get("/v1.0/teams/{team}/channels/{id}/messages", self._posts),
            self._get("/v1.0/teams/{team}/channels/{id}/messages/{thread}/replies", self._replies),
        ]

    def inside(self, name: str) -> set[str]:
        """People and groups in a group, however deep."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for each in (self.facts.group(waiting.pop()) or set()) - found:
                found.add(each)
                waiting.append(each)
        return found

    def _get(self, path: str, answer: Callable[[web.Request], web.Response]) -> web.RouteDef:
        async def answered(request: web.Request) -> web.Response:
            try:
                return self._refusal(request) or answer(request)
            except TeamsRefusal as refusal:
                return refused(refusal.status, refusal.code)

        return web.get(path, answered)

    def trouble(self, request: web.Request) -> web.Response | None:
        """Notes the call; what is answered in place of everything else."""
        self.calls.append(f"{request.method} {request.path}")
        if not self.troubles:
            return None
        status, retry_after = self.troubles.popleft()
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return web.json_response({"error": {"code": "trouble"}}, status=status, headers=headers)

    def _refusal(self, request: web.Request) -> web.Response | None:
        trouble = self.trouble(request)
        if trouble is None and not self.check(request.headers.get("Authorization", "")):
            return refused(401, "InvalidAuthenticationToken")
        return trouble

    def _user(self, request: web.Request) -> web.Response:
        user = self.facts.user(request.match_info["id"].lower())
        if user is None:
            return refused(404, "Request_ResourceNotFound")
        wanted = request.query.get("$select", ",".join(user)).split(",")
        return web.json_response({name: user[name] for name in wanted})

    async def _checked_groups(self, request: web.Request) -> web.Response:
        wrong = self._refusal(request)
        if wrong is not None:
            return wrong
        ids = (await request.json())["groupIds"]
        if len(ids) > MOST_GROUPS:
            return refused(400, "Request_BadRequest")
        who = request.match_info["id"].lower()
        return web.json_response({"value": [each for each in ids if who in self.inside(each)]})

    def _inside(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        if self.facts.group(name) is None:
            return refused(404, "Request_ResourceNotFound")
        return self._paged(request, [{"id": each} for each in sorted(self.inside(name))])

    def _owners(self, request: web.Request) -> web.Response:
        found = self.facts.team(request.match_info["id"].lower())
        if found is None:
            return refused(404, "Request_ResourceNotFound")
        return self._paged(request, [{"id": each} for each in found[1]])

    def _chat(self, request: web.Request) -> web.Response:
        return self._listed(request, self.facts.members(request.match_info["id"]))

    def _team(self, request: web.Request) -> web.Response:
        found = self.facts.team(request.match_info["id"].lower())
        if found is None:
            return refused(404, "NotFound")
        return web.json_response({"id": request.match_info["id"], "visibility": found[0]})

    def _channel(self, request: web.Request) -> web.Response:
        return self._listed(request, self.facts.members(request.match_info["id"], request.match_info["team"].lower()))

    def _replies(self, request: web.Request) -> web.Response:
        team, channel, thread = (request.match_info[name] for name in ("team", "id", "thread"))
        return self._messages(request, self.facts.replies(team.lower(), channel, thread))

    def _posts(self, request: web.Request) -> web.Response:
        return self._messages(request, self.facts.posts(request.match_info["team"].lower(), request.match_info["id"]))

    def _chat_messages(self, request: web.Request) -> web.Response:
        return self._messages(request, self.facts.chat_messages(request.match_info["id"]), of_chat=True)

    def _messages(self, request: web.Request, found: Entries | None, *, of_chat: bool = False) -> web.Response:
        if found is None:
            return refused(404, "NotFound")
        return self._paged(request, asked(found, request.query, of_chat=of_chat), USUAL)

    def _listed(self, request: web.Request, found: Entries | None) -> web.Response:
        return refused(404, "NotFound") if found is None else self._paged(request, found)

    def _paged(self, request: web.Request, entries: Entries, usual: int = 100) -> web.Response:
        start = int(request.query.get("$skiptoken", "0"))
        end = start + min(self.page, int(request.query.get("$top", usual)))
        answer: dict[str, object] = {"value": entries[start:end]}
        if end < len(entries):
            host = self.next_host or self.base_url
            answer["@odata.nextLink"] = f"{host}{request.rel_url.update_query({'$skiptoken': str(end)})}"
        return web.json_response(answer)


def refused(status: int, code: str) -> web.Response:
    return web.json_response({"error": {"code": code, "message": "no"}}, status=status)
