import pytest

from adapters.slack.settings import AllowedWorkspaces, OAuthSettings, SlackSettings
from rag_core.errors import Misconfigured


@pytest.mark.parametrize("secret", ["", "  "])
def test_an_empty_signing_secret_stops_the_start(secret: str) -> None:
    with pytest.raises(Misconfigured) as found:
        SlackSettings("xoxb-1", secret)
    assert found.value.code == "setting_missing"
    assert found.value.details == {"setting": "ADPOLICY_SLACK_SIGNING_SECRET"}


def test_an_empty_token_stops_the_start() -> None:
    with pytest.raises(Misconfigured) as found:
        SlackSettings("", "secret")
    assert found.value.details == {"setting": "ADPOLICY_SLACK_BOT_TOKEN"}


@pytest.mark.parametrize("url", ["http://slack.example/api/", "ftp://127.0.0.1/", "slack.com", "http://[", ""])
def test_an_api_that_would_get_the_token_in_the_clear_stops_the_start(url: str) -> None:
    with pytest.raises(Misconfigured, match="ADPOLICY_SLACK_API_URL"):
        SlackSettings("xoxb-1", "secret", url)


@pytest.mark.parametrize("url", ["https://slack.com/api/", "http://127.0.0.1:3001/api/", "http://localhost:1/api/"])
def test_slack_and_a_stand_in_on_this_machine_are_fine(url: str) -> None:
    assert SlackSettings("xoxb-1", "secret", url).api_url == url


def test_secrets_are_not_printed() -> None:
    shown = repr(SlackSettings("xoxb-token", "the-secret"))
    assert "xoxb-token" not in shown
    assert "the-secret" not in shown


LISTED = AllowedWorkspaces(frozenset({"T1", "E1"}))


def oauth(**given: str) -> OAuthSettings:
    whole = {"client_id": "1.1", "client_secret": "x", "address": "https://bot.example"}  # pragma: allowlist secret
    return OAuthSettings(**{**whole, **given}, scopes=("commands",), allowed=LISTED)


def test_with_oauth_no_token_is_needed() -> None:
    assert SlackSettings("", "secret", oauth=oauth()).bot_token == ""


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ({"client_id": ""}, "ADPOLICY_SLACK_CLIENT_ID"),
        ({"client_secret": " "}, "ADPOLICY_SLACK_CLIENT_SECRET"),
        ({"address": ""}, "ADPOLICY_CHAT_URL"),
    ],
)
def test_half_of_oauth_stops_the_start(given: dict[str, str], setting: str) -> None:
    with pytest.raises(Misconfigured) as found:
        oauth(**given)
    assert (found.value.code, found.value.details) == ("setting_missing", {"setting": setting})


def test_without_a_list_nobody_could_install_so_it_does_not_start() -> None:
    with pytest.raises(Misconfigured) as found:
        AllowedWorkspaces(frozenset())
    assert found.value.details == {"setting": "ADPOLICY_SLACK_WORKSPACES"}


@pytest.mark.parametrize("value", ["sandbox", "*", "C1", "t1", "T", "T1 "])
def test_what_is_no_id_is_not_on_a_list(value: str) -> None:
    with pytest.raises(Misconfigured, match="slack_workspace_id"):
        AllowedWorkspaces(frozenset({"T1", value}))


def test_codes_come_over_https_or_stay_on_this_machine() -> None:
    for address in ("http://bot.example", "ftp://127.0.0.1", "bot.example"):
        with pytest.raises(Misconfigured, match="slack_address_insecure"):
            oauth(address=address)
    assert oauth(address="https://bot.example/").redirect_uri == "https://bot.example/slack/oauth_redirect"
    assert oauth(address="http://127.0.0.1:3000").is_https is False


def test_who_is_on_the_list() -> None:
    for team, organisation, holds in (
        ("T1", "", True), ("T2", "", False), ("T7", "E1", True), ("", "E1", True), ("", "", False), ("T1", "E9", True),
        ("", "E9", False),
    ):  # fmt: skip
        assert LISTED.holds(team, organisation) is holds


def test_the_clients_secret_is_not_printed() -> None:
    made = oauth(client_secret="the-client")  # pragma: allowlist secret
    assert "the-client" not in repr(SlackSettings("", "s", oauth=made))
