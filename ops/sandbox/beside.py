"""`ops/run --slack-sandbox`, `ops/run --teams-sandbox`: the bot with a pretended chat platform beside it, so that it
can be tried without one."""

import argparse
import contextlib
import os
import secrets
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ops.config import Config, load_config
from ops.sandbox import wording
from ops.sandbox.serving import ending_with_input, port_number
from ops.sandbox.teams.stand_in import settings_for
from ops.wiring import run_bot
from ops.wording.general import explain
from rag_core.errors import Misconfigured

_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Started:
    """`command`: what starts the stand-in (it prints a line once it listens); `settings`: for the bot to meet it."""

    command: Sequence[str]
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """`title`: of the platform; `port`: where the stand-in listens unless another one is named. `starting` makes
    secrets of its own for each start."""

    title: str
    flag: str
    port: int
    is_set_up: Callable[[Config], bool]
    starting: Callable[[Config, argparse.Namespace], Started]
    has_socket: bool = False


def run_beside(sandbox: Sandbox, arguments: Sequence[str]) -> int:
    """The exit code of the bot; 2 where the platform is set up already, or the stand-in cannot listen."""
    parser = argparse.ArgumentParser(prog="ops/run", description=__doc__)
    parser.add_argument(sandbox.flag, action="store_true", help=wording.help_sandbox(sandbox.title))
    port_help = wording.help_sandbox_port(sandbox.title)
    parser.add_argument("--sandbox-port", type=port_number, default=sandbox.port, help=port_help)
    if sandbox.has_socket:
        parser.add_argument("--socket", action="store_true", help=wording.HELP_SOCKET)
    args = parser.parse_args(arguments)
    try:
        config = load_config()
    except Misconfigured as exc:
        print(explain(exc), file=sys.stderr)
        return 2
    if sandbox.is_set_up(config):
        print(wording.is_set_up(sandbox.title, sandbox.flag), file=sys.stderr)
        return 2
    starting = sandbox.starting(config, args)
    with _running(starting.command) as said:
        if not said:
            print(wording.did_not_start(sandbox.title, args.sandbox_port), file=sys.stderr)
            return 2
        print(said.strip(), flush=True)
        os.environ.update(starting.settings)
        return run_bot(["serve"])


@contextlib.contextmanager
def _running(command: Sequence[str]) -> Iterator[str]:
    """In a process of its own; its first line, "" where it did not start and said why. It holds our end of a pipe:
    should this process be killed, the other one ends by itself."""
    command = ending_with_input([*command])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running.stdout.readline() if running.stdout else ""
        finally:
            _end(running)


def _end(running: subprocess.Popen[str]) -> None:
    running.terminate()
    try:
        running.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        running.kill()


def _slack(config: Config, args: argparse.Namespace) -> Started:
    port = str(args.sandbox_port)
    secret, token, app_token = (f"{kind}-{secrets.token_hex(16)}" for kind in ("local", "xoxb", "xapp"))
    command = [sys.executable, "-m", "ops.sandbox.slack", "--port", port, "--bot-url", f"http://{config.chat_bind}"]
    command += ["--signing-secret", secret, "--bot-token", token, "--app-token", app_token]
    settings = {
        "ADPOLICY_SLACK_API_URL": f"http://127.0.0.1:{port}/api/",
        "ADPOLICY_SLACK_BOT_TOKEN": token,
        "ADPOLICY_SLACK_SIGNING_SECRET": secret,
    }
    if args.socket:
        return Started([*command, "--socket"], settings | {"ADPOLICY_SLACK_APP_TOKEN": app_token})
    return Started(command, settings)


def _teams(config: Config, args: argparse.Namespace) -> Started:
    app_id, secret, port = str(uuid.uuid4()), secrets.token_hex(16), str(args.sandbox_port)
    command = [sys.executable, "-m", "ops.sandbox.teams", "--port", port, "--bot-url", f"http://{config.chat_bind}"]
    command += ["--app-id", app_id, "--app-secret", secret]
    return Started(command, settings_for(f"http://127.0.0.1:{port}", app_id, secret))


SLACK = Sandbox("Slack", "--slack-sandbox", 3001, lambda config: config.slack_is_configured, _slack, has_socket=True)
TEAMS = Sandbox("Teams", "--teams-sandbox", 3002, lambda config: config.teams_is_configured, _teams)


if __name__ == "__main__":
    sys.exit(run_beside(TEAMS if TEAMS.flag in sys.argv else SLACK, sys.argv[1:]))
