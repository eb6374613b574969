"""`python -m ops.sandbox.slack --bot-url http://127.0.0.1:3000 --signing-secret ...`: a Slack to try the bot with."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import yaml

from ops.sandbox.serving import add_serving, serve
from ops.sandbox.slack.app import App, app_of_manifest
from ops.sandbox.slack.stand_in import SlackStandIn
from ops.sandbox.wording import manifest_unreadable, slack_started

MANIFEST = Path(__file__).resolve().parents[2] / "deploy" / "slack-manifest.yaml"


def app_of(arguments: argparse.Namespace) -> App:
    """The app of the manifest, with what is given on the command line. Raises SystemExit."""
    try:
        manifest = yaml.safe_load(arguments.manifest.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as exc:
        raise SystemExit(manifest_unreadable(str(arguments.manifest))) from exc
    if not isinstance(manifest, dict):
        raise SystemExit(manifest_unreadable(str(arguments.manifest)))
    made = app_of_manifest(manifest, arguments.signing_secret)
    redirects = (f"{arguments.bot_url.rstrip('/')}/slack/oauth_redirect",)
    return replace(
        made,
        redirect_urls=redirects,
        client_id=arguments.client_id,
        client_secret=arguments.client_secret,
        app_token=arguments.app_token,
        is_socket=arguments.socket or made.is_socket,
    )


def main(arguments: list[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m ops.sandbox.slack", description=__doc__)
    parser.add_argument("--bot-url", default="http://127.0.0.1:3000", help="where the bot listens for Slack")
    parser.add_argument("--signing-secret", required=True, help="the bot's ADPOLICY_SLACK_SIGNING_SECRET")
    parser.add_argument("--bot-token", default="xoxb-sandbox", help="the bot's ADPOLICY_SLACK_BOT_TOKEN")
    parser.add_argument("--app-token", default="xapp-sandbox", help="the bot's ADPOLICY_SLACK_APP_TOKEN")
    parser.add_argument("--client-id", default=App().client_id, help="the app's id, for OAuth")
    parser.add_argument("--client-secret", default=App().client_secret, help="the app's secret, for OAuth")
    parser.add_argument("--manifest", type=Path, default=MANIFEST, help="what the app may do and hears of")
    parser.add_argument("--socket", action="store_true", help="Socket Mode, whatever the manifest says")
    add_serving(parser, 3001)
    args = parser.parse_args(arguments)
    stand_in = SlackStandIn(args.bot_url, args.signing_secret, bot_token=args.bot_token, app=app_of(args))
    return serve(stand_in, args, lambda: slack_started(stand_in.base_url, stand_in.api_url, stand_in.bot_url))


if __name__ == "__main__":
    sys.exit(main())
