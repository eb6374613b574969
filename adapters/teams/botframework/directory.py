"""Who is in a conversation, by the connector."""

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.teams.addresses import TeamsReference
from adapters.teams.botframework.connecting import ConnectorClients
from adapters.teams.botframework.troubles import TROUBLES, ConnectorTrouble, translated
from adapters.teams.client import Answer, Json
from adapters.teams.ports import TeamsMember
from rag_core.errors import Unavailable

_PAGE = 500
_MOST_PAGES = 100
"""More are no conversation: Teams has 25,000 people in a team at most, and pages may hold fewer than were asked for."""

_NOT_IN_THERE = "MemberNotFoundInConversation"
_GUEST, _GUESTS = "guest", "#ext#"
"""A role, and what stands in the names of guests' accounts in a tenant."""


class BotFrameworkDirectory:
    """A `TeamsDirectory`. It reads what the connector answered: botbuilder's models of it lose `objectId`."""

    def __init__(self, clients: ConnectorClients) -> None:
        self._clients = clients

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        try:
            found = await self._conversations(to).get_conversation_member(_channel(to), user, raw=True)
        except ConnectorTrouble as exc:
            if exc.answer is not None and exc.answer.error == _NOT_IN_THERE:
                return None
            raise translated(exc) from exc
        except TROUBLES as exc:
            raise translated(exc) from exc
        member = _member(_body(found))
        if not member.user:
            raise Unavailable("teams_error", error="no_member", delivered="no")
        return member

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        found: list[TeamsMember] = []
        seen: set[str] = set()
        following = ""
        while True:
            page = await self._page(to, following)
            found += [_member(each) for each in _listed(page)]
            if len(found) > most:
                return None
            following = str(page.get("continuationToken") or "")
            if not following:
                return found
            if following in seen:
                raise Unavailable("teams_error", error="page_repeated", delivered="no")
            seen.add(following)
            if len(seen) == _MOST_PAGES:
                raise Unavailable("teams_error", error="pages_without_end", delivered="no")

    async def _page(self, to: TeamsReference, following: str) -> Json:
        try:
            return _body(
                await self._conversations(to).get_conversation_paged_members(
                    _channel(to), page_size=_PAGE, continuation_token=following or None, raw=True
                )
            )
        except TROUBLES as exc:
            raise translated(exc) from exc

    def _conversations(self, to: TeamsReference) -> Any:
        return self._clients.of(to.service_url).conversations


def _channel(to: TeamsReference) -> str:
    """A thread has no members of its own."""
    return to.conversation.partition(";")[0]


def _body(found: Any) -> Json:
    answer: Answer = found.response
    return answer.json


def _member(found: Json) -> TeamsMember:
    """Somebody of whom nothing can be read is there all the same, as nobody that may see anything."""
    person = _text(found, "aadObjectId") or _text(found, "objectId")
    is_guest = _GUESTS in _text(found, "userPrincipalName").lower()
    role = _GUEST if is_guest else _text(found, "userRole") or _text(found, "role")
    tenant = _text(found, "tenantId").lower()
    return TeamsMember(_text(found, "id"), person.lower(), _text(found, "name"), tenant, role)


def _listed(page: Json) -> list[Mapping[str, Any]]:
    """Raises Unavailable where there is no list: an empty conversation would be one that everything may be said in."""
    members = page.get("members")
    if not isinstance(members, list):
        raise Unavailable("teams_error", error="no_members", delivered="no")
    return [each if isinstance(each, dict) else {} for each in members]


def _text(of: Json, name: str) -> str:
    value = of.get(name)
    return value if isinstance(value, str) else ""
