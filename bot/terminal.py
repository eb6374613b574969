"""Asking in the terminal: `ask` once, `chat` in turn. Standard output is the answer, nothing else."""

import argparse
import json
import shutil
import sys
import uuid
from collections.abc import Sequence
from datetime import date
from typing import TextIO

from bot.model.links import Links
from bot.model.messages import Actor, Conversation
from bot.model.outcomes import Outcome, Rejection
from bot.questions.answerer import Answered, Asked
from bot.questions.service import Asks
from bot.render.json import outcome_json, reply_json
from bot.render.slack.message import slack_message
from bot.render.teams.message import teams_message
from bot.render.text import reply_text
from bot.wording.commands import CHAT_PROMPT, CHAT_WELCOME, help_texts
from rag_core.errors import Rejected
from rag_core.questions import Filters

TERMINAL = Actor("terminal", "local", "local")
_FORMATS = ("text", "json", "slack", "teams")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line of `python -m bot`."""
    texts = help_texts()
    parser = argparse.ArgumentParser(prog="python -m bot", description=texts["bot"])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help=texts["serve"], description=texts["serve"])
    ask = commands.add_parser("ask", help=texts["ask"], description=texts["ask"])
    ask.add_argument("question", nargs="+", help=texts["question"])
    chat = commands.add_parser("chat", help=texts["chat"], description=texts["chat"])
    for command in (ask, chat):
        command.add_argument(
            "--format", choices=("text", "json", "slack", "teams"), default="text", help=texts["format"]
        )
        command.add_argument("--region", action="append", default=[], help=texts["region"])
        command.add_argument("--source", action="append", default=[], help=texts["source"])
        command.add_argument("--content-type", action="append", default=[], help=texts["content_type"])
        command.add_argument("--as-of", type=date.fromisoformat, help=texts["as_of"])
    return parser.parse_args(argv)


async def ask(args: argparse.Namespace, asking: Asks, links: Links, out: TextIO | None = None) -> int:
    """One question, answered on `out` (None: standard output); 1 if it can never work, else 0. Raises Unavailable."""
    rendered, code = await _answer(" ".join(args.question), args, asking, links, None)
    print(rendered, file=out)
    return code


async def chat(
    args: argparse.Namespace, asking: Asks, links: Links, lines: TextIO | None = None, out: TextIO | None = None
) -> int:
    """Questions from `lines` (None: standard input), one a line, until the end of it or an empty line.

    Each run is a conversation of its own.
    """
    conversation = Conversation(TERMINAL.platform, TERMINAL.workspace, TERMINAL.person, str(uuid.uuid4()))
    lines = lines or sys.stdin
    print(CHAT_WELCOME, file=sys.stderr)
    while True:
        print(CHAT_PROMPT, end="", file=sys.stderr, flush=True)
        question = lines.readline().strip()
        if not question:
            return 0
        rendered, _ = await _answer(question, args, asking, links, conversation)
        print(rendered, file=out, flush=True)


async def _answer(
    text: str, args: argparse.Namespace, asking: Asks, links: Links, conversation: Conversation | None
) -> tuple[str, int]:
    filters = Filters(tuple(args.source), tuple(args.region), tuple(args.content_type))
    try:
        asked = Asked(text, TERMINAL, "terminal", filters=filters, as_of=args.as_of, conversation=conversation)
        answered = await asking.ask(asked)
    except Rejected as exc:
        rejection = Rejection(exc.code, exc.details)
        return _render(args.format, text, rejection, None, links), 1
    return _render(args.format, text, answered.reply, answered, links), 0


def _render(format_: str, text: str, outcome: Outcome, answered: Answered | None, links: Links) -> str:
    if format_ == "slack":
        message = slack_message(text, answered.answer_id if answered else "", outcome, links)
        return json.dumps(message, ensure_ascii=False, indent=2)
    if format_ == "teams":
        activity = teams_message(text, answered.answer_id if answered else "", outcome, links)
        return json.dumps(activity, ensure_ascii=False, indent=2)
    if format_ == "json":
        if isinstance(outcome, Rejection):
            return json.dumps(outcome_json(outcome), ensure_ascii=False, indent=2)
        if answered is not None:
            shape = reply_json(answered.answer_id, answered.reply, links, answered.trace.timings_ms)
            return json.dumps(shape, ensure_ascii=False, indent=2)
    return reply_text(text, outcome, links, width=min(shutil.get_terminal_size().columns, 110))
