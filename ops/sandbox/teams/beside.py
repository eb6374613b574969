"""`ops/run --teams-sandbox`: the bot with a pretended Teams beside it, so that it can be tried without Teams."""

import argparse
import secrets
import sys
import uuid

from ops.config import Config
from ops.sandbox.beside import Sandbox, Started, run_beside
from ops.sandbox.teams.stand_in import settings_for


def _starting(config: Config, args: argparse.Namespace) -> Started:
    app_id, secret = str(uuid.uuid4()), secrets.token_hex(16)
    command = [sys.executable, "-m", "ops.sandbox.teams", "--port", str(args.sandbox_port)]
    command += ["--bot-url", f"http://{config.chat_bind}", "--app-id", app_id, "--app-secret", secret]
    return Started(command, settings_for(f"http://127.0.0.1:{args.sandbox_port}", app_id, secret))


TEAMS = Sandbox(
    title="Teams",
    flag="--teams-sandbox",
    port=3002,
    is_set_up=lambda config: config.teams_is_configured,
    starting=_starting,
)


if __name__ == "__main__":
    sys.exit(run_beside(TEAMS, sys.argv[1:]))
