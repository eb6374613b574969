"""What the Teams app and reading from Microsoft Graph take, checked when it is made."""

import re
from collections.abc import Collection, Mapping
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
_TENANTS_OF_BOTS = {"login.microsoftonline.us": "MicrosoftServices.onmicrosoft.us"}
"""Bot Framework's own tenant, by the host that one logs in at."""
BOTFRAMEWORK_TENANT = "botframework.com"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class AppType(StrEnum):
    """How the bot's app proves who it is. A multi-tenant bot cannot be made any more; those that exist go on.

    Managed identity: one that was made for the app, and has its id (user-assigned). System identity: that of the
    machine itself. Neither has a secret.
    """

    SINGLE_TENANT = "single-tenant"
    MULTI_TENANT = "multi-tenant"
    MANAGED_IDENTITY = "managed-identity"
    SYSTEM_IDENTITY = "system-identity"

    @property
    def has_secret(self) -> bool:
        return self in (AppType.SINGLE_TENANT, AppType.MULTI_TENANT)


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """An app of Entra's with its secret (a managed identity has none), and the `tenants` whose people it is asked
    about.

    Raises Misconfigured: `setting_missing` without one or `more` of them; `teams_tenant_invalid`; `teams_url_insecure`
    for an address that would carry secret or token unencrypted to another machine.
    """

    app_id: str
    app_secret: str = field(repr=False)
    tenants: frozenset[str]
    graph_url: str = GRAPH
    login_url: str = LOGIN
    app_type: AppType = AppType.SINGLE_TENANT

    def __post_init__(self) -> None:
        _check_given(_needed(self.app_id, self.app_secret, self.tenants, self.app_type))
        _check_tenants(TENANTS=self.tenants)
        _check_addresses(GRAPH_URL=self.graph_url, LOGIN_URL=self.login_url)

    def knows(self, tenant: str) -> bool:
        """Whether it is one of the tenants, however it is written."""
        return tenant.lower() in {each.lower() for each in self.tenants}


@dataclass(frozen=True, slots=True)
class TeamsSettings:
    """The bot: its app in Entra, and the `tenants` whose conversations it answers in. `app_tenant`: where the app is
    registered. `external`: guests and people of other organisations are answered, from public documents.

    `openid_url`, `issuer`: where Teams says with which keys it signs, and as whom. `scope`: what tokens are asked for.

    Raises Misconfigured: `setting_missing` (without app id anybody could speak as Teams; `more`: what else is),
    `teams_tenant_invalid`, `teams_app_id_invalid`, `teams_url_insecure`.
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
        needed = _needed(self.app_id, self.app_secret, self.tenants, self.app_type)
        is_single = self.app_type is AppType.SINGLE_TENANT
        if is_single and len(self.tenants) > 1:
            needed["APP_TENANT"] = self.app_tenant
        _check_given(needed)
        _check_tenants(TENANTS=self.tenants, APP_TENANT={self.home} if is_single else set())
        if GUID.fullmatch(self.app_id) is None:
            raise Misconfigured("teams_app_id_invalid", setting="ADPOLICY_TEAMS_APP_ID")
        _check_addresses(OPENID_URL=self.openid_url, LOGIN_URL=self.login_url)

    @property
    def home(self) -> str:
        """Where the app is registered: the only tenant, unless another one is named; "" where nobody knows."""
        return self.app_tenant.lower() or (next(iter(self.tenants)) if len(self.tenants) == 1 else "")

    @property
    def token_tenant(self) -> str:
        """The one that the bot's tokens are asked of: a multi-tenant app's are Bot Framework's own."""
        if self.app_type is not AppType.MULTI_TENANT:
            return self.home
        return _TENANTS_OF_BOTS.get(URL(self.login_url).host or "", BOTFRAMEWORK_TENANT)

    def allows(self, tenant: str) -> bool:
        return bool(tenant) and tenant.lower() in {each.lower() for each in self.tenants}


def _needed(app_id: str, app_secret: str, tenants: frozenset[str], app_type: AppType) -> dict[str, object]:
    """By the name of the setting, in the order in which they are made."""
    secret = {"APP_SECRET": app_secret.strip()} if app_type.has_secret else {}
    return {"APP_ID": app_id.strip(), **secret, "TENANTS": tenants}


def _check_given(needed: Mapping[str, object]) -> None:
    """All at once: who sets one after the other starts for each."""
    first, *more = [f"ADPOLICY_TEAMS_{name}" for name, value in needed.items() if not value] or [""]
    if first:
        raise Misconfigured("setting_missing", setting=first, **({"more": tuple(more)} if more else {}))


def _check_tenants(**given: Collection[str]) -> None:
    for name, tenants in given.items():
        for tenant in sorted(tenants):
            if GUID.fullmatch(tenant) is None:
                raise Misconfigured("teams_tenant_invalid", setting=f"ADPOLICY_TEAMS_{name}", value=tenant)


def _check_addresses(**addresses: str) -> None:
    for name, address in addresses.items():
        if not is_safe(address):
            raise Misconfigured("teams_url_insecure", setting=f"ADPOLICY_TEAMS_{name}", value=address)


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
