"""`python -m ops.sandbox.teams --bot-url http://127.0.0.1:3000`: a Teams to try the bot with."""

import argparse
import asyncio
import contextlib
import sys

from ops.sandbox.teams.page.wording import started
from ops.sandbox.teams.stand_in import APP_ID, APP_SECRET, TeamsStandIn


async def serve(arguments: argparse.Namespace) -> None:
    """With the app in everybody's own chat, in a team and in a group chat."""
    stand_in = TeamsStandIn(arguments.bot_url, arguments.app_id, arguments.app_secret)
    await stand_in.start(arguments.port)
    shown = [name for name in stand_in.settings if not name.endswith("_SECRET")]
    sys.stdout.write(started(stand_in.base_url, stand_in.bot_url, {name: stand_in.settings[name] for name in shown}))
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await stand_in.stop()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m ops.sandbox.teams", description=__doc__)
    parser.add_argument("--bot-url", default="http://127.0.0.1:3000", help="where the bot listens for Teams")
    parser.add_argument("--app-id", default=APP_ID, help="the bot's ADPOLICY_TEAMS_APP_ID")
    parser.add_argument("--app-secret", default=APP_SECRET, help="the bot's ADPOLICY_TEAMS_APP_SECRET")
    parser.add_argument("--port", type=int, default=3002, help="where this sandbox listens, on loopback")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
