"""`python -m ops.sandbox.teams --bot-url http://127.0.0.1:3000`: a Teams to try the bot with."""

import argparse
import asyncio
import contextlib

from ops.sandbox.serving import serve
from ops.sandbox.teams.page.wording import started
from ops.sandbox.teams.stand_in import APP_ID, APP_SECRET, TeamsStandIn


async def run(arguments: argparse.Namespace) -> None:
    """With the app in everybody's own chat, in a team and in a group chat."""
    stand_in = TeamsStandIn(arguments.bot_url, arguments.app_id, arguments.app_secret)

    def said() -> str:
        shown = {name: value for name, value in stand_in.settings.items() if not name.endswith("_SECRET")}
        return started(stand_in.base_url, stand_in.bot_url, shown)

    await serve(stand_in, arguments.port, said)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m ops.sandbox.teams", description=__doc__)
    parser.add_argument("--bot-url", default="http://127.0.0.1:3000", help="where the bot listens for Teams")
    parser.add_argument("--app-id", default=APP_ID, help="the bot's ADPOLICY_TEAMS_APP_ID")
    parser.add_argument("--app-secret", default=APP_SECRET, help="the bot's ADPOLICY_TEAMS_APP_SECRET")
    parser.add_argument("--port", type=int, default=3002, help="where this sandbox listens, on loopback")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
