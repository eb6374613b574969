"""`python -m ops.sandbox.teams --bot-url http://127.0.0.1:3000`: a Teams to try the bot with."""

import argparse
import sys

from ops.sandbox.serving import add_serving, serve
from ops.sandbox.teams.stand_in import APP_ID, APP_SECRET, TeamsStandIn
from ops.sandbox.wording import teams_started


def started_with(stand_in: TeamsStandIn) -> str:
    """What is said once it listens. A secret that somebody chose is not repeated; that of everybody's stand-in is."""
    own = {name for name, value in stand_in.settings.items() if name.endswith("_SECRET") and value != APP_SECRET}
    shown = {name: value for name, value in stand_in.settings.items() if name not in own}
    return teams_started(stand_in.base_url, stand_in.bot_url, shown)


def main(arguments: list[str] | None = None) -> int:
    """With the app in everybody's own chat, in a team and in a group chat. The exit code."""
    parser = argparse.ArgumentParser(prog="python -m ops.sandbox.teams", description=__doc__)
    parser.add_argument("--bot-url", default="http://127.0.0.1:3000", help="where the bot listens for Teams")
    parser.add_argument("--app-id", default=APP_ID, help="the bot's ADPOLICY_TEAMS_APP_ID")
    parser.add_argument("--app-secret", default=APP_SECRET, help="the bot's ADPOLICY_TEAMS_APP_SECRET")
    add_serving(parser, 3002)
    args = parser.parse_args(arguments)
    stand_in = TeamsStandIn(args.bot_url, args.app_id, args.app_secret)
    return serve(stand_in, args, lambda: started_with(stand_in))


if __name__ == "__main__":
    sys.exit(main())
