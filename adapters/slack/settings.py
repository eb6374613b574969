"""What the Slack app needs to know, checked when it is made."""

import re
from dataclasses import dataclass, field

from yarl import URL

from rag_core.errors import Misconfigured

REDIRECT_PATH = "/slack/oauth_redirect"

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_PLACE = re.compile(r"[TE][A-Z0-9]{1,30}")


@dataclass(frozen=True, slots=True)
class AllowedWorkspaces:
    """Which workspaces and organisations may install the app, by id; of an organisation each workspace may.

    Raises Misconfigured: `setting_missing` for none (then nobody could), `slack_workspace_id` for what is no id.
    """

    places: frozenset[str]

    def __post_init__(self) -> None:
        if not self.places:
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_WORKSPACES")
        wrong = sorted(each for each in self.places if not _PLACE.fullmatch(each))
        if wrong:
            raise Misconfigured("slack_workspace_id", setting="ADPOLICY_SLACK_WORKSPACES", value=wrong[0])

    def holds(self, team: str, organisation: str) -> bool:
        return team in self.places or organisation in self.places


@dataclass(frozen=True, slots=True)
class OAuthSettings:
    """For many workspaces. `address`: where Slack and browsers reach the chat listener from outside.

    Raises Misconfigured: `setting_missing`, `slack_address_insecure` for an address over which codes would come
    unencrypted.
    """

    client_id: str
    client_secret: str = field(repr=False)
    address: str
    scopes: tuple[str, ...]
    allowed: AllowedWorkspaces

    def __post_init__(self) -> None:
        for value, setting in (
            (self.client_id, "ADPOLICY_SLACK_CLIENT_ID"),
            (self.client_secret, "ADPOLICY_SLACK_CLIENT_SECRET"),
            (self.address, "ADPOLICY_CHAT_URL"),
        ):
            if not value.strip():
                raise Misconfigured("setting_missing", setting=setting)
        if not _is_safe(self.address):
            raise Misconfigured("slack_address_insecure", setting="ADPOLICY_CHAT_URL", value=self.address)

    @property
    def redirect_uri(self) -> str:
        return f"{self.address.rstrip('/')}{REDIRECT_PATH}"

    @property
    def is_https(self) -> bool:
        return self.address.startswith("https://")


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """One workspace by its bot token, or many by OAuth, or both. `api_url` is Slack, or a stand-in for it on this
    machine. With `app_token` events come over Socket Mode, and over HTTP only if there is a signing secret as well.

    Raises Misconfigured: `setting_missing` without anything to act with, and without signing secret (anybody could sign
    with an empty one) where there is no app token; `slack_api_url_insecure` for one that would carry the token
    unencrypted to another machine.
    """

    bot_token: str = field(repr=False)
    signing_secret: str = field(repr=False)
    api_url: str = "https://slack.com/api/"
    app_token: str = field(default="", repr=False)
    oauth: OAuthSettings | None = None

    def __post_init__(self) -> None:
        if not self.takes_requests and not self.app_token.strip():
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_SIGNING_SECRET")
        if not self.bot_token.strip() and self.oauth is None:
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_BOT_TOKEN")
        if not _is_safe(self.api_url):
            raise Misconfigured("slack_api_url_insecure", setting="ADPOLICY_SLACK_API_URL", value=self.api_url)

    @property
    def takes_requests(self) -> bool:
        """Over HTTP: with an empty signing secret anybody could sign."""
        return bool(self.signing_secret.strip())


def _is_safe(address: str) -> bool:
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and url.host in _LOOPBACK))
