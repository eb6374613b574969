"""Every setting, read once: environment before `.env`, prefix ADPOLICY_, `..._FILE` for what stands in a file."""

import difflib
import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import BaseModel, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from adapters.oidc.settings import is_safe
from bot.model.posted import KEPT_DAYS
from rag_core.errors import Misconfigured


class ChatSettings(BaseModel):
    """Each field is ADPOLICY_ and its name in capitals."""

    chat_url: str = Field("", description="Public address of the chat listener (https://...).")
    slack_bot_token: SecretStr | None = Field(None, description="Slack: bot user OAuth token (xoxb-...).")
    slack_signing_secret: SecretStr | None = Field(None, description="Slack: signing secret of the app.")
    slack_app_token: SecretStr | None = Field(
        None, description="Slack: app-level token (xapp-...) for Socket Mode, which needs no public address."
    )
    slack_client_id: str = Field("", description="Slack: client id, for installation in several workspaces (OAuth).")
    slack_client_secret: SecretStr | None = Field(None, description="Slack: client secret of the app.")
    slack_workspaces: str = Field(
        "", description="Slack: workspaces and organisations that may install the app, by id, comma-separated."
    )
    slack_external: bool = Field(
        False, description="Slack: answer guests and shared channels, from public documents only."
    )
    slack_api_url: str = Field("https://slack.com/api/", description="Slack: API address; tests use another one.")
    teams_app_id: str = Field("", description="Teams: id of the app in Microsoft Entra, which also reads groups.")
    teams_app_secret: SecretStr | None = Field(None, description="Teams: client secret of the app.")
    teams_app_type: Literal["single-tenant", "multi-tenant", "managed-identity", "system-identity"] = Field(
        "single-tenant", description="Teams: how the app authenticates; managed identities of Azure need no secret."
    )
    teams_app_tenant: str = Field("", description="Teams: tenant of the app, if ADPOLICY_TEAMS_TENANTS lists several.")
    teams_tenants: str = Field("", description="Teams: tenants in which the bot answers, by id, comma-separated.")
    teams_external: bool = Field(
        False, description="Teams: answer guests and users of other organisations, from public documents only."
    )
    teams_openid_url: str = Field(
        "https://login.botframework.com/v1/.well-known/openidconfiguration",
        description="Teams: address of the signing keys; differs in other clouds.",
    )
    teams_issuer: str = Field(
        "https://api.botframework.com", description="Teams: issuer of incoming tokens; differs in other clouds."
    )
    teams_bot_scope: str = Field(
        "https://api.botframework.com/.default", description="Teams: scope of outgoing tokens; differs in other clouds."
    )
    teams_graph_url: str = Field(
        "https://graph.microsoft.com/v1.0", description="Microsoft Graph: address; differs in other clouds."
    )
    teams_login_url: str = Field(
        "https://login.microsoftonline.com", description="Microsoft Entra: sign-in address; differs in other clouds."
    )
    alert_settle_seconds: float = Field(
        60.0,
        ge=0,
        le=900,
        description="Seconds without a further change before alerts are sent.",
    )
    digest_hour: int = Field(8, ge=0, le=23, description="Hour (UTC) at which digests are sent.")
    groups_minutes: float = Field(10.0, ge=0, le=1440, description="How long group memberships are cached.")

    @property
    def slack_is_configured(self) -> bool:
        """Whether anything of Slack is set: then all that it needs must be."""
        given = (self.slack_bot_token, self.slack_signing_secret, self.slack_app_token)
        return any(each is not None for each in given) or self.slack_takes_many

    @property
    def slack_takes_many(self) -> bool:
        """Whether anything of OAuth is set: then all that it needs must be."""
        return bool(self.slack_client_id or self.slack_client_secret)

    @property
    def teams_is_configured(self) -> bool:
        """Whether anything of Teams is set: then all that it needs must be."""
        return bool(self.teams_app_id or self.teams_app_secret or self.teams_tenants or self.teams_app_tenant)


PREFIX = "ADPOLICY_"
_FILE = "_FILE"
_SCHEMES = {
    "database_url": ("postgresql", "postgres", "postgresql+asyncpg", "sqlite"),
    "opensearch_url": ("https", "http"),
    "redis_url": ("rediss", "redis", "redis+sentinel", "rediss+sentinel", "unix"),
}
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::\d{1,5})?|https?://\[[0-9a-f:]+\](?::\d{1,5})?")
_ROOT = Path(__file__).resolve().parent.parent
SAMPLE_CATALOGUE = _ROOT / "ingest" / "sample" / "catalogue.yaml"


def names(value: str) -> list[str]:
    """What a comma-separated setting lists."""
    return [each.strip() for each in value.split(",") if each.strip()]


class Config(ChatSettings, BaseSettings):
    """The settings. Each field is ADPOLICY_ and its name in capitals."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    data_dir: Path = Field(Path(".adpolicy"), description="Folder of the embedded store and index.")
    catalogue: Path = Field(SAMPLE_CATALOGUE, description="YAML file that names the policy documents.")
    public_url: str = Field("", description="Address under which people reach the web pages; for citation links.")
    secret_key: SecretStr | None = Field(
        None,
        description="Encrypts reply addresses, Slack tokens and the pseudonym key, and signs Teams cards; several, "
        "comma-separated, newest first. Default: a key made in the data folder.",
    )
    chat_bind: str = Field("127.0.0.1:3000", description="Listener for chat platforms (host:port).")
    web_bind: str = Field(
        "127.0.0.1:8080",
        description="Listener for web pages and REST (host:port); another address needs tokens or an issuer.",
    )
    web_tokens: bool = Field(
        False, description="Whether web pages and REST ask for credentials and take tokens (`python -m ops tokens`)."
    )
    web_session_hours: float = Field(12.0, gt=0, le=720, description="How long a sign-in to the web pages lasts.")
    web_origins: str = Field(
        "", description="Origins whose pages may call REST from a browser (CORS), comma-separated. Default: none."
    )
    oidc_issuer: str = Field("", description="OpenID Connect: issuer whose JWTs the web pages and REST accept.")
    oidc_audience: str = Field("", description="OpenID Connect: audience that a JWT must name (`aud`).")
    oidc_person_claim: str = Field("sub", description="OpenID Connect: claim that identifies the user.")
    oidc_groups_claim: str = Field("groups", description="OpenID Connect: claim with the groups (`oidc:NAME`).")
    oidc_permissions_claim: str = Field(
        "", description="OpenID Connect: claim with ask, read, metrics (`scope`, `roles`). Default: all may ask, read."
    )
    trusted_proxies: str = Field("", description="Addresses of reverse proxies, comma-separated.")
    database_url: SecretStr | None = Field(
        None, description="postgresql://user:***@host/name. Default: SQLite in the data folder."
    )
    database_pool: int = Field(10, ge=1, le=200, description="PostgreSQL: most connections of one process.")
    database_seconds: float = Field(10.0, gt=0, le=600, description="PostgreSQL: time limit of one statement.")
    opensearch_url: SecretStr | None = Field(
        None, description="https://host:9200, several comma-separated. Default: an index in the data folder."
    )
    opensearch_username: str = Field("", description="OpenSearch: user for basic authentication.")
    opensearch_password: SecretStr | None = Field(None, description="OpenSearch: its password.")
    opensearch_ca_file: Path | None = Field(None, description="OpenSearch: certificates to trust (PEM).")
    opensearch_aws_region: str = Field("", description="OpenSearch: sign requests for AWS (SigV4) in this region.")
    opensearch_aws_service: Literal["es", "aoss"] = Field(
        "es", description="OpenSearch: AWS service name in the signature."
    )
    opensearch_index: str = Field("adpolicy", description="OpenSearch: prefix of alias and index names.")
    opensearch_shards: int = Field(1, ge=1, le=64, description="OpenSearch: primary shards of the index.")
    opensearch_replicas: int | None = Field(
        None, ge=0, le=10, description="OpenSearch: copies of each shard. Default: one where there is a second node."
    )
    opensearch_seconds: float = Field(10.0, gt=0, le=600, description="OpenSearch: time limit of one request.")
    redis_url: SecretStr | None = Field(
        None,
        description="redis://, rediss://, or redis+sentinel://host:26379,host/name/0. Default: in the process.",
    )
    redis_prefix: str = Field("adpolicy", description="Redis: prefix of every key.")
    redis_seconds: float = Field(1.0, gt=0, le=60, description="Redis: time limit of one command.")
    memory_hours: float = Field(24.0, gt=0, le=8760, description="How long an idle conversation is remembered.")
    limit_person: str = Field("20/minute", description="Questions per user; empty: no limit.")
    limit_channel: str = Field("60/minute", description="Questions per channel.")
    limit_workspace: str = Field("600/minute", description="Questions per workspace or tenant.")
    limit_requests: str = Field("600/minute", description="Requests per authenticated web caller.")
    limit_all_requests: str = Field("6000/minute", description="Requests of all authenticated web callers together.")
    limit_failures: str = Field("30/minute", description="Wrong credentials per address.")
    unrecorded: Literal["spool", "refuse"] = Field(
        "spool", description="While the database is down: answer and record later (spool), or do not answer (refuse)."
    )
    spool_megabytes: int = Field(64, ge=1, le=10_000, description="Largest size of the spool.")
    audit_key: SecretStr | None = Field(
        None, description="Signs checkpoints of the record (ops/docs/audit.md). Default: a key made in the data folder."
    )
    audit_trusted_keys: str = Field(
        "",
        description="Further public keys whose checkpoints are trusted, comma-separated: earlier keys, other servers'.",
    )
    audit_checkpoints: Path | None = Field(
        None, description="File that checkpoints are appended to. Default: audit-checkpoints.jsonl in the data folder."
    )
    reveal_restricted: bool = Field(
        False, description="Whether a user who names a restricted document is told that it exists and whom to ask."
    )
    fusion: Literal["minmax", "rrf"] = Field("minmax", description="How keyword and vector scores are combined.")
    rule_reader: str = Field(
        "packaged",
        description="Model that judges rules: packaged, none (quotes without verdicts), or an ONNX file of its kind.",
    )
    reranker: str = Field(
        "none", description="Re-ranking model: none, or the folder or name of a sentence-transformers cross-encoder."
    )
    reranker_seconds: float = Field(3.0, gt=0, le=600, description="Time limit of the re-ranking model for one search.")
    embedding_model: Path | None = Field(
        None, description="Folder with model.onnx and tokenizer.json. Default: the packaged all-MiniLM-L6-v2."
    )
    embedding_multilingual: bool = Field(
        False, description="Whether the embedding model reads other languages than English; if not, they are refused."
    )
    model: Literal["none", "llama", "openai"] = Field(
        "none", description="Language model: none, llama.cpp in the process, or an OpenAI-compatible address."
    )
    model_path: Path | None = Field(None, description="llama: GGUF file. Default: the packaged SmolLM2.")
    model_threads: int | None = Field(None, ge=1, le=256, description="llama: threads. Default: half of the cores.")
    model_url: str = Field("", description="openai: address with the version, https://host/v1.")
    model_key: SecretStr | None = Field(None, description="openai: API key, if the address requires one.")
    model_key_over_http: bool = Field(
        False, description="openai: whether the key may be sent unencrypted outside private networks."
    )
    model_name: str = Field("", description="openai: name of the model.")
    model_tokenizer: Path | None = Field(
        None, description="openai: the model's tokenizer.json, to count tokens exactly. Default: an upper estimate."
    )
    model_seconds: float = Field(15.0, gt=0, le=600, description="Time limit of the language model for one answer.")
    model_window: int = Field(8_192, ge=2_048, le=2_000_000, description="Context window: tokens read and written.")
    model_price_read: float | None = Field(None, ge=0, description="Price of 1,000 tokens read, in any currency.")
    model_price_written: float | None = Field(None, ge=0, description="Price of 1,000 tokens written.")
    model_usage_days: int = Field(400, ge=1, le=36_500, description="How long model calls are kept.")
    keep_conversations_days: int = Field(
        90, ge=0, le=36_500, description="How long conversations are kept after their last question; 0: forever."
    )
    keep_answers_days: int = Field(
        400, ge=0, le=36_500, description="How long answers and their traces are kept; 0: forever."
    )
    keep_feedback_days: int = Field(400, ge=0, le=36_500, description="How long feedback is kept; 0: forever.")
    keep_posted_days: int = Field(
        KEPT_DAYS, ge=0, le=36_500, description="How long a chat thread can be continued; 0: forever."
    )
    keep_inbox_days: int = Field(
        7, ge=1, le=365, description="How long keys of answered deliveries are kept; no text is kept."
    )
    keep_notices_days: int = Field(
        90, ge=1, le=365, description="How long ids of sent alerts are kept; no text is kept."
    )
    keep_personal_days: int = Field(
        1_095,
        ge=0,
        le=36_500,
        description="How long the personal fields of the record are kept (who asked what); 0: forever.",
    )
    ask_seconds: float = Field(20.0, gt=0, le=600, description="Time limit of one answer.")
    workers: int = Field(4, ge=1, le=64, description="Questions answered at the same time.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Lowest level that is logged.")
    log_format: Literal["text", "json"] = Field("text", description="Format of the log.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load_config` passes in: it checks names first."""
        return (init_settings,)

    @field_validator("chat_bind", "web_bind")
    @classmethod
    def _host_and_port(cls, value: str) -> str:
        host, separator, port = value.rpartition(":")
        if not separator or not host or not port.isdigit() or int(port) > 65_535:
            raise ValueError("write it as host:port, for example 127.0.0.1:8080")
        return value

    @field_validator(
        "data_dir",
        "catalogue",
        "embedding_model",
        "opensearch_ca_file",
        "model_path",
        "model_tokenizer",
        "audit_checkpoints",
        mode="before",
    )
    @classmethod
    def _not_empty(cls, value: object) -> object:
        if value == "":
            raise ValueError("it is empty; give a path, or leave the setting out")
        return value

    @field_validator("public_url", "model_url", "oidc_issuer")
    @classmethod
    def _web_address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
        except ValueError:
            if "@" not in value:
                raise
            # what it says of a broken host may quote it, login and all
            raise ValueError("its host cannot be read; write it as https://host or https://host/path") from None
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment):
            raise ValueError("write it as https://host or https://host/path")
        return value

    @field_validator("model_url")
    @classmethod
    def _no_login_in_it(cls, value: str) -> str:
        if "@" in urlsplit(value).netloc:
            raise ValueError("it holds a user or a password; give a key with ADPOLICY_MODEL_KEY instead")
        return value

    @field_validator("oidc_issuer")
    @classmethod
    def _encrypted(cls, value: str) -> str:
        if value and not is_safe(value):
            raise ValueError("write it as https://host or https://host/path, without user; http is for 127.0.0.1 only")
        return value

    @field_validator("web_origins")
    @classmethod
    def _exact_origins(cls, value: str) -> str:
        for each in names(value):
            if not _ORIGIN.fullmatch(each):
                raise ValueError(f"{each} is no origin; write each as https://host or https://host:port, none with *")
        return value

    @field_validator("database_url", "opensearch_url", "redis_url", mode="before")
    @classmethod
    def _known_scheme(cls, value: object, info: ValidationInfo) -> object:
        """The address of a server: its kind is checked here, the rest by whoever connects."""
        schemes = _SCHEMES[str(info.field_name)]
        each = str(value).split(",") if info.field_name == "opensearch_url" else [str(value)]
        if value is not None and not all(one.strip().partition("://")[0] in schemes for one in each):
            raise ValueError(f"write it as {' or '.join(f'{scheme}://...' for scheme in schemes)}")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _addresses(cls, value: str) -> str:
        for each in filter(None, (part.strip() for part in value.split(","))):
            ipaddress.ip_address(each)
        return value

    @property
    def is_protected(self) -> bool:
        """Whether the web listener asks for credentials."""
        return self.web_tokens or bool(self.oidc_issuer)

    @property
    def web_address(self) -> str:
        """Where the web pages are reached from outside."""
        return self.public_url.rstrip("/") or f"http://{self.web_bind}"


def load_config(environ: Mapping[str, str] | None = None, env_file: Path = Path(".env")) -> Config:
    """The settings from the environment (default: this process's) and `.env`.

    Raises Misconfigured: unknown_setting, invalid_setting, setting_given_twice, setting_file_unreadable,
    web_bind_unprotected, proxies_unprotected, oidc_incomplete.
    """
    environ = os.environ if environ is None else environ
    in_environment = {key: value for key, value in environ.items() if key.startswith(PREFIX)}
    values = {**_values(_from_file(env_file)), **_values(in_environment)}
    try:
        config = Config(**values)  # type: ignore[arg-type]
    except ValidationError as exc:
        first = exc.errors()[0]
        setting = PREFIX + str(first["loc"][0]).upper()
        raise Misconfigured("invalid_setting", setting=setting, reason=_reason(first["msg"])) from exc
    _check_protection(config)
    return config


def _from_file(env_file: Path) -> dict[str, str]:
    if not env_file.is_file():
        return {}
    try:
        found = dotenv_values(env_file)
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("setting_file_unreadable", setting=".env", path=str(env_file)) from exc
    return {key: value or "" for key, value in found.items() if key.startswith(PREFIX)}


def _values(given: Mapping[str, str]) -> dict[str, str]:
    """Field -> value, of one place where settings are given."""
    by_field: dict[str, str] = {}
    for key in given:
        other = by_field.setdefault(_field_of(key), key)
        if other != key:
            raise Misconfigured("setting_given_twice", setting=other, other=key)
    return {field: _value_of(key, given[key]) for field, key in by_field.items()}


def _reason(message: str) -> str:
    """What pydantic says, without what it puts in front of our own words."""
    return message.removeprefix("Value error, ")


def _field_of(key: str) -> str:
    name = key.removeprefix(PREFIX).lower()
    fields = Config.model_fields
    if name in fields:
        return name
    if name.endswith(_FILE.lower()) and name.removesuffix(_FILE.lower()) in fields:
        return name.removesuffix(_FILE.lower())
    near = difflib.get_close_matches(name, fields, n=1)
    suggestion = PREFIX + near[0].upper() if near else None
    raise Misconfigured("unknown_setting", setting=key, suggestion=suggestion)


def _value_of(key: str, value: str) -> str:
    if key.removeprefix(PREFIX).lower() in Config.model_fields:
        return value
    try:
        return Path(value).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("setting_file_unreadable", setting=key, path=value) from exc


def _check_protection(config: Config) -> None:
    """Without credentials anybody who reaches the web listener can ask."""
    if bool(config.oidc_issuer) != bool(config.oidc_audience):
        raise Misconfigured("oidc_incomplete", setting="ADPOLICY_OIDC_ISSUER", other="ADPOLICY_OIDC_AUDIENCE")
    host = config.web_bind.rpartition(":")[0].strip("[]")
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if not loopback and not config.is_protected:
        raise Misconfigured("web_bind_unprotected", setting="ADPOLICY_WEB_BIND", value=config.web_bind)
    if names(config.trusted_proxies) and not config.is_protected:  # whoever reaches the proxy would reach us
        setting = "ADPOLICY_TRUSTED_PROXIES"
        raise Misconfigured("proxies_unprotected", setting=setting, value=config.trusted_proxies)
