"""What the Teams app and reading from Microsoft Graph take, checked when it is made."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from yarl import URL

from rag_core.errors import Misconfigured

GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
GRAPH = "https://graph.microsoft.com/v1.0"
LOGIN = "https://login.microsoftonline.com"
OPENID = "https://login.botframework.com/v1/.well-known/openidconfiguration"
ISSUER = "https://api.botframework.com"
SCOPE = "https://api.botframework.com/.default"
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
            if not is_safe(address):
                raise Misconfigured("teams_url_insecure", setting=f"ADPOLICY_TEAMS_{name}", value=address)

    def knows(self, tenant: str) -> bool:
        """Whether it is one of the tenants, however it is written."""
        return tenant.lower() in {each.lower() for each in self.tenants}


class AppType(StrEnum):
    """How the bot's app proves who it is. A multi-tenant bot cannot be made any more; those that exist go on."""

    SINGLE_TENANT = "single-tenant"
    MULTI_TENANT = "multi-tenant"
    MANAGED_IDENTITY = "managed-identity"


@dataclass(frozen=True, slots=True)
class TeamsSettings:
    """The bot: its app in Entra, and the `tenants` whose conversations it answers in. `app_tenant`: where the app is
    registered. `external`: guests and people of other organisations are answered, from public documents.

    `openid_url`, `issuer`: where Teams says with which keys it signs, and as whom. `scope`: what tokens are asked for.

    Raises Misconfigured: `setting_missing` (without app id anybody could speak as Teams), `teams_tenant_invalid`,
    `teams_app_id_invalid`, `teams_url_insecure`.
    """

    app_id: str
    tenants: frozenset[str]
    app_secret: str = field(default="", repr=False)
    app_type: AppType = AppType.SINGLE_TENANT
    app_tenant: str = ""
    external: bool = False
    openid_url: str = OPENID
    issuer: str = ISSUER
    scope: str = SCOPE
    login_url: str = LOGIN

    def __post_init__(self) -> None:
        needed: dict[str, object] = {"APP_ID": self.app_id.strip(), "TENANTS": self.tenants}
        if self.app_type is not AppType.MANAGED_IDENTITY:
            needed["APP_SECRET"] = self.app_secret.strip()
        for name, value in needed.items():
            if not value:
                raise Misconfigured("setting_missing", setting=f"ADPOLICY_TEAMS_{name}")
        if GUID.fullmatch(self.app_id) is None:
            raise Misconfigured("teams_app_id_invalid", setting="ADPOLICY_TEAMS_APP_ID", value=self.app_id)
        for tenant in sorted(self.tenants):
            if GUID.fullmatch(tenant) is None:
                raise Misconfigured("teams_tenant_invalid", setting="ADPOLICY_TEAMS_TENANTS", value=tenant)
        for name, address in (("OPENID_URL", self.openid_url), ("LOGIN_URL", self.login_url)):
            if not is_safe(address):
                raise Misconfigured("teams_url_insecure", setting=f"ADPOLICY_TEAMS_{name}", value=address)
        if self.app_type is AppType.SINGLE_TENANT and GUID.fullmatch(self.home) is None:
            raise Misconfigured("setting_missing", setting="ADPOLICY_TEAMS_APP_TENANT")

    @property
    def home(self) -> str:
        """Where the app is registered: the only tenant, unless another one is named; "" where nobody knows."""
        return self.app_tenant.lower() or (next(iter(self.tenants)) if len(self.tenants) == 1 else "")

    def allows(self, tenant: str) -> bool:
        return bool(tenant) and tenant.lower() in {each.lower() for each in self.tenants}


def tenants_of(value: str) -> frozenset[str]:
    """The tenants of a setting: ids, comma-separated."""
    return frozenset(each.strip().lower() for each in value.split(",") if each.strip())


def is_safe(address: str) -> bool:
    """Whether secrets and tokens may go there: encrypted, or to this machine."""
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and url.host in _LOOPBACK))
