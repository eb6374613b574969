"""The words of the page of settings."""

from collections.abc import Mapping, Sequence

TABLE_HEAD = "| setting | default | meaning |\n|---|---|---|"

GROUPS: Mapping[str, Sequence[str]] = {
    "Data": ("data_dir", "catalogue", "secret_key"),
    "Listeners and web pages": ("chat_", "web_", "public_url", "trusted_proxies"),
    "Sign-in with OpenID Connect": ("oidc_",),
    "Slack": ("slack_",),
    "Microsoft Teams": ("teams_",),
    "Access and alerts": ("groups_", "reveal_", "alert_", "digest_"),
    "Answers": ("ask_", "workers", "rule_reader", "embedding_", "fusion", "reranker"),
    "Language model": ("model",),
    "Rate limits": ("limit_",),
    "Database": ("database_", "unrecorded", "spool_"),
    "OpenSearch": ("opensearch_",),
    "Redis": ("redis_", "memory_"),
    "Record of questions and answers": ("audit_",),
    "Retention": ("keep_",),
    "Log": ("log_",),
}
"""Heading -> how the names of its settings begin."""


INTRODUCTION = """# Settings

<!-- Written by `python -m ops settings --write` from ops/config.py and ops/config.py. -->

Settings are read from the environment, then from `.env` in the current folder. Each can be given as a file instead:
`ADPOLICY_SLACK_BOT_TOKEN_FILE=/run/secrets/token`. An unknown name that begins with `ADPOLICY_` stops the start.
`ADPOLICY_DATABASE_URL`, `ADPOLICY_OPENSEARCH_URL` and `ADPOLICY_REDIS_URL` switch the store, the index and the
conversation memory to servers, each on its own: see [production.md](production.md)."""


def help_texts() -> dict[str, str]:
    return {
        "settings": "Print every setting with its default and meaning, as Markdown.",
        "write": "Write it to ops/docs/settings.md instead.",
    }
