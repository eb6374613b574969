"""`ops/run --slack-sandbox`: the bot with a pretended Slack beside it, so that it can be tried without Slack."""

import argparse
import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from ops.config import Config, load_config
from ops.sandbox.slack import wording
from ops.wiring import run_bot
from ops.wording import explain
from rag_core.errors import Misconfigured

FLAG = "--slack-sandbox"
_STOP_SECONDS = 5.0


def run_beside(arguments: Sequence[str]) -> int:
    """The exit code of the bot; 2 where Slack is set up already, or the sandbox cannot listen."""
    parser = argparse.ArgumentParser(prog="ops/run", description=__doc__)
    parser.add_argument(FLAG, action="store_true", help=wording.help_sandbox())
    parser.add_argument("--socket", action="store_true", help=wording.help_socket())
    parser.add_argument("--sandbox-port", type=int, default=3001, help=wording.help_sandbox_port())
    args = parser.parse_args(arguments)
    try:
        config = load_config()
    except Misconfigured as exc:
        print(explain(exc), file=sys.stderr)
        return 2
    if config.slack_is_configured:
        print(wording.slack_is_set_up(), file=sys.stderr)
        return 2
    with slack_sandbox(config, args.sandbox_port, socket=args.socket) as settings:
        if settings is None:
            return 2
        os.environ.update(settings)
        return run_bot(["serve"])


@contextlib.contextmanager
def slack_sandbox(config: Config, port: int, *, socket: bool) -> Iterator[Mapping[str, str] | None]:
    """A Slack in a process of its own, on loopback; the settings with which the bot meets it. None: it did not start,
    and said why."""
    secret, token, app_token = (f"{kind}-{secrets.token_hex(16)}" for kind in ("local", "xoxb", "xapp"))
    command = [
        sys.executable,
        "-m",
        "ops.sandbox.slack",
        "--port",
        str(port),
        "--bot-url",
        f"http://{config.chat_bind}",
    ]
    command += ["--signing-secret", secret, "--bot-token", token, "--app-token", app_token]
    with subprocess.Popen([*command, *(["--socket"] if socket else [])], stdout=subprocess.PIPE, text=True) as running:
        try:
            said = running.stdout.readline() if running.stdout else ""
            if not said:
                print(wording.sandbox_did_not_start(port), file=sys.stderr)
            else:
                print(said.strip(), flush=True)
            settings = _settings(port, token, secret) | ({"ADPOLICY_SLACK_APP_TOKEN": app_token} if socket else {})
            yield settings if said else None
        finally:
            _end(running)


def _settings(port: int, token: str, secret: str) -> dict[str, str]:
    return {
        "ADPOLICY_SLACK_API_URL": f"http://127.0.0.1:{port}/api/",
        "ADPOLICY_SLACK_BOT_TOKEN": token,
        "ADPOLICY_SLACK_SIGNING_SECRET": secret,
    }


def _end(running: subprocess.Popen[str]) -> None:
    running.terminate()
    try:
        running.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        running.kill()


if __name__ == "__main__":
    sys.exit(run_beside(sys.argv[1:]))
