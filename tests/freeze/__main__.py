"""`python -m tests.freeze record | check`: what the program answers, prints and offers, frozen.

For changes to the code that are to change nothing that is seen: `record` writes a line for each question and command
beside this file, `check` tells which lines are others now. Takes minutes; documents are ingested once for each state
of the code that reads them.
"""

import argparse
import asyncio
import hashlib
import io
import json
import os
import re
import sys
from contextlib import redirect_stdout, suppress
from datetime import date
from pathlib import Path

from bot import terminal as bot_cli
from bot.model.outcomes import Rejection
from bot.render.json import outcome_json, reply_json
from bot.render.text import reply_text
from ingest import cli as ingest_cli
from ops.cli import main as ops_main
from ops.config import Config
from ops.evaluation.bots import Query
from ops.evaluation.corpora import default_cache, ingested
from ops.evaluation.replies import recorded_model
from ops.parts import Answering
from ops.wiring import open_answering
from rag_core.answers import Answer, Refusal, Reply
from rag_core.errors import Rejected
from rag_core.questions import AskRequest
from tests.freeze.questions import GOLDEN, WITH_MODEL, corpus_of, frozen_questions

STATE = Path(__file__).parent / "state.jsonl"
_TODAY = date(2026, 12, 1)
_RECORDED = date(2026, 11, 23)
"""The day of the replies of a model: its prompts name the day asked on."""

_DATA = Path("../shared/data")
_WIDTH = 100
_OF_THE_RUN = ("timings_ms", "checked_at")
_PARSERS = {"bot": bot_cli.parse, "ingest": ingest_cli.parse, "ops": ops_main}
_CHOICES = re.compile(r"^ {2,4}\{([a-z][a-z,-]*)\}$", re.MULTILINE)

_MOST_ASKED = 5

Line = dict[str, object]


async def answers(cache: Path, corpora: list[str]) -> list[Line]:
    """A line for each question of the `corpora` (none: of all), in the same order each time."""
    lines: list[Line] = []
    for name, queries in frozen_questions().items():
        if corpora and name not in corpora:
            continue
        config = await ingested(corpus_of(name, Config(_env_file=None), _DATA), Config(_env_file=None), cache)
        model = recorded_model(GOLDEN / name / "replies.jsonl", None) if name == WITH_MODEL else None
        async with open_answering(config, model=model) as answering:
            for query in queries:
                line = await _answer(answering, query, _TODAY if model is None else _RECORDED)
                lines.append({"id": f"{name} {query.about}", **line})
                print(f"\r{len(lines)}", end="", file=sys.stderr, flush=True)
    return lines


async def _answer(answering: Answering, query: Query, today: date) -> Line:
    request = AskRequest(query.text, today, query.groups, query.filters, query.history, as_of=query.as_of)
    try:
        reply = await _reply(answering, request)
    except Rejected as exc:
        shown = json.dumps(outcome_json(Rejection(exc.code, exc.details)))
        return {"kind": "rejected", "reason": exc.code, "all": _digest(shown)}
    shape = reply_json("", reply, answering.links, {})
    text = reply_text("", reply, answering.links, _WIDTH)
    line: Line = {"kind": shape["kind"], "text": _digest(text), "all": _digest(json.dumps(_settled(shape)))}
    if isinstance(reply, Answer):
        given = [f"{each.region or '*'} {each.policy_source} {each.verdict}" for each in reply.verdicts]
        cited = [_digest(f"{each.section_path}\n{each.quote}")[:6] for each in reply.citations]
        line |= {"verdicts": given, "cited": cited} if given else {"cited": cited}
    if isinstance(reply, Refusal):
        line["reason"] = reply.reason.value
    return line


async def _reply(answering: Answering, request: AskRequest) -> Reply:
    """What is answered twice running: on a busy machine a model may be late, which keeps what it said for the next."""
    last = None
    for _ in range(_MOST_ASKED):
        reply, _ = await answering.asker.ask(request)
        if reply == last:
            break
        last = reply
    return reply


def _settled(value: object) -> object:
    """Without what is another in each run: times."""
    if isinstance(value, dict):
        return {key: _settled(each) for key, each in value.items() if key not in _OF_THE_RUN}
    return [_settled(each) for each in value] if isinstance(value, list) else value


def commands() -> list[Line]:
    """A line for the help of each command of the light install, and for the description of the REST interface."""
    os.environ["COLUMNS"] = str(_WIDTH)
    lines: list[Line] = [{"id": "ops openapi", "all": _digest(_printed("ops", ["openapi"]))}]
    for program in _PARSERS:
        waiting: list[list[str]] = [[]]
        seen: set[str] = set()
        while waiting:
            command = waiting.pop()
            shown = _printed(program, [*command, "--help"])
            if shown in seen:  # what is named there are values of an argument
                continue
            seen.add(shown)
            lines.append({"id": " ".join([program, *command, "--help"]), "all": _digest(shown)})
            choices = _CHOICES.search(shown)
            waiting += [[*command, each] for each in choices[1].split(",")] if choices else []
    return lines


def _printed(program: str, arguments: list[str]) -> str:
    out = io.StringIO()
    with redirect_stdout(out), suppress(SystemExit):
        _PARSERS[program](arguments)
    return out.getvalue()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _differing(before: list[Line], after: list[Line]) -> int:
    """Print the lines that are others now, and how many there are."""
    old, new = ({str(each["id"]): each for each in lines} for lines in (before, after))
    differing = [each for each in {**old, **new} if old.get(each) != new.get(each)]
    for each in differing:
        print(f"- {json.dumps(old.get(each))}\n+ {json.dumps(new.get(each))}")
    print(f"{len(differing)} of {len(old)} lines differ.")
    return len(differing)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.freeze", description=__doc__)
    parser.add_argument("what", choices=("record", "check"))
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where ingested documents are kept")
    parser.add_argument("--corpus", action="append", default=[], help="check only the questions of this corpus")
    args = parser.parse_args()
    lines = [*commands(), *asyncio.run(answers(args.cache, args.corpus))]
    if args.what == "check":
        known = [json.loads(each) for each in STATE.read_text(encoding="utf-8").splitlines()]
        known = [each for each in known if not args.corpus or each["id"].partition(" ")[0] in (*args.corpus, *_PARSERS)]
        return 1 if _differing(known, lines) else 0
    STATE.write_text("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
