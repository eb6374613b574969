"""Settings: where they come from, which are refused, and that the operator is told which one."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from adapters.slack.settings import SlackSettings
from ops.config import SAMPLE_CATALOGUE, Config, load_config
from ops.wording.general import explain
from rag_core.errors import Misconfigured


def load(tmp_path: Path, env_file: str = "", **settings: str) -> Config:
    """Settings by their names without the prefix, and the text of `.env`."""
    file = tmp_path / ".env"
    if env_file:
        file.write_text(env_file, encoding="utf-8")
    return load_config({f"ADPOLICY_{name}": value for name, value in settings.items()}, file)


def refused(tmp_path: Path, env_file: str = "", **settings: str) -> str:
    """What the operator reads."""
    with pytest.raises(Misconfigured) as raised:
        load(tmp_path, env_file, **settings)
    return explain(raised.value)


def test_nothing_need_be_set(tmp_path: Path) -> None:
    config = load(tmp_path)
    assert (config.data_dir, config.catalogue) == (Path(".adpolicy"), SAMPLE_CATALOGUE)
    assert (config.web_bind, config.web_address) == ("127.0.0.1:8080", "http://127.0.0.1:8080")
    assert not config.slack_is_configured


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    config = load(tmp_path, "ADPOLICY_WORKERS=2\nADPOLICY_FUSION=rrf\nOTHER=ignored\n", WORKERS="8")
    assert (config.workers, config.fusion) == (8, "rrf")


def test_a_secret_in_a_file_is_read_without_its_line_end(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n", encoding="utf-8")
    config = load(tmp_path, SLACK_SIGNING_SECRET_FILE=str(secret))
    assert config.slack_signing_secret is not None
    assert config.slack_signing_secret.get_secret_value() == "s3cret"


@pytest.mark.parametrize(("in_file", "in_environment"), [("", "_FILE"), ("_FILE", "")])
def test_the_environment_comes_before_the_file_in_either_spelling(
    in_file: str, in_environment: str, tmp_path: Path
) -> None:
    for name in ("low", "high"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    low, high = (
        (str(tmp_path / name) if suffix else name) for name, suffix in (("low", in_file), ("high", in_environment))
    )
    config = load(tmp_path, f"ADPOLICY_SLACK_BOT_TOKEN{in_file}={low}", **{f"SLACK_BOT_TOKEN{in_environment}": high})
    assert config.slack_bot_token is not None
    assert config.slack_bot_token.get_secret_value() == "high"


def test_a_setting_given_twice_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, SECRET_KEY="a", SECRET_KEY_FILE="/b")
    assert "ADPOLICY_SECRET_KEY and ADPOLICY_SECRET_KEY_FILE" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("DATA_DI", "Did you mean ADPOLICY_DATA_DIR?"),
        ("SLACK_TOKEN", "Did you mean ADPOLICY_SLACK_BOT_TOKEN?"),
        ("WORKERS_FILES", "ADPOLICY_WORKERS"),
        ("QQQQ", "There is no setting ADPOLICY_QQQQ. `python -m ops settings`"),
        ("", "There is no setting ADPOLICY_."),
    ],
)
def test_an_unknown_setting_is_refused_by_name(name: str, said: str, tmp_path: Path) -> None:
    sentence = refused(tmp_path, **{name: "x"})
    assert f"There is no setting ADPOLICY_{name}." in sentence
    assert said in sentence
    assert said in refused(tmp_path, f"ADPOLICY_{name}=x\n")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("CHAT_BIND", "nonsense", "host:port"),
        ("CHAT_BIND", "127.0.0.1:", "host:port"),
        ("CHAT_BIND", ":3000", "host:port"),
        ("CHAT_BIND", "127.0.0.1:99999", "host:port"),
        ("WEB_BIND", "127.0.0.1:-1", "host:port"),
        ("WORKERS", "0", "greater than or equal to 1"),
        ("WORKERS", "many", "integer"),
        ("ASK_SECONDS", "0", "greater than 0"),
        ("ASK_SECONDS", "nan", "less than or equal to 600"),
        ("FUSION", "best", "'minmax' or 'rrf'"),
        ("LOG_LEVEL", "LOUD", "'INFO'"),
        ("LOG_FORMAT", "xml", "'json'"),
        ("DATA_DIR", "", "empty"),
        ("CATALOGUE", "", "empty"),
        ("EMBEDDING_MODEL", "", "empty"),
        ("PUBLIC_URL", "policies.example", "https://host"),
        ("PUBLIC_URL", "javascript:alert(1)", "https://host"),
        ("PUBLIC_URL", "https://[broken", "Invalid IPv6"),
        ("TRUSTED_PROXIES", "10.0.0.1, proxy", "'proxy'"),
        ("OIDC_ISSUER", "http://login.example", "https"),
        ("OIDC_ISSUER", "https://user:pass@login.example", "without user"),  # pragma: allowlist secret
        ("OIDC_ISSUER", "login.example", "https://host"),
        ("WEB_SESSION_HOURS", "0", "greater than 0"),
        ("WEB_ORIGINS", "*", "origin"),
        ("WEB_ORIGINS", "null", "origin"),
        ("WEB_ORIGINS", "https://dash.example/", "origin"),
        ("WEB_ORIGINS", "https://*.example", "origin"),
        ("WEB_ORIGINS", "https://a.example, dash.example", "dash.example"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_setting(name: str, value: str, said: str, tmp_path: Path) -> None:
    sentence = refused(tmp_path, **{name: value})
    assert sentence.startswith(f"ADPOLICY_{name} cannot be used: ")
    assert said in sentence
    assert "Value error" not in sentence


@pytest.mark.parametrize("bind", ["0.0.0.0:8080", "[::]:8080", "192.0.2.7:80", "policies.example:80"])
def test_the_web_listener_stays_on_this_machine(bind: str, tmp_path: Path) -> None:
    sentence = refused(tmp_path, WEB_BIND=bind)
    assert sentence.startswith(f"ADPOLICY_WEB_BIND is {bind}")


def test_no_proxy_lets_in_whom_nobody_asks(tmp_path: Path) -> None:
    sentence = refused(tmp_path, TRUSTED_PROXIES="127.0.0.1")
    assert sentence.startswith("ADPOLICY_TRUSTED_PROXIES is 127.0.0.1")
    assert load(tmp_path, TRUSTED_PROXIES="127.0.0.1", WEB_TOKENS="true").is_protected
    assert not load(tmp_path, TRUSTED_PROXIES=" ,").is_protected


@pytest.mark.parametrize(
    "protection",
    [{"WEB_TOKENS": "true"}, {"OIDC_ISSUER": "https://login.example", "OIDC_AUDIENCE": "adpolicy"}],
)
def test_it_may_be_reached_from_outside_where_it_asks_who_it_is(protection: dict[str, str], tmp_path: Path) -> None:
    config = load(tmp_path, WEB_BIND="0.0.0.0:8080", **protection)
    assert (config.web_bind, config.is_protected) == ("0.0.0.0:8080", True)
    assert not load(tmp_path).is_protected


@pytest.mark.parametrize("given", [{"OIDC_ISSUER": "https://login.example"}, {"OIDC_AUDIENCE": "adpolicy"}])
def test_an_issuer_without_an_audience_is_none(given: dict[str, str], tmp_path: Path) -> None:
    assert "ADPOLICY_OIDC_ISSUER and ADPOLICY_OIDC_AUDIENCE belong together" in refused(tmp_path, **given)


@pytest.mark.parametrize("bind", ["127.0.0.1:0", "127.8.8.8:8080", "[::1]:8080", "localhost:8080"])
def test_loopback_addresses_are_taken(bind: str, tmp_path: Path) -> None:
    assert load(tmp_path, WEB_BIND=bind).web_bind == bind


def test_the_chat_listener_may_be_reached_from_outside(tmp_path: Path) -> None:
    assert load(tmp_path, CHAT_BIND="0.0.0.0:3000").chat_bind == "0.0.0.0:3000"


def test_the_public_address_is_where_links_lead(tmp_path: Path) -> None:
    assert load(tmp_path, PUBLIC_URL="https://policies.example/").web_address == "https://policies.example"


@pytest.mark.parametrize("path", ["missing", "."])
def test_a_file_that_cannot_be_read_is_named(path: str, tmp_path: Path) -> None:
    said = refused(tmp_path, SLACK_BOT_TOKEN_FILE=str(tmp_path / path))
    assert "ADPOLICY_SLACK_BOT_TOKEN_FILE" in said
    assert str(tmp_path / path) in said


def test_files_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "binary" in refused(tmp_path, SECRET_KEY_FILE=str(tmp_path / "binary"))
    (tmp_path / ".env").write_bytes(b"ADPOLICY_DATA_DIR=\xff\n")
    assert ".env" in refused(tmp_path)


def test_secrets_are_not_printed(tmp_path: Path) -> None:
    config = load(tmp_path, SLACK_BOT_TOKEN="xoxb-t0ken", SECRET_KEY="k3y")
    assert "xoxb-t0ken" not in repr(config)
    assert "k3y" not in str(config)


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load(tmp_path).workers = 3  # type: ignore[misc]


def test_an_empty_signing_secret_counts_as_set_and_is_refused_by_name(tmp_path: Path) -> None:
    config = load(tmp_path, SLACK_SIGNING_SECRET="")
    assert config.slack_is_configured
    with pytest.raises(Misconfigured) as raised:
        SlackSettings("xoxb-1", "")
    assert "ADPOLICY_SLACK_SIGNING_SECRET" in explain(raised.value)
