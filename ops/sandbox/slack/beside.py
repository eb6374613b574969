"""`ops/run --slack-sandbox`: the bot with a pretended Slack beside it, so that it can be tried without Slack."""

import argparse
import secrets
import sys

from ops.config import Config
from ops.sandbox.beside import Sandbox, Started, run_beside
from ops.sandbox.slack import wording


def _starting(config: Config, args: argparse.Namespace) -> Started:
    port = args.sandbox_port
    secret, token, app_token = (f"{kind}-{secrets.token_hex(16)}" for kind in ("local", "xoxb", "xapp"))
    command = [sys.executable, "-m", "ops.sandbox.slack", "--port", str(port)]
    command += ["--bot-url", f"http://{config.chat_bind}"]
    command += ["--signing-secret", secret, "--bot-token", token, "--app-token", app_token]
    settings = {
        "ADPOLICY_SLACK_API_URL": f"http://127.0.0.1:{port}/api/",
        "ADPOLICY_SLACK_BOT_TOKEN": token,
        "ADPOLICY_SLACK_SIGNING_SECRET": secret,
    }
    if args.socket:
        return Started([*command, "--socket"], settings | {"ADPOLICY_SLACK_APP_TOKEN": app_token})
    return Started(command, settings)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--socket", action="store_true", help=wording.help_socket())


SLACK = Sandbox(
    title="Slack",
    flag="--slack-sandbox",
    port=3001,
    is_set_up=lambda config: config.slack_is_configured,
    starting=_starting,
    add_arguments=_add_arguments,
)


if __name__ == "__main__":
    sys.exit(run_beside(SLACK, sys.argv[1:]))
