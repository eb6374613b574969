"""Who is in a conversation, as the connector tells it."""

from collections.abc import Mapping

from ops.sandbox.teams.people import Account
from ops.sandbox.teams.places import Place, base_of
from ops.sandbox.teams.refusals import bad_argument, conversation_not_found, member_not_found, not_in_roster
from ops.sandbox.teams.world import World

Answer = tuple[int, object]
MOST_IN_PAGE = 500


class Roster:
    """Everything raises TeamsRefusal; answers are status and body."""

    def __init__(self, world: World) -> None:
        self._world = world

    def everybody(self, tenant: str, conversation: str) -> Answer:
        """The old way: all at once."""
        return 200, [each.member() for each in self._people(tenant, conversation)]

    def page(self, tenant: str, conversation: str, asked: Mapping[str, str]) -> Answer:
        people = self._people(tenant, conversation)
        start, size = asked.get("continuationToken") or "0", asked.get("pageSize") or "200"
        if not start.isdigit() or not size.isdigit() or not 1 <= int(size) <= MOST_IN_PAGE:
            raise bad_argument("Unknown page")
        end = int(start) + min(int(size), self._world.page_size)
        answer: dict[str, object] = {"members": [each.member() for each in people[int(start) : end]]}
        if end < len(people):
            answer["continuationToken"] = str(end)
        return 200, answer

    def one(self, tenant: str, conversation: str, id_: str) -> Answer:
        place = self._place(tenant, conversation)
        found = self._world.account(id_)
        if found is None or found.number not in place.members:
            raise member_not_found()
        return 200, found.member()

    def _people(self, tenant: str, conversation: str) -> list[Account]:
        members = self._place(tenant, conversation).members
        return [self._world.accounts[each] for each in sorted(members)]

    def _place(self, tenant: str, conversation: str) -> Place:
        place = self._world.places.get(base_of(conversation))
        if place is None or place.is_deleted or place.tenant != tenant:
            raise conversation_not_found()
        if not place.is_installed and not place.is_opened:
            raise not_in_roster()
        return place
