"""Who is who in the pretended Teams."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

TENANT = "11111111-1111-1111-1111-111111111111"
OTHER_TENANT = "22222222-2222-2222-2222-222222222222"


class PersonKind(StrEnum):
    """MEMBER of the tenant. GUEST: has an account of his own in it. FEDERATED: of another organisation, without one.
    ANONYMOUS: joined by a link."""

    MEMBER = "user"
    GUEST = "guest"
    FEDERATED = "federated"
    ANONYMOUS = "anonymous"


@dataclass(frozen=True, slots=True)
class Account:
    """`user`: the `29:` id that bots see. `tenant`: the one in which he is met; `home`: his own organisation's."""

    number: int
    name: str
    tenant: str
    home: str
    kind: PersonKind = PersonKind.MEMBER

    @property
    def user(self) -> str:
        return f"29:user-{self.number}"

    @property
    def object_id(self) -> str:
        """In Entra; who has no account in the tenant has none there."""
        return "" if self.kind in (PersonKind.FEDERATED, PersonKind.ANONYMOUS) else object_id(self.number)

    @property
    def personal_chat(self) -> str:
        return f"a:chat-{self.number}"

    def sender(self) -> dict[str, object]:
        """`from` of an activity."""
        found: dict[str, object] = {"id": self.user, "name": self.name}
        if self.object_id:
            found["aadObjectId"] = self.object_id
        if self.home != self.tenant:
            found["tenantId"] = self.home
        return found

    def member(self) -> Mapping[str, object]:
        """As the roster of a conversation lists him."""
        first, _, last = self.name.partition(" ")
        address = f"person{self.number}@example.com"
        found: dict[str, object] = {
            "id": self.user,
            "name": self.name,
            "givenName": first,
            "surname": last,
            "tenantId": self.home if self.kind is PersonKind.FEDERATED else self.tenant,
            "userRole": "user" if self.kind is PersonKind.FEDERATED else str(self.kind),
        }
        if self.object_id:
            found |= {"aadObjectId": self.object_id, "objectId": self.object_id}
            found |= {"email": address, "userPrincipalName": address}
        return found


def object_id(number: int) -> str:
    return f"{number:08d}-0000-0000-0000-000000000000"
