"""What the Slack app needs to know, checked when it is made."""

from dataclasses import dataclass, field

from yarl import URL

from rag_core.errors import Misconfigured

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """One workspace by its bot token. `api_url` is Slack, or a stand-in for it on this machine. With `app_token` events
    come over Socket Mode, and over HTTP only if there is a signing secret as well.

    Raises Misconfigured: `setting_missing` without bot token, and without signing secret where there is no app token;
    `slack_api_url_insecure` for one that would carry the token unencrypted to another machine.
    """

    bot_token: str = field(repr=False)
    signing_secret: str = field(repr=False)
    api_url: str = "https://slack.com/api/"
    app_token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.takes_requests and not self.app_token.strip():
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_SIGNING_SECRET")
        if not self.bot_token.strip():
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
