"""What reading from Microsoft Graph takes, checked when it is made."""

import re
from dataclasses import dataclass, field

from yarl import URL

from rag_core.errors import Misconfigured

GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
GRAPH = "https://graph.microsoft.com/v1.0"
LOGIN = "https://login.microsoftonline.com"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """An app of Entra's with its secret, and the `tenants` whose people it is asked about.

    Raises Misconfigured: `setting_missing` without one of them; `teams_tenant_invalid`; `teams_url_insecure` for an
    address that would carry secret or token unencrypted to another machine.
    """

    app_id: str
    app_secret: str = field(repr=False)
    tenants: frozenset[str]
    graph_url: str = GRAPH
    login_url: str = LOGIN

    def __post_init__(self) -> None:
        given = {"APP_ID": self.app_id.strip(), "APP_SECRET": self.app_secret.strip(), "TENANTS": self.tenants}
        for name, value in given.items():
            if not value:
                raise Misconfigured("setting_missing", setting=f"ADPOLICY_TEAMS_{name}")
        for tenant in sorted(self.tenants):
            if GUID.fullmatch(tenant) is None:
                raise Misconfigured("teams_tenant_invalid", setting="ADPOLICY_TEAMS_TENANTS", value=tenant)
        for name, address in (("GRAPH_URL", self.graph_url), ("LOGIN_URL", self.login_url)):
            if not _is_safe(address):
                raise Misconfigured("teams_url_insecure", setting=f"ADPOLICY_TEAMS_{name}", value=address)

    def knows(self, tenant: str) -> bool:
        """Whether it is one of the tenants, however it is written."""
        return tenant.lower() in {each.lower() for each in self.tenants}


def tenants_of(value: str) -> frozenset[str]:
    """The tenants of a setting: ids, comma-separated."""
    return frozenset(each.strip().lower() for each in value.split(",") if each.strip())


def _is_safe(address: str) -> bool:
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and url.host in _LOOPBACK))
