"""`python -m ops curated`: who does what."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.people.privacy import open_pseudonyms
from adapters.sql.policies.store import SqlKeptPassages, SqlPolicyStore
from bot.access.pseudonyms import ACCOUNT
from bot.answers.curated import Approver, Curating
from bot.audit.entries import INSTALLATION
from bot.model.jsonable import jsonable
from bot.model.messages import Actor
from ingest.model.labels import declared_groups, declared_labels
from ingest.model.operators import operator
from ops.backends import build_vault
from ops.config import Config
from ops.curated.file import read_file, written
from ops.curated.resolving import Resolving
from ops.parts import new_id, utc_now
from ops.wiring import open_engine
from ops.wording import curated as wording
from rag_core.curated.kept import CuratedAnswer, CuratedState
from rag_core.errors import Rejected
from rag_core.understanding.mentions import told_apart


async def curated(args: argparse.Namespace, config: Config) -> int:
    """Raises Rejected, which says what cannot be."""
    async with open_engine(config) as engine:
        shelf = SqlCuratedAnswers(engine)
        curating = Curating(shelf, SqlKeptPassages(engine), now=utc_now, new_id=new_id)
        match args.what:
            case "list":
                return _list(args, await shelf.all())
            case "show":
                return await _show(args, shelf, curating)
            case "import":
                return await _import(args, config, engine, curating)
            case "export":
                return await _export(args, shelf)
            case "approve":
                found = await curating.approve(args.name, await _approver(args, config, engine))
            case "suspend":
                found = await curating.suspend(args.name, operator())
            case _:
                found = await curating.retire(args.name, operator())
    print(wording.done(found))
    return 0


def _list(args: argparse.Namespace, answers: tuple[CuratedAnswer, ...]) -> int:
    if args.format == "json":
        print(json.dumps([jsonable(each) for each in answers], ensure_ascii=False))
    else:
        print("\n".join(wording.listed(answers)) if answers else wording.NONE_THERE)
    return 0


async def _show(args: argparse.Namespace, shelf: SqlCuratedAnswers, curating: Curating) -> int:
    answer = await shelf.find(args.name)
    if answer is None:
        raise Rejected("curated_unknown", name=args.name)
    fallen = await curating.fallen_of(answer)
    if args.format == "json":
        print(json.dumps({**jsonable(answer), "fallen": dict(fallen)}, ensure_ascii=False))
    else:
        print("\n".join(wording.shown(answer, fallen)))
    return 0


async def _import(args: argparse.Namespace, config: Config, engine: AsyncEngine, curating: Curating) -> int:
    """All of the file, or after a mistake in it nothing."""
    read = read_file(await asyncio.to_thread(_text_of, args.file), args.file)
    groups = frozenset(await asyncio.to_thread(declared_groups, config.catalogue))
    sources = await SqlPolicyStore(engine).sources(groups)
    labels, _ = told_apart(await asyncio.to_thread(declared_labels, config.catalogue), sources)
    now = utc_now()
    answers = await Resolving(SqlKeptPassages(engine), sources, labels, now).answers(read)
    before = {each.key: each.revision for each in await SqlCuratedAnswers(engine).all()}
    after = [await curating.put(each, operator()) for each in answers]
    new = sum(each.key not in before for each in after)
    changed = sum(before.get(each.key, each.revision) != each.revision for each in after)
    print(wording.imported(new, changed, len(after) - new - changed))
    return 0


async def _export(args: argparse.Namespace, shelf: SqlCuratedAnswers) -> int:
    answers = [each for each in await shelf.all() if each.state is not CuratedState.RETIRED]
    text = written(answers)
    if args.file == "-":
        print(text, end="")
        return 0
    await asyncio.to_thread(_write, args.file, text)
    print(wording.exported(len(answers)), file=sys.stderr)
    return 0


async def _approver(args: argparse.Namespace, config: Config, engine: AsyncEngine) -> Approver:
    account = operator()
    pseudonyms = await open_pseudonyms(engine, build_vault(config))
    return Approver(args.by.strip() or account, pseudonyms.of(Actor(ACCOUNT, INSTALLATION, account)), account)


def _text_of(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as exc:
        raise Rejected("curated_file_unreadable", path=path) from exc


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as exc:
        raise Rejected("curated_file_unreadable", path=path) from exc
