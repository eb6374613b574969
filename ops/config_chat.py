"""The settings of the chat platforms and of who is who there; part of `ops.config.Config`."""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr


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
