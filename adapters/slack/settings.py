"""What the Slack app needs to know, checked when it is made."""

from dataclasses import dataclass, field

from yarl import URL

from rag_core.errors import Misconfigured

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """One workspace by its bot token. `api_url` is Slack, or a stand-in for it on this machine.

    Raises Misconfigured: `setting_missing` without token or signing secret (anybody could sign with an empty
    one), `slack_api_url_insecure` for one that would carry the token unencrypted to another machine.
    """

    bot_token: str = field(repr=False)
    signing_secret: str = field(repr=False)
    api_url: str = "https://slack.com/api/"

    def __post_init__(self) -> None:
        if not self.signing_secret.strip():
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_SIGNING_SECRET")
        if not self.bot_token.strip():
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_BOT_TOKEN")
        if not _is_safe(self.api_url):
            raise Misconfigured("slack_api_url_insecure", setting="ADPOLICY_SLACK_API_URL", value=self.api_url)


def _is_safe(address: str) -> bool:
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and url.host in _LOOPBACK))
