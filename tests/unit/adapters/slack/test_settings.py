import pytest

from adapters.slack.settings import SlackSettings
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
