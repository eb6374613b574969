"""`python -m ops.sandbox.slack --bot-url http://127.0.0.1:3000 --signing-secret ...`: a Slack to try the bot with."""

import argparse
import asyncio
import contextlib
import sys

from ops.sandbox.slack.stand_in import SlackStandIn
from ops.sandbox.slack.wording import started


async def serve(arguments: argparse.Namespace) -> None:
    stand_in = SlackStandIn(arguments.bot_url, arguments.signing_secret, bot_token=arguments.bot_token)
    await stand_in.start(arguments.port)
    sys.stdout.write(started(stand_in.base_url, stand_in.api_url, stand_in.bot_url) + "\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await stand_in.stop()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m ops.sandbox.slack", description=__doc__)
    parser.add_argument("--bot-url", default="http://127.0.0.1:3000", help="where the bot listens for Slack")
    parser.add_argument("--signing-secret", required=True, help="the bot's ADPOLICY_SLACK_SIGNING_SECRET")
    parser.add_argument("--bot-token", default="xoxb-sandbox", help="the bot's ADPOLICY_SLACK_BOT_TOKEN")
    parser.add_argument("--port", type=int, default=3001, help="where this sandbox listens, on loopback")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
